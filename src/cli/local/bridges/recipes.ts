/** What each bridge needs to know, in the order in which a person is asked. */
import { BRIDGE_NAMES, type BridgeName } from "../../../core/outside/places.ts";
import { present } from "../../../core/present.ts";

export type Answers = Readonly<Record<string, string | undefined>>;

export interface Question {
  /** The option that answers it; a secret's is followed by `-file`, or takes `-` for stdin. */
  readonly name: string;
  /** At a terminal; without it only the option counts. */
  readonly ask?: string;
  /** The file in Bellhop's home that will hold the secret. */
  readonly secret?: (answers: Answers) => string;
  /** If nothing is answered. */
  readonly otherwise?: (answers: Answers) => string | undefined;
  readonly optional?: true;
  /** A path, which is relative to the folder in which the command was called. */
  readonly isFile?: true;
}

export interface Recipe {
  readonly name: BridgeName;
  /** What to do at the platform first. */
  readonly before: readonly string[];
  readonly questions: readonly Question[];
  /** Where it goes in the file; a list is added to one that is there. */
  entry(answers: Answers): { readonly path: readonly string[]; readonly value: unknown };
  readonly person?: PersonRecipe;
  /** What to do once it is connected. */
  readonly next?: (answers: Answers) => string;
}

export interface PersonRecipe {
  readonly ask: string;
  /** Undefined if that is nobody's id. */
  channel(id: string, answers: Answers): string | undefined;
  /** What they should write to Bellhop, to be recognised by it. */
  readonly learn?: (code: string, bot: string | undefined) => readonly string[];
}

const telegram: Recipe = {
  name: "telegram",
  before: [
    "Telegram: you need a bot of your own. It takes a minute:",
    "  1. In Telegram, write /newbot to @BotFather, and answer its two questions.",
    "  2. It answers with a token, such as 1234567890:AAH… Copy it.",
  ],
  questions: [
    { name: "token", ask: "The bot's token (not shown)", secret: () => "secrets/telegram-token" },
    { name: "api-root", optional: true },
  ],
  entry: (given) => ({
    path: ["bridges", "telegram"],
    value: { token_file: "secrets/telegram-token", ...present({ api_root: given["api-root"] }) },
  }),
  person: {
    ask: "Your id in Telegram, a number",
    channel: (id) => (/^[1-9]\d{0,15}$/.test(id) ? `telegram/${id}` : undefined),
    learn: (code, bot = "your bot") => [
      `Who are you there? Write this to ${bot} in Telegram now: ${code}`,
      ...(bot.startsWith("@")
        ? [`  (or open https://t.me/${bot.slice(1)}?start=${code} and press Start)`]
        : []),
    ],
  },
};

const slack: Recipe = {
  name: "slack",
  before: [
    "Slack: you need an app of your own in your workspace (https://api.slack.com/apps, Create New App).",
    "The quickest way is the manifest in docs/phone.md. By hand:",
    '  1. Switch on "Socket Mode"; the app-level token that it makes begins with xapp-.',
    '  2. "OAuth & Permissions": bot scopes chat:write, im:history, channels:history, channels:read, app_mentions:read, users:read.',
    '  3. "Event Subscriptions": bot events message.im, message.channels, app_mention. "App Home": allow messages.',
    '  4. "Interactivity & Shortcuts": switch it on, for buttons.',
    "  5. Install it to the workspace; the bot token begins with xoxb-.",
  ],
  questions: [
    {
      name: "app-token",
      ask: "The app-level token, xapp-… (not shown)",
      secret: () => "secrets/slack-app-token",
    },
    { name: "bot-token", ask: "The bot token, xoxb-… (not shown)", secret: () => "secrets/slack-bot-token" },
    { name: "workspace", ask: "A word for your workspace in paths (such as team)", optional: true },
    { name: "api-url", optional: true },
  ],
  entry: (given) => ({
    path: ["bridges", "slack"],
    value: {
      app_token_file: "secrets/slack-app-token",
      bot_token_file: "secrets/slack-bot-token",
      ...present({ workspace: given.workspace, api_url: given["api-url"] }),
    },
  }),
  person: {
    ask: "Your member id in Slack (with --workspace)",
    channel: (id, { workspace }) =>
      workspace !== undefined && /^[A-Z0-9]{1,32}$/.test(id) ? `slack/${workspace}/@${id}` : undefined,
    learn: (code) => [`Who are you there? In Slack, write this to the app, in its direct messages: ${code}`],
  },
};

