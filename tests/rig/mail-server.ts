/**
 * A mail provider on this machine: a real dovecot for IMAP, and an SMTP server that delivers into dovecot's mailboxes as
 * a provider does, with what it found out about the sender above everything that came in. Runs without root; as root,
 * dovecot refuses to serve mail, so it runs as nobody.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { providerFields as providerFieldsOf } from "../../src/bridges/email/rehearsal/letters.ts";
import { Gate } from "./gate.ts";
import { until } from "./scripted-agent.ts";

export const PASSWORD = "correct-horse";
export const AUTHSERV_ID = "mx.rig.test";

const NOBODY = { uid: 65_534, gid: 65_534, user: "nobody", group: "nogroup" } as const;
const START_MS = 120_000;

export interface MailServerOptions {
  /** Without IDLE: the server reports nothing by itself. */
  readonly isSilent?: boolean;
  /** Certificate and key (PEM files): IMAP over TLS only. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export class MailServer {
  readonly folder: string;
  readonly #imap = new Gate();
  readonly #smtp = new Gate();
  readonly #options: MailServerOptions;
  readonly #sending: SMTPServer;
  #dovecot: ChildProcess | undefined;
  #deliveries = 0;
  #refusal: string | undefined;
  #lost: "recipient" | "data" | undefined;
  /** What the servers reported. */
  readonly log: string[] = [];

  private constructor(options: MailServerOptions) {
    this.folder = mkdtempSync(join(tmpdir(), "mail-"));
    this.#options = options;
    this.#sending = this.#smtpServer();
    // A client that goes away in between is no news here.
    this.#sending.on("error", (error) => this.log.push(String(error)));
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await server.#imap.open(await freePort());
    await server.startDovecot();
    const port = await freePort();
    await new Promise<void>((resolve) => server.#sending.listen(port, "127.0.0.1", resolve));
    await server.#smtp.open(port);
    return server;
  }

  get imapPort(): number {
    return this.#imap.port;
  }

  get smtpPort(): number {
    return this.#smtp.port;
  }

  /** Puts a mail into a mailbox, as it is. */
  deliver(user: string, mail: string | Buffer): void {
    const box = join(this.folder, "mail", user);
    for (const name of ["cur", "new", "tmp"]) this.#own(box, name);
    this.#deliveries += 1;
    // Dovecot numbers new mails by the names of their files.
    const name = `${1_700_000_000 + this.#deliveries}.M0P1Q${this.#deliveries}.rig`;
    const file = join(box, "tmp", name);
    writeFileSync(file, mail, { mode: 0o644 });
    if (isRoot()) chownSync(file, NOBODY.uid, NOBODY.gid);
    renameSync(file, join(box, "new", name));
  }

  /** The mails of a mailbox, oldest first. */
  mails(user: string): readonly Buffer[] {
    return this.#files(user).map(({ path }) => readFileSync(path));
  }

  /** What was marked in each mail of a mailbox. */
  flags(user: string): readonly string[] {
    return this.#files(user).map(({ file }) => /:2,(.*)$/u.exec(file)?.[1] ?? "");
  }

  clear(user: string): void {
    for (const { path } of this.#files(user)) rmSync(path);
  }

  /** The server forgets how it numbered the mails, as after it was moved to another machine. */
  async renumber(user: string): Promise<void> {
    await this.stopDovecot();
    const box = join(this.folder, "mail", user);
    for (const file of readdirSync(box))
      if (file.startsWith("dovecot")) rmSync(join(box, file), { recursive: true });
    await this.startDovecot();
  }

  /** Cuts all connections, and takes no more until it ends. */
  async outage(isOn: boolean): Promise<void> {
    for (const gate of [this.#imap, this.#smtp]) await (isOn ? gate.shut() : gate.open());
  }

  /** The next recipient is refused with these words; a code of three digits may stand first. */
  refuse(words: string): void {
    this.#refusal = words;
  }

  /** The connection breaks before the server answers to a recipient, or to a whole mail, which it has delivered. */
  loseNextAnswer(to: "recipient" | "data"): void {
    this.#lost = to;
  }

  async startDovecot(): Promise<void> {
    const port = await freePort();
    const identity = isRoot() ? NOBODY : ownIdentity();
    const config = join(this.folder, "dovecot.conf");
    for (const name of ["run", "mail"]) this.#own(this.folder, name);
    writeFileSync(config, dovecotConfig(this.folder, { port, identity, ...this.#options }));
    if (isRoot()) chownSync(this.folder, NOBODY.uid, NOBODY.gid);
    const child = spawn("dovecot", ["-F", "-c", config], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
      ...(isRoot() ? { uid: NOBODY.uid, gid: NOBODY.gid } : {}),
    });
    this.#dovecot = child;
    child.stderr?.on("data", (chunk: Buffer) => this.log.push(chunk.toString()));
    child.on("error", (error) => this.log.push(String(error)));
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`dovecot ended: ${this.log.join("")}`);
        return await answers(port);
      },
      "dovecot to listen",
      START_MS,
    );
    this.#imap.target = port;
  }

  async stopDovecot(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#dovecot;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await Promise.all([this.#imap.shut(), this.#smtp.shut()]);
    await this.stopDovecot();
    await new Promise<void>((resolve) => this.#sending.close(() => resolve()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #files(user: string): readonly { readonly file: string; readonly path: string }[] {
    const box = join(this.folder, "mail", user);
    return ["cur", "new"]
      .map((name) => join(box, name))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((file) => ({ file, path: join(folder, file) })))
      .sort((one, other) => (one.file < other.file ? -1 : 1));
  }

  #own(parent: string, name: string): void {
    const folder = join(parent, name);
    mkdirSync(folder, { recursive: true });
    if (!isRoot()) return;
    chownSync(parent, NOBODY.uid, NOBODY.gid);
    chownSync(folder, NOBODY.uid, NOBODY.gid);
  }

  #losesAnswer(to: "recipient" | "data"): boolean {
    if (this.#lost !== to) return false;
    this.#lost = undefined;
    this.#smtp.cut();
    return true;
  }

  #smtpServer(): SMTPServer {
    return new SMTPServer({
      disabledCommands: ["STARTTLS"],
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username = "", password }, _session, done) =>
        password === PASSWORD ? done(null, { user: username }) : done(new Error("Invalid user or password")),
      onRcptTo: (_address, _session, done) => {
        if (this.#losesAnswer("recipient")) return;
        const refusal = this.#refusal;
        this.#refusal = undefined;
        if (refusal === undefined) return done();
        const [, code = "550", words = ""] = /^(?:(\d{3}) )?(.*)$/u.exec(refusal) ?? [];
        done(Object.assign(new Error(words), { responseCode: Number(code) }));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          const sender = mailFrom === false ? "" : mailFrom.address;
          for (const { address } of rcptTo) {
            const user = address.toLowerCase().replace(/\+[^@]*/u, "");
            this.deliver(user, Buffer.concat([Buffer.from(providerFields(sender, address)), ...chunks]));
          }
          if (!this.#losesAnswer("data")) done();
        });
      },
    });
  }
}

