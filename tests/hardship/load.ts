/** Programs on every host that write to agents on every other, without a pause, and note what they were promised. */
import { setTimeout as sleep } from "node:timers/promises";
import { BellhopError, openBellhop } from "../../src/client/library.ts";
import type { Sent } from "./checker.ts";
import type { Dice } from "./dice.ts";

const PATIENCE_MS = 10_000;
const BETWEEN_MS = [200, 1_400] as const;
const AFTER_REFUSAL_MS = 500;

export interface Sending extends Sent {
  messageId?: string;
  acknowledgedAt?: number;
}

export interface Sender {
  readonly host: string;
  readonly name: string;
  readonly home: string;
}

export interface Recipient {
  readonly host: string;
  readonly name: string;
}

export class Load {
  readonly sent: Sending[] = [];
  /** What was refused, although nothing was wrong with it. */
  readonly refused: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #running: Promise<void>[];
  #isStopped = false;

  constructor(senders: readonly Sender[], recipients: readonly Recipient[], dice: Dice) {
    this.#running = senders.map((sender) =>
      this.#write(
        sender,
        recipients.filter(({ host }) => host !== sender.host),
        dice.another(),
      ),
    );
  }

  acknowledged(): readonly Sending[] {
    return this.sent.filter(({ acknowledged }) => acknowledged);
  }

  /** Whatever was begun is acknowledged before it resolves. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** One after the other, so that their order is the sender's. */
  async #write(sender: Sender, recipients: readonly Recipient[], dice: Dice): Promise<void> {
    const bellhop = await openBellhop({ home: sender.home, patienceMs: PATIENCE_MS });
    try {
      while (!this.#isStopped) {
        await this.#send(bellhop, sender, dice.one(recipients), dice);
        await sleep(dice.between(...BETWEEN_MS));
      }
    } finally {
      bellhop.close();
    }
  }

  async #send(
    bellhop: Awaited<ReturnType<typeof openBellhop>>,
    sender: Sender,
    { host, name }: Recipient,
    dice: Dice,
  ): Promise<void> {
    const [from, to] = [`${sender.host}/${sender.name}`, `${host}/${name}`];
    const number = (this.#numbers.get(`${from} ${to}`) ?? 0) + 1;
    this.#numbers.set(`${from} ${to}`, number);
    const sending: Sending = { mark: markOf(from, to, number), from, to, number, acknowledged: false };
    this.sent.push(sending);
    const address = dice.one([`${host}:${name}`, `agent/${name}@${host}`]);
    const text = `${sending.mark} ${"word ".repeat(dice.between(0, 30))}`.trim();
    for (;;) {
      try {
        const options = { from: sender.name, idempotencyKey: sending.mark };
        const { messageId, unmatched } = await bellhop.send(address, text, options);
        if (unmatched) this.refused.push(`${sending.mark}: a dead letter`);
        sending.messageId = messageId;
        sending.acknowledgedAt = Date.now();
        sending.acknowledged = true;
        return;
      } catch (error) {
        const isAway = error instanceof BellhopError && error.code.startsWith("daemon.");
        if (!isAway) this.refused.push(`${sending.mark}: ${String(error)}`);
        await sleep(AFTER_REFUSAL_MS);
      }
    }
  }
}

const MARK = /<load (\S+ \S+ \d+)>/gu;

function markOf(from: string, to: string, number: number): string {
  return `<load ${from} ${to} ${number}>`;
}

/** In their order. */
export function marksIn(text: string): readonly string[] {
  return [...text.matchAll(MARK)].map(([mark]) => mark);
}
