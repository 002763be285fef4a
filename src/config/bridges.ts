/** The section `bridges` of `config.yaml`: which outside channels are open, and to whom. */
import { isScalar, type Node } from "yaml";
import { BRIDGE_NAMES, insteadOf } from "../core/outside/places.ts";
import type { ConfigReader, Entry } from "./reader.ts";

/** Where a secret is: never in the file itself. */
export type SecretSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "environment"; readonly name: string };

export interface MailServerDefinition {
  readonly host: string;
  readonly port?: number;
  /** `true`: TLS from the first byte; `false`: STARTTLS; unset: by the port. */
  readonly secure?: boolean | "plain";
  readonly user?: string;
  readonly password?: SecretSource;
  readonly caFile?: string;
}

export const WEBHOOK_KINDS = ["github", "gitlab", "stripe", "slack", "standard", "token"] as const;

export interface WebhookService {
  readonly name: string;
  readonly kind: (typeof WEBHOOK_KINDS)[number];
  readonly secret: SecretSource;
}

interface Guarded {
  /** Ids of the people whose words the desk relays, and whole paths whose people may reach subscribers; empty: nobody. */
  readonly allow: readonly string[];
}

export interface BridgeDefinitions {
  readonly telegram?: Guarded & {
    readonly token: SecretSource;
    readonly apiRoot?: string;
    /** The person's own chat with the bot. */
    readonly chat?: string;
  };
  readonly slack?: Guarded & {
    readonly appToken: SecretSource;
    readonly botToken: SecretSource;
    /** The word for it in paths. */
    readonly workspace?: string;
    readonly apiUrl?: string;
  };
  readonly email?: Guarded & {
    readonly address: string;
    readonly authservId?: string;
    readonly imap: MailServerDefinition & { readonly mailbox?: string };
    readonly smtp: MailServerDefinition;
  };
  readonly webhook?: { readonly port: number; readonly services: readonly WebhookService[] };
  readonly imessage?: Guarded & {
    readonly handles: readonly string[];
    readonly chatDb?: string;
    readonly osascript?: string;
    readonly pollSeconds?: number;
    readonly sms: boolean;
  };
}

/** The variables that hold a secret: nothing that the daemon starts may inherit them. */
export function secretVariables({ telegram, slack, email, webhook }: BridgeDefinitions): readonly string[] {
  const sources = [
    telegram?.token,
    slack?.appToken,
    slack?.botToken,
    email?.imap.password,
    email?.smtp.password,
    ...(webhook?.services.map(({ secret }) => secret) ?? []),
  ];
  return sources.flatMap((source) => (source?.kind === "environment" ? [source.name] : []));
}

const SERVER_KEYS = ["host", "port", "secure", "user", "password_file", "password_env", "ca_file"] as const;

