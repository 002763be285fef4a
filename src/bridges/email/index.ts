/** Mail: a mailbox that is read by IMAP, and a server that sends by SMTP. Both libraries are loaded at their first use. */
import type { Address } from "../../core/message.ts";
import type {
  Bridge,
  BridgeHealth,
  OutsideInbox,
  Saying,
  SayingContext,
  SayingOutcome,
} from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { correspondentsOf } from "./addresses.ts";
import type { EmailSettings } from "./config.ts";
import { Correspondence } from "./correspondence.ts";
import { ownMessageId } from "./message-ids.ts";
import { compose } from "./outgoing.ts";
import { Receiving } from "./receiving.ts";
import { sendMail } from "./sending.ts";

export interface EmailTools {
  readonly clock: Clock;
  readonly log: Log;
  /** A new key that nobody can guess: 128 bits or more. */
  readonly randomKey: () => string;
  /** How often the mailbox is looked at, even if the server reports nothing. */
  readonly pollMs?: number;
}

const POLL_MS = 120_000;
const KEY_OF_IDS = "message-id.key";

export function emailBridge(settings: EmailSettings, tools: EmailTools): Bridge {
  return new EmailBridge(settings, tools);
}

class EmailBridge implements Bridge {
  readonly name = "email";
  readonly #settings: EmailSettings;
  readonly #tools: EmailTools;
  #health: BridgeHealth;
  #inbox: OutsideInbox | undefined;
  #correspondence: Correspondence | undefined;
  #receiving: Receiving | undefined;
  #key: string;

  constructor(settings: EmailSettings, tools: EmailTools) {
    this.#settings = settings;
    this.#tools = tools;
    this.#health = { state: "connecting", since: tools.clock.now() };
    this.#key = tools.randomKey();
  }

  reaches(path: Address): boolean {
    return correspondentsOf(path, this.#settings.address) !== undefined;
  }

  async open(inbox: OutsideInbox): Promise<void> {
    if (this.#inbox !== undefined) return;
    this.#inbox = inbox;
    const { clock, log, pollMs = POLL_MS } = this.#tools;
    this.#receiving = new Receiving(this.#settings, inbox, {
      clock,
      log,
      pollMs,
      remembered: () => this.#remembered(inbox),
      changed: (state, error) => this.#changed(state, error),
    });
    this.#receiving.start();
  }

  async say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    const { address, smtp } = this.#settings;
    const correspondents = correspondentsOf(saying.path, address);
    if (correspondents === undefined) {
      return { kind: "refused", why: `A mail goes to email/${address}/THEIR-ADDRESS, not to ${saying.path}` };
    }
    // A mail is never split.
    if (saying.partsSaid > 0) return { kind: "said" };
    let correspondence: Correspondence | undefined;
    try {
      correspondence = this.#inbox && (await this.#remembered(this.#inbox));
    } catch {
      return { kind: "outage", why: "what belongs to the mail could not be read" };
    }
    const messageId = ownMessageId(this.#key, { messageId: saying.messageId, path: saying.path, address });
    const answered = correspondence?.find(saying.answers, saying.thread);
    const mail = compose(saying, {
      messageId,
      address,
      correspondents,
      ...(answered === undefined ? {} : { answered }),
    });
    const outcome = await sendMail(mail, smtp, { signal: context.signal, now: this.#tools.clock.now() });
    if (outcome.kind === "said") await context.said(messageId);
    return outcome;
  }

  health(): BridgeHealth {
    return this.#health;
  }

  async close(): Promise<void> {
    await this.#receiving?.close();
  }

  /** Once; it also sets the key by which ids of mails are made. */
  async #remembered(inbox: OutsideInbox): Promise<Correspondence> {
    if (this.#correspondence !== undefined) return this.#correspondence;
    const correspondence = new Correspondence((key) => inbox.kept(key));
    const key = inbox.kept(KEY_OF_IDS);
    if (key === undefined) await inbox.keep({ [KEY_OF_IDS]: this.#key });
    else this.#key = key;
    this.#correspondence ??= correspondence;
    return this.#correspondence;
  }

  #changed(state: BridgeHealth["state"], error: string | undefined): void {
    const before = this.#health;
    if (before.state === state && before.error === error) return;
    const since = before.state === state ? before.since : this.#tools.clock.now();
    this.#health = { state, since, ...(error === undefined ? {} : { error }) };
    if (before.state !== state) this.#tools.log.info("email.health", { state });
    this.#inbox?.changed();
  }
}