/** What a provider writes above a mail whose sender logged in to it. */
export function providerFields(sender: string, recipient: string): string {
  return providerFieldsOf(AUTHSERV_ID, sender, recipient);
}

function dovecotConfig(
  folder: string,
  options: MailServerOptions & {
    readonly port: number;
    readonly identity: {
      readonly uid: number;
      readonly gid: number;
      readonly user: string;
      readonly group: string;
    };
  },
): string {
  const { port, identity, tls, isSilent = false } = options;
  const { uid, gid, user, group } = identity;
  return `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
disable_plaintext_auth = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 0
mail_location = maildir:${folder}/mail/%u
auth_failure_delay = 0
ssl = ${tls === undefined ? "no" : "required"}
${tls === undefined ? "" : `ssl_cert = <${tls.certificate}\nssl_key = <${tls.key}`}
${isSilent ? "imap_capability = IMAP4rev1 SASL-IR ID ENABLE LITERAL+ NAMESPACE UIDPLUS" : ""}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${tls === undefined ? port : 0}
  }
  inet_listener imaps {
    port = ${tls === undefined ? 0 : port}
    ssl = yes
  }
}
`;
}

function ownIdentity(): { uid: number; gid: number; user: string; group: string } {
  const { uid, gid, username } = userInfo();
  return { uid, gid, user: username, group: execFileSync("id", ["-gn"], { encoding: "utf8" }).trim() };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("There is no free port.");
  return address.port;
}

async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