const email: Recipe = {
  name: "email",
  before: [
    "Mail: Bellhop needs an address of its own, or shares yours. Most providers want an app password for that.",
    'Only a sender for whom your provider vouches is believed: its name is the first word after "Authentication-Results:"',
    "in a mail that you got (Gmail: mx.google.com, iCloud: dmarc.icloud.com, Fastmail: *.messagingengine.com).",
  ],
  questions: [
    { name: "address", ask: "Bellhop's mail address" },
    { name: "authserv-id", ask: "Your provider's name in Authentication-Results" },
    { name: "imap-host", ask: "The server that reads (IMAP), such as imap.example.com" },
    {
      name: "smtp-host",
      ask: "The server that sends (SMTP)",
      otherwise: (given) => given["imap-host"]?.replace(/^imap\./, "smtp."),
    },
    { name: "user", ask: "The name to log in with", otherwise: ({ address }) => address },
    { name: "password", ask: "The password (not shown)", secret: () => "secrets/email-password" },
    ...["imap-port", "imap-security", "smtp-port", "smtp-security"].map(
      (name) => ({ name, optional: true }) as const,
    ),
    { name: "ca-file", optional: true, isFile: true },
  ],
  entry: (given) => {
    const server = (kind: "imap" | "smtp") => ({
      host: given[`${kind}-host`],
      ...present({
        port: numberIn(given[`${kind}-port`]),
        secure: securityIn(given[`${kind}-security`]),
        ca_file: given["ca-file"],
      }),
      ...{ user: given.user, password_file: "secrets/email-password" },
    });
    return {
      path: ["bridges", "email"],
      value: {
        address: given.address,
        authserv_id: given["authserv-id"],
        imap: server("imap"),
        smtp: server("smtp"),
      },
    };
  },
  person: {
    ask: "Your own mail address, from which you write",
    channel: (id, { address = "" }) =>
      /^[^\s@/]+@[^\s@/]+$/.test(id) ? `email/${address.toLowerCase()}/${id.toLowerCase()}` : undefined,
  },
};

const webhook: Recipe = {
  name: "webhook",
  before: [
    "Webhooks: a service (GitHub, GitLab, Stripe, …) tells Bellhop what happened. It listens on 127.0.0.1 only, at",
    "  http://127.0.0.1:2356/webhooks/SERVICE: give the service the address of your own tunnel to it, and a secret.",
  ],
  questions: [
    { name: "service", ask: "The service, such as github" },
    { name: "kind", optional: true },
    {
      name: "secret",
      ask: "The secret that you gave the service (not shown)",
      secret: ({ service }) => `secrets/webhook-${service}`,
    },
    { name: "port", optional: true },
  ],
  entry: ({ service = "", kind, port }) => {
    const value = { ...present({ kind }), secret_file: `secrets/webhook-${service}` };
    return port === undefined
      ? { path: ["bridges", "webhook", service], value }
      : { path: ["bridges", "webhook"], value: { port: numberIn(port), [service]: value } };
  },
  next: ({ service }) => `Let an agent hear of it: bellhop sub add AGENT "webhook/${service}/**"`,
};

const imessage: Recipe = {
  name: "imessage",
  before: [
    "iMessage: works on a Mac that is logged in to Messages. The program that runs Bellhop needs Full Disk Access",
    "(System Settings, Privacy & Security). A chat with yourself is the usual way to reach Bellhop.",
  ],
  questions: [
    { name: "chat-db", optional: true, isFile: true },
    { name: "osascript", optional: true, isFile: true },
    {
      name: "person",
      ask: "Your phone number with + and country, or the mail address of your Apple account",
    },
  ],
  entry: (given) => ({
    path: ["bridges", "imessage"],
    value: {
      handles: [handleIn(given.person ?? "")],
      ...present({ chat_db: given["chat-db"], osascript: given.osascript }),
    },
  }),
  person: {
    ask: "Your handle",
    channel: (id) =>
      /^(?:\+[1-9]\d{4,14}|[^\s@/]+@[^\s@/]+)$/.test(handleIn(id)) ? `imessage/${handleIn(id)}` : undefined,
  },
};

const RECIPES: Readonly<Record<BridgeName, Recipe>> = { telegram, slack, email, webhook, imessage };

export function recipeOf(name: string): Recipe | undefined {
  const known = BRIDGE_NAMES.find((one) => one === name);
  return known === undefined ? undefined : RECIPES[known];
}

const SECURITY: Readonly<Record<string, boolean | "plain">> = { tls: true, starttls: false, plain: "plain" };

/** What is none of the words is left for the config to refuse. */
function securityIn(text: string | undefined): boolean | string | undefined {
  return text === undefined ? undefined : (SECURITY[text] ?? text);
}

function numberIn(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : text;
}

function handleIn(text: string): string {
  return text.includes("@") ? text.trim().toLowerCase() : text.replace(/[\s().-]+/g, "");
}
