/** A hard day: load without a pause, one trouble after the other, and after each healing the time to catch up. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ClusterDay } from "../rig/cluster-day.ts";
import type { History, Side } from "./checker.ts";
import type { Dice } from "./dice.ts";
import { type Load, marksIn, type Sending } from "./load.ts";
import type { Trouble } from "./troubles.ts";
import type { Witness } from "./witness.ts";

/** Generous: this only ends what will never come. */
const CATCH_UP_MS = 150_000;
const LOOK_EVERY_MS = 100;
const PAGE = 500;
const OPEN = ["queued", "delivering"];

export interface Endured {
  readonly trouble: string;
  readonly lastedMs: number;
  /** Accepted while it lasted. */
  readonly messages: number;
  /** Of what was accepted before the healing, the last was read so long after it. */
  readonly readAfterMs: number;
  /** And so long after it, the last sender knew. */
  readonly knownAfterMs: number;
}

export class Course {
  readonly endured: Endured[] = [];
  readonly #day: ClusterDay;
  readonly #load: Load;
  readonly #witness: Witness;
  /** Known to be over: not looked at again. */
  readonly #settled = new Set<string>();

  constructor(day: ClusterDay, load: Load, witness: Witness) {
    this.#day = day;
    this.#load = load;
    this.#witness = witness;
  }

  async endure({ name, begin }: Trouble, lengthMs: number, dice: Dice): Promise<Endured> {
    const beganAt = Date.now();
    const heal = await begin(this.#day, dice);
    await sleep(lengthMs);
    await heal();
    const healedAt = Date.now();
    const before = this.#load.acknowledged();
    const during = before.filter(({ acknowledgedAt = 0 }) => acknowledgedAt >= beganAt);
    const caughtUp = await this.#caughtUp(before, healedAt, name);
    const endured = { trouble: name, lastedMs: healedAt - beganAt, messages: during.length, ...caughtUp };
    this.endured.push(endured);
    return endured;
  }

  /** Nothing more is sent: everything is read, and every sender knows. */
  async settle(): Promise<void> {
    await this.#load.stop();
    await this.#caughtUp(this.#load.acknowledged(), Date.now(), "the end");
  }

  async history(): Promise<History> {
    const read = this.#witness.read();
    const here = new Map<string, Side>();
    for (const { mark, messageId, from } of this.#load.acknowledged()) {
      const [delivery] = (await this.#show(from, messageId ?? "")).deliveries;
      if (delivery !== undefined) here.set(mark, sideOf(delivery));
    }
    const there = new Map<string, Side[]>();
    for (const recipient of read.keys())
      for await (const [mark, side] of this.#exported(recipient))
        there.set(mark, [...(there.get(mark) ?? []), side]);
    return { sent: this.#load.sent, here, there, read };
  }

  async #caughtUp(
    before: readonly Sending[],
    since: number,
    what: string,
  ): Promise<Pick<Endured, "readAfterMs" | "knownAfterMs">> {
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      this.#witness.read();
      const unread = before.filter(({ to, mark }) => this.#witness.readAt(to, mark) === undefined);
      const open = unread.length > 0 ? before : await this.#open(before);
      if (open.length === 0) break;
      if (performance.now() > deadline) throw new Error(await this.#tale(what, unread, open));
      await sleep(LOOK_EVERY_MS);
    }
    const readAt = before.map(({ to, mark }) => this.#witness.readAt(to, mark) ?? 0);
    return { readAfterMs: Math.max(0, ...readAt.map((at) => at - since)), knownAfterMs: Date.now() - since };
  }

  /** Whose senders do not know what became of it. */
  async #open(before: readonly Sending[]): Promise<readonly Sending[]> {
    const open: Sending[] = [];
    for (const sending of before.filter(({ mark }) => !this.#settled.has(mark))) {
      const shown = await this.#show(sending.from, sending.messageId ?? "").catch(() => undefined);
      const state = shown?.deliveries[0]?.state ?? "queued";
      if (OPEN.includes(state)) open.push(sending);
      else this.#settled.add(sending.mark);
    }
    return open;
  }

  #show(who: string, id: string): Promise<ShowResponse> {
    return this.#bellhopOf(who).ask("show", { id });
  }

  async *#exported(who: string): AsyncGenerator<readonly [string, Side]> {
    const bellhop = this.#bellhopOf(who);
    const [, name = ""] = who.split("/");
    let after = 0;
    for (;;) {
      const { entries, next } = await bellhop.ask("export", { who: name, after, limit: PAGE });
      for (const { message, delivery } of entries)
        for (const mark of marksIn(message.body)) if (delivery !== undefined) yield [mark, sideOf(delivery)];
      if (next === undefined) return;
      after = next;
    }
  }

  #bellhopOf(who: string) {
    return this.#day.host(who.split("/")[0] ?? "").bellhop;
  }

  /** For whoever must find out why. */
  async #tale(what: string, unread: readonly Sending[], open: readonly Sending[]): Promise<string> {
    const lines = [
      `After ${what}: ${unread.length} were not read, ${open.length} senders do not know.`,
      ...this.#load.refused,
    ];
    for (const { mark, from, to, messageId = "" } of (unread.length > 0 ? unread : open).slice(0, 5)) {
      const sides = await Promise.all([from, to].map((who) => this.#show(who, messageId).catch(String)));
      lines.push(mark, ...sides.map((side) => JSON.stringify(side)));
    }
    for (const { name, bellhop } of this.#day.hosts)
      lines.push(
        `${name}: ${JSON.stringify(await bellhop.ask("cluster_status", {}).catch(String))}`,
        bellhop.log().slice(-4_000),
      );
    return lines.join("\n");
  }
}

function sideOf({ state, possibleDuplicate = false }: ShowResponse["deliveries"][number]): Side {
  return { state, possibleDuplicate };
}