/** As they are written in the file. */
export const BRIDGE_KEYS = {
  telegram: ["token_file", "token_env", "allow", "api_root", "chat"],
  slack: [
    ...(["app_token_file", "app_token_env", "bot_token_file", "bot_token_env"] as const),
    ...(["workspace", "allow", "api_url"] as const),
  ],
  email: ["address", "authserv_id", "imap", "smtp", "allow"],
  "email.imap": [...SERVER_KEYS, "mailbox"],
  "email.smtp": SERVER_KEYS,
  "webhook service": ["kind", "secret_file", "secret_env"],
  imessage: ["handles", "allow", "chat_db", "osascript", "poll", "sms"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const MOST_ALLOWED = 1_000;
const MOST_SERVICES = 64;
const SERVICE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export function readBridges(reader: ConfigReader, { value, line }: Entry): BridgeDefinitions {
  const sections = reader.section(value, "bridges", line, BRIDGE_NAMES);
  const read = <T>(name: keyof BridgeDefinitions, keys: readonly string[], make: (part: Part) => T) => {
    const entry = sections.get(name);
    return entry === undefined ? {} : { [name]: make(new Part(reader, entry, `bridges.${name}`, keys)) };
  };
  const webhook = sections.get("webhook");
  const definitions: BridgeDefinitions = {
    ...read("telegram", BRIDGE_KEYS.telegram, (part) =>
      part.whole(
        { token: part.secret("token"), allow: part.texts("allow") },
        { apiRoot: part.text("api_root"), chat: part.chat("chat") },
      ),
    ),
    ...read("slack", BRIDGE_KEYS.slack, (part) =>
      part.whole(
        {
          appToken: part.secret("app_token"),
          botToken: part.secret("bot_token"),
          allow: part.texts("allow"),
        },
        { workspace: part.text("workspace"), apiUrl: part.text("api_url") },
      ),
    ),
    ...read("email", BRIDGE_KEYS.email, readEmail),
    ...(webhook === undefined ? {} : { webhook: readWebhook(reader, webhook) }),
    ...read("imessage", BRIDGE_KEYS.imessage, (part) =>
      part.whole(
        { handles: part.texts("handles"), allow: part.texts("allow"), sms: part.flag("sms") ?? false },
        {
          chatDb: part.text("chat_db"),
          osascript: part.text("osascript"),
          pollSeconds: part.number("poll", 0.1, 3_600),
        },
      ),
    ),
  };
  // A part that is wrong has been complained of, and a file with complaints is not used.
  return definitions;
}

function readEmail(part: Part) {
  return part.whole(
    {
      address: part.required("address"),
      imap: readMailServer(part, "imap"),
      smtp: readMailServer(part, "smtp"),
      allow: part.texts("allow"),
    },
    { authservId: part.text("authserv_id") },
  );
}

function readMailServer(email: Part, name: "imap" | "smtp"): MailServerDefinition | undefined {
  const part = email.part(name, BRIDGE_KEYS[`email.${name}`]);
  if (part === undefined) return undefined;
  const needsPassword = name === "imap" || part.has("password_file") || part.has("password_env");
  return part.whole(
    { host: part.required("host"), ...(name === "imap" ? { user: part.required("user") } : {}) },
    {
      port: part.number("port", 1, 65_535),
      secure: part.secure("secure"),
      caFile: part.text("ca_file"),
      ...(name === "imap" ? { mailbox: part.text("mailbox") } : { user: part.text("user") }),
      ...(needsPassword ? { password: part.secret("password") } : {}),
    },
  ) as MailServerDefinition | undefined;
}

/** Every key but `port` is a service. */
function readWebhook(
  reader: ConfigReader,
  { value, line }: Entry,
): NonNullable<BridgeDefinitions["webhook"]> {
  const where = "bridges.webhook";
  const entries = reader.entries(value, where, line);
  if (entries.length > MOST_SERVICES) reader.complain(line, `${where}: at most ${MOST_SERVICES} services`);
  const services = entries
    .filter(({ key }) => key !== "port")
    .slice(0, MOST_SERVICES)
    .flatMap((entry): WebhookService | readonly WebhookService[] => {
      const name = entry.key;
      if (!SERVICE_NAME.test(name))
        reader.complain(entry.line, `${where}: "${name}" must match ${SERVICE_NAME.source}`);
      const service = new Part(reader, entry, `${where}.${name}`, BRIDGE_KEYS["webhook service"]);
      const kind =
        service.word("kind", WEBHOOK_KINDS) ?? WEBHOOK_KINDS.find((one) => one === name) ?? "token";
      return service.whole({ name, kind, secret: service.secret("secret") }, {}) ?? [];
    });
  const port = new Part(reader, { key: "webhook", value, line }, where, undefined).number("port", 0, 65_535);
  return { services, port: port ?? 2356 };
}

/** One section, whose values are read by name. What is missing or wrong is complained of once. */
class Part {
  readonly reader: ConfigReader;
  readonly #found: ReadonlyMap<string, Entry>;
  readonly #where: string;
  readonly #line: number;

  constructor(
    reader: ConfigReader,
    { value, line }: Entry,
    where: string,
    keys: readonly string[] | undefined,
  ) {
    this.reader = reader;
    this.#where = where;
    this.#line = line;
    this.#found = reader.section(value, where, line, keys);
  }

  has(key: string): boolean {
    return this.#found.has(key);
  }

  text(key: string): string | undefined {
    const entry = this.#found.get(key);
    return entry && this.reader.text(entry.value, `${this.#where}.${key}`, entry.line);
  }

  required(key: string): string | undefined {
    if (!this.has(key)) this.reader.complain(this.#line, `${this.#where}.${key} is missing`);
    return this.text(key);
  }

  texts(key: string): readonly string[] {
    return this.items(key, MOST_ALLOWED).flatMap(([item, line]) => {
      return this.#id(item, `${this.#where}.${key}`, line) ?? [];
    });
  }

  /** A text, or a number such as Telegram's ids. */
  id(key: string): string | undefined {
    const entry = this.#found.get(key);
    return entry && this.#id(entry.value, `${this.#where}.${key}`, entry.line);
  }

  chat(key: string): string | undefined {
    const chat = this.id(key);
    if (chat === undefined || insteadOf(`telegram/${chat}`) === undefined) return chat;
    const wanted = "the number of your own chat with the bot, such as 42";
    this.reader.complain(
      this.#found.get(key)?.line ?? this.#line,
      `${this.#where}.${key}: expected ${wanted}, found "${chat}"`,
    );
    return undefined;
  }

  #id(node: Node | null, where: string, line: number): string | undefined {
    const found = this.reader.resolve(node);
    if (isScalar(found) && typeof found.value === "number" && Number.isSafeInteger(found.value))
      return String(found.value);
    return this.reader.text(node, where, line);
  }

  secure(key: string): boolean | "plain" | undefined {
    const entry = this.#found.get(key);
    if (entry === undefined) return undefined;
    const found = this.reader.resolve(entry.value);
    if (isScalar(found) && found.value === "plain") return "plain";
    return this.reader.flag(entry.value, `${this.#where}.${key}`, entry.line);
  }

  items(key: string, most: number): readonly (readonly [Node | null, number])[] {
    const entry = this.#found.get(key);
    if (entry === undefined) return [];
    const items = this.reader.items(entry.value, `${this.#where}.${key}`, entry.line, most);
    return items.map((item) => [item, this.reader.lineOf(item, entry.line)] as const);
  }

  flag(key: string): boolean | undefined {
    const entry = this.#found.get(key);
    return entry && this.reader.flag(entry.value, `${this.#where}.${key}`, entry.line);
  }

  number(key: string, least: number, most: number): number | undefined {
    const entry = this.#found.get(key);
    if (entry === undefined) return undefined;
    const where = `${this.#where}.${key}`;
    const value = this.reader.number(entry.value, where, entry.line, `a number from ${least} to ${most}`);
    if (value === undefined || (value >= least && value <= most)) return value;
    this.reader.complain(entry.line, `${where}: expected a number from ${least} to ${most}`);
    return undefined;
  }

  word<Word extends string>(key: string, known: readonly Word[]): Word | undefined {
    const entry = this.#found.get(key);
    if (entry === undefined) return undefined;
    return this.reader.words([entry.value], `${this.#where}.${key}`, entry.line, known, "kind")[0];
  }

  part(key: string, keys: readonly string[]): Part | undefined {
    const entry = this.#found.get(key);
    if (entry === undefined) this.reader.complain(this.#line, `${this.#where}.${key} is missing`);
    return entry && new Part(this.reader, entry, `${this.#where}.${key}`, keys);
  }

  /** `NAME_file` or `NAME_env`, exactly one. */
  secret(name: string): SecretSource | undefined {
    const [file, variable] = [this.text(`${name}_file`), this.text(`${name}_env`)];
    const given = [`${name}_file`, `${name}_env`].filter((key) => this.has(key));
    if (given.length !== 1)
      this.reader.complain(
        this.#line,
        `${this.#where}: give either ${name}_file, a file that only you may read, or ${name}_env, a variable's name`,
      );
    if (file !== undefined) return { kind: "file", path: file };
    if (variable === undefined) return undefined;
    if (VARIABLE.test(variable)) return { kind: "environment", name: variable };
    this.reader.complain(this.#line, `${this.#where}.${name}_env: this is not the name of a variable`);
    return undefined;
  }

  /** Undefined if something that it needs is missing. */
  whole<Needed extends object, Extra extends object>(needed: Needed, extra: Extra) {
    const values = Object.values(needed);
    if (values.includes(undefined)) return undefined;
    const known = Object.entries(extra).filter(([, value]) => value !== undefined);
    return { ...needed, ...Object.fromEntries(known) } as {
      readonly [Key in keyof Needed]: NonNullable<Needed[Key]>;
    } & { readonly [Key in keyof Extra]?: NonNullable<Extra[Key]> };
  }
}
