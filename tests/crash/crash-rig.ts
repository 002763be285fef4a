import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { expect } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import type { Step } from "../../src/office/base/steps.ts";
import type { ShownMessage } from "../../src/wire/shapes/messages.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { type CrashAgent, type CrashDesk, openDesk, type Place } from "./crash-desk.ts";

export const claims = { user: userInfo().username };
export const person = `person/${claims.user}`;

export interface Sent {
  readonly key: string;
  readonly body: string;
  readonly to: string;
  /** Set once the daemon has accepted it. */
  messageId?: string;
}

/** One home and some agents that record every prompt; the daemon may die at any moment. */
export class CrashScene {
  readonly #desk: CrashDesk;
  readonly sent: Sent[] = [];

  private constructor(desk: CrashDesk) {
    this.#desk = desk;
  }

  static async open(options: {
    readonly agents: readonly string[];
    readonly place?: Place;
  }): Promise<CrashScene> {
    const delivery = "delivery: { input_poll_interval: 0.3, input_stale_timeout: 1, evidence_timeout: 3 }";
    const config = `${SCRIPTED_PROFILE}\n${delivery}`;
    return new CrashScene(await openDesk(options.place ?? "tmux", options.agents, config));
  }

  get bellhop(): Bellhop {
    return this.#desk.bellhop;
  }

  get agents(): readonly CrashAgent[] {
    return this.#desk.agents;
  }

  close(): Promise<void> {
    return this.#desk.close();
  }

  /** The daemon that will kill itself at this step. */
  async startDoomed(step: Step, visit = 1): Promise<ChildProcess> {
    return this.bellhop.start({ BELLHOP_TEST_CRASH_AT: `${step}#${visit}` });
  }

  /** Like a careful client: repeats with the same key until there is an answer. */
  async send(client: Client | undefined, message: Sent): Promise<void> {
    if (!this.sent.includes(message)) this.sent.push(message);
    try {
      const live = client ?? (await this.bellhop.client());
      const { messageId } = await live.call(
        "send",
        { to: message.to, body: message.body, idempotencyKey: message.key, claims },
        { timeoutMs: 10_000 },
      );
      message.messageId = messageId;
    } catch {
      // The daemon died: nothing was promised.
    }
  }

  /** Every accepted message reached its agent; a second copy only if it is marked as a possible duplicate. */
  async verify(): Promise<{ readonly duplicates: number }> {
    const client = await this.bellhop.client();
    for (const message of this.sent) if (message.messageId === undefined) await this.send(client, message);
    let duplicates = 0;
    for (const { messageId } of this.sent)
      duplicates += (await this.reachesOnce(client, messageId ?? "")) - 1;
    return { duplicates };
  }

  /** How many copies its agent got: one, or it is marked as a possible duplicate. */
  async reachesOnce(client: Client, id: string): Promise<number> {
    await client
      .call("wait", { id, state: "delivered", timeoutMs: 180_000 }, { timeoutMs: 200_000 })
      .catch(() => undefined);
    const { message, deliveries } = await client.call("show", { id });
    const [delivery] = deliveries;
    const receipts = JSON.stringify([delivery?.receipts, delivery?.hold]);
    expect(delivery?.state, `#${message.shortId} ${receipts}`).toMatch(
      /^(delivered|read|replied|unconfirmed)$/,
    );
    const copies = () => this.#copies(message.shortId);
    await until(() => copies() > 0, `#${message.shortId} at its agent ${receipts}`);
    if (copies() > 1)
      expect(delivery?.possibleDuplicate, `#${message.shortId} came ${copies()} times ${receipts}`).toBe(
        true,
      );
    return copies();
  }

  #copies(shortId: string): number {
    return (
      this.agents
        .flatMap((agent) => agent.prompts())
        .filter((prompt) => prompt.includes(`#${shortId}]`) || prompt.includes(`#${shortId}:`)).length +
      this.#inBatches(shortId)
    );
  }

  /** A long batch goes by reference: its file names the messages. */
  #inBatches(shortId: string): number {
    const files = this.agents
      .flatMap((agent) => agent.prompts())
      .flatMap((prompt) => /^\[\d+ messages from: .*\] Read (\S+)$/.exec(prompt)?.[1] ?? []);
    return files.filter((file) => readText(file).includes(`#${shortId}]`)).length;
  }
}

/** The messages for somebody, oldest first; the same text twice means two copies. */
export async function cameFor(client: Client, who: string, text: string): Promise<readonly ShownMessage[]> {
  const { entries } = await client.call("history", { who, limit: 1_000 });
  return entries.flatMap(({ message }) => (message.body.includes(text) ? message : [])).toReversed();
}

/** Every due timer has fired and every owed notice was sent. `absent` is an agent without a terminal. */
export async function everythingCame(client: Client, absent: string): Promise<void> {
  const last = `the last one at ${performance.now()}`;
  await client.call("remind", { to: absent, text: last, afterMs: 0, claims });
  await until(async () => (await cameFor(client, absent, last)).length > 0, "the last reminder");
  await client.call("send", { to: absent, body: last, timeoutMs: 1, notifyOnDelivery: true, claims });
  await until(async () => (await cameFor(client, person, last)).length > 0, "the last notice");
}

export async function death(child: ChildProcess, what: string): Promise<void> {
  if (child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGUSR2"), 30_000);
  await once(child, "exit");
  clearTimeout(timer);
  expect(child.signalCode, what).toBe("SIGKILL");
}

function readText(file: string): string {
  return readFileSync(file, "utf8");
}
