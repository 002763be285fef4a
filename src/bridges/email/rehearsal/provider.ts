/**
 * A mail provider of one's own on 127.0.0.1: the bridge's mailbox over IMAP, SMTP for what it sends, and one person who
 * gets that and answers. For trying the bridge without an account, and for tests.
 */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Clock } from "../../../ports/clock.ts";
import { readLetter } from "../letter.ts";
import { messageIdOf } from "../message-ids.ts";
import { ImapServer } from "./imap-server.ts";
import { letterSource, providerFields, withQuote } from "./letters.ts";
import { Mailbox } from "./mailbox.ts";

const PASSWORD = "rehearsal-of-a-password";
const NEW_SUBJECT = "Hello";
const CLOSE_MS = 100;

export interface MailRehearsalOptions {
  readonly clock: Clock;
  /** The bridge's address. */
  readonly bot: string;
  readonly person: string;
}

/** A mail that the person got. */
export interface HeardMail {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly answers?: string;
  readonly at: Date;
}

export class MailRehearsal {
  readonly authservId = "mx.example.org";
  readonly password = PASSWORD;
  readonly heard: HeardMail[] = [];
  readonly #options: MailRehearsalOptions;
  readonly #mailbox: Mailbox;
  readonly #imap: ImapServer;
  readonly #smtp: SMTPServer;
  #refusal: string | undefined;

  private constructor(options: MailRehearsalOptions, mailbox: Mailbox, imap: ImapServer) {
    this.#options = options;
    this.#mailbox = mailbox;
    this.#imap = imap;
    this.#smtp = this.#smtpServer();
    // A client that goes away in between is no news here.
    this.#smtp.on("error", () => {});
  }

  static async start(options: MailRehearsalOptions): Promise<MailRehearsal> {
    const mailbox = new Mailbox(Math.floor(options.clock.now() / 1_000));
    const account = { user: options.bot, password: PASSWORD, mailbox };
    const provider = new MailRehearsal(options, mailbox, await ImapServer.start(account));
    await new Promise<void>((resolve) => {
      provider.#smtp.listen(0, "127.0.0.1", resolve);
    });
    return provider;
  }

  get imapPort(): number {
    return this.#imap.port;
  }

  get smtpPort(): number {
    return (this.#smtp.server.address() as AddressInfo).port;
  }

  /** What the person writes: a new letter, or an answer with what it quotes. */
  letter(text: string, answers?: string): { readonly subject: string; readonly text: string } {
    const quoted = this.heard.find(({ id }) => id === answers);
    if (quoted === undefined) return { subject: NEW_SUBJECT, text };
    const subject = `Re: ${quoted.subject.replace(/^Re: /iu, "")}`;
    const from = `Bellhop <${this.#options.bot}>`;
    return { subject, text: withQuote(text, { from, at: quoted.at, text: quoted.text }) };
  }

  /** Returns the id of the letter. */
  says(text: string, answers?: string): string {
    const { bot, person, clock } = this.#options;
    const messageId = `<${randomUUID()}@${person.split("@")[1]}>`;
    const letter = letterSource({
      ...{ from: person, to: bot, messageId, at: new Date(clock.now()) },
      ...this.letter(text, answers),
      ...(answers === undefined ? {} : { answers }),
    });
    this.#mailbox.put(Buffer.from(providerFields(this.authservId, person, bot) + letter));
    return messageId;
  }

  /** The next recipient is refused, with these words. */
  refuse(words: string): void {
    this.#refusal = words;
  }

  async close(): Promise<void> {
    await this.#imap.close();
    await new Promise<void>((resolve) => this.#smtp.close(() => resolve()));
  }

  #smtpServer(): SMTPServer {
    return new SMTPServer({
      disabledCommands: ["STARTTLS"],
      authOptional: false,
      allowInsecureAuth: true,
      closeTimeout: CLOSE_MS,
      onAuth: ({ username = "", password }, _session, done) =>
        password === this.password
          ? done(null, { user: username })
          : done(new Error("Invalid user or password")),
      onRcptTo: (_address, _session, done) => {
        const refusal = this.#refusal;
        this.#refusal = undefined;
        if (refusal === undefined) return done();
        done(Object.assign(new Error(refusal), { responseCode: 550 }));
      },
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => void this.#hear(Buffer.concat(chunks)).then(() => done(), done));
      },
    });
  }

  async #hear(source: Buffer): Promise<void> {
    const { fields, subject, text } = await readLetter(source);
    const answers = fields.find(({ name }) => name === "in-reply-to")?.value;
    this.heard.push({
      ...{ id: messageIdOf(fields) ?? "", subject, text: text.trimEnd() },
      at: new Date(this.#options.clock.now()),
      ...(answers === undefined ? {} : { answers }),
    });
  }
}
