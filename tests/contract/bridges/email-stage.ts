/** A person and a bridge on a real mail server, for the contract of bridges and for what only mail has. */
import { type ParsedMail, simpleParser } from "mailparser";
import { createTransport } from "nodemailer";
import { type EmailConfig, emailSettings } from "../../../src/bridges/email/config.ts";
import { emailBridge } from "../../../src/bridges/email/index.ts";
import type { Bridge, Saying, SayingOutcome } from "../../../src/ports/bridge.ts";
import { systemClock } from "../../../src/system/clock.ts";
import {
  AUTHSERV_ID,
  MailServer,
  type MailServerOptions,
  PASSWORD,
  providerFields,
} from "../../rig/mail-server.ts";
import { isConnected, type SpeakingStage } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";

export const PATIENCE_MS = 180_000;

interface Change {
  readonly imap?: Partial<EmailConfig["imap"]>;
  readonly smtp?: Partial<EmailConfig["smtp"]>;
  readonly believesNobody?: true;
  readonly pollMs?: number;
}

/** To start a server takes a second, so most stages use the same, each with its own addresses. */
let shared: Promise<MailServer> | undefined;
let stages = 0;

export async function closeSharedServer(): Promise<void> {
  await (await shared)?.close();
}

export class EmailStage implements SpeakingStage {
  readonly server: MailServer;
  readonly bot: string;
  readonly person: string;
  readonly path: string;
  readonly inbox = new KeptInbox();
  readonly logged: string[] = [];
  readonly #bridges: Bridge[] = [];
  readonly #hasOwnServer: boolean;

  private constructor(server: MailServer, hasOwnServer: boolean) {
    this.server = server;
    this.#hasOwnServer = hasOwnServer;
    stages += 1;
    this.bot = `bot${stages}@rig.test`;
    this.person = `dana${stages}@example.org`;
    this.path = `email/${this.bot}/${this.person}`;
  }

  static async open(): Promise<EmailStage> {
    shared ??= MailServer.start();
    return new EmailStage(await shared, false);
  }

  static async withOwnServer(options?: MailServerOptions): Promise<EmailStage> {
    return new EmailStage(await MailServer.start(options), true);
  }

  bridge({ imap, smtp, believesNobody, pollMs }: Change = {}): Bridge {
    const { server, bot } = this;
    const settings = emailSettings({
      address: bot,
      ...(believesNobody ? {} : { authservId: AUTHSERV_ID }),
      imap: {
        host: "127.0.0.1",
        port: server.imapPort,
        secure: false,
        user: bot,
        password: PASSWORD,
        ...imap,
      },
      smtp: { host: "127.0.0.1", port: server.smtpPort, secure: false, ...smtp },
    });
    const note = (event: string, fields?: object): void =>
      void this.logged.push(`${event} ${JSON.stringify(fields)}`);
    return emailBridge(settings, {
      clock: systemClock,
      log: { info: note, warn: note, error: note },
      randomKey: () => `key ${Math.random()}`,
      ...(pollMs === undefined ? {} : { pollMs }),
    });
  }

  async opened(bridge = this.bridge()): Promise<Bridge> {
    this.#bridges.push(bridge);
    await bridge.open(this.inbox);
    return bridge;
  }

  async connected(bridge?: Bridge): Promise<Bridge> {
    const opened = await this.opened(bridge);
    await isConnected(opened);
    return opened;
  }

  async say(
    bridge: Bridge,
    saying: Partial<Saying> = {},
    signal = AbortSignal.timeout(PATIENCE_MS),
  ): Promise<{ readonly outcome: SayingOutcome; readonly ids: readonly string[] }> {
    const ids: string[] = [];
    const usual = { messageId: "m1", path: this.path, text: "The build is green.", partsSaid: 0 };
    const outcome = await bridge.say(
      { ...usual, perhapsSaid: false, ...saying },
      { signal, saying: async () => {}, said: async (id) => void ids.push(id) },
    );
    return { outcome, ids };
  }

  async says(
    text: string,
    options: {
      readonly answers?: string;
      readonly subject?: string;
      readonly to?: string;
      readonly attachment?: Buffer;
    } = {},
  ): Promise<string> {
    const { answers, subject = "Build", to = this.bot, attachment } = options;
    const auth = { user: this.person, pass: PASSWORD };
    const transport = createTransport({
      host: "127.0.0.1",
      port: this.server.smtpPort,
      ignoreTLS: true,
      auth,
    });
    const sent = await transport.sendMail({
      from: { name: "Dana", address: this.person },
      to,
      subject,
      text,
      ...(answers === undefined ? {} : { inReplyTo: answers, references: [answers] }),
      ...(attachment === undefined ? {} : { attachments: [{ filename: "big.bin", content: attachment }] }),
    });
    transport.close();
    return sent.messageId;
  }

  /** Puts a mail into the bridge's mailbox, below the provider's fields unless others are given. */
  puts(lines: readonly string[], fields = providerFields(this.person, this.bot)): void {
    const mail = [`From: ${this.person}`, `To: ${this.bot}`, ...lines].join("\r\n");
    this.server.deliver(this.bot, `${fields}${mail}\r\n`);
  }

  /** What the person got. */
  async mails(): Promise<readonly ParsedMail[]> {
    return await Promise.all(this.server.mails(this.person).map((mail) => simpleParser(mail)));
  }

  async heard(): ReturnType<SpeakingStage["heard"]> {
    return (await this.mails()).map(({ messageId = "", text = "", inReplyTo }) => ({
      id: messageId,
      text: text.trimEnd(),
      ...(inReplyTo === undefined ? {} : { answers: inReplyTo }),
    }));
  }

  async outage(isOn: boolean): Promise<void> {
    await this.server.outage(isOn);
  }

  async refuse(words: string): Promise<void> {
    this.server.refuse(words);
  }

  async close(): Promise<void> {
    await Promise.all(this.#bridges.splice(0).map((bridge) => bridge.close()));
    if (this.#hasOwnServer) await this.server.close();
  }
}
