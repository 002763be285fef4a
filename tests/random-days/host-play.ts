/** Plays one random day of three hosts, each with an agent whose mail is taken by hand; at its end checks the laws. */
import { expect } from "vitest";
import type { DeliveryState } from "../../src/core/message.ts";
import { present } from "../../src/core/present.ts";
import { STANDARD_LOOP_LIMITS } from "../../src/core/routing/loop-breaker.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import { OWNER, tokenOf } from "../desk/broker-verbs.ts";
import { DeskCluster, type HostDesk } from "../desk/host-desks.ts";
import { HOSTS, type Host, type HostHappening } from "./host-days.ts";

interface Sent extends Pick<SendResponse, "messageId"> {
  readonly from: Host;
  readonly to: Host;
  readonly priority: string;
  readonly mayEnd: Set<DeliveryState>;
}

const UNTIL_KNOWN_MS = 10_000;
const UNTIL_HEALED_MS = 600_000;
const UNTIL_ASKED_MS = 3 * 3_600_000;
/** Given up, if its host does not answer when it is asked back. */
const CANCELLED: readonly DeliveryState[] = ["cancelled", "unconfirmed"];
const AFTER_ITS_TIME: readonly DeliveryState[] = ["expired", ...CANCELLED];
/** An answer that is not there by then never comes: its daemon died. */
const ANSWERS_WITHIN_MS = 1_000;

/** `forgets`: the control arm. What no host knows. */
export async function playHosts(
  day: readonly HostHappening[],
  { forgets }: { readonly forgets?: "taken" | "unheard" } = {},
): Promise<void> {
  const play = new HostPlay(forgets);
  try {
    await play.begin();
    for (const happening of day) await play.let(happening);
    await play.heal();
    play.check();
  } finally {
    await play.close();
  }
}

class HostPlay {
  readonly #cluster = new DeskCluster();
  readonly #desks = new Map<Host, HostDesk>();
  readonly #sent: Sent[] = [];
  readonly #forgets: "taken" | "unheard" | undefined;
  #texts = 0;

  constructor(forgets?: "taken" | "unheard") {
    this.#forgets = forgets;
  }

  async begin(): Promise<void> {
    // A random day writes more in a minute, and goes back and forth more often, than agents at home may: how much of it
    // is stopped is not what these laws are about. `scenes/loops.test.ts` has real limits.
    const endless = { hops: 1_000_000, perMinute: 1_000_000 };
    for (const host of HOSTS) {
      const desk = await this.#cluster.host(host, present({ forgets: this.#forgets }));
      desk.settings = { ...desk.settings, loops: { ...STANDARD_LOOP_LIMITS, ...endless } };
      this.#desks.set(host, desk);
    }
    await this.#cluster.ready();
    for (const host of HOSTS) await this.#desk(host).use.agent_add({ name: `of-${host}` });
    // Whoever has heard from a host, and not of its new agent, refuses to write to it.
    await this.#cluster.advance(UNTIL_KNOWN_MS);
  }

  async let(happening: HostHappening): Promise<void> {
    try {
      await this.#happen(happening);
    } catch (error) {
      // A daemon died before it answered, or its disk is full.
      const isTroubled = (desk: HostDesk) => desk.crashed || desk.disk.state === "full";
      if (![...this.#desks.values()].some(isTroubled)) throw error;
    }
    await this.#cluster.advance(1);
  }

  async #happen(happening: HostHappening): Promise<void> {
    const { hub } = this.#cluster;
    switch (happening.do) {
      case "send":
        return this.#send(happening);
      case "cancel":
        return this.#cancel(happening.at);
      case "take":
        return this.#take(happening.on);
      case "pass":
        return this.#cluster.advance(happening.ms);
      case "go-down":
        return hub.goDown();
      case "come-up":
        return hub.comeUp();
      case "cut-off":
        return hub.cutOff(happening.host);
      case "rejoin":
        return hub.rejoin(happening.host);
      case "restart":
        return this.#restart(happening.host);
      case "wipe":
        return hub.wipe(happening.host);
      case "swallow":
        return hub.swallow(happening.count);
      case "lose-bags":
        return hub.loseBags(happening.count);
      case "lose-answers":
        return hub.loseAnswers(happening.count);
      case "repeat":
        return hub.repeat(happening.host, happening.count);
      case "delay":
        hub.delayMs = happening.ms;
        return;
      case "skew":
        this.#desk(happening.host).skewMs = happening.ms;
        return;
      case "disk":
        this.#desk(happening.host).disk.state = happening.state;
        return;
      case "die-at":
        this.#desk(happening.host).crashAt(happening.step);
    }
  }

  async #send({ from, to, priority, timeoutMs, count }: Extract<HostHappening, { do: "send" }>) {
    const desk = await this.#running(from);
    const sends = Array.from({ length: count }, () => {
      this.#texts += 1;
      return desk.use.send({
        ...{ to: `agent/of-${to}@${to}`, body: `text ${this.#texts}`, priority, timeoutMs },
        claims: tokenOf(`of-${from}`),
      });
    });
    const sent = await desk.done(Promise.all(sends), ANSWERS_WITHIN_MS);
    for (const { messageId } of sent) {
      const mayEnd = new Set<DeliveryState>(["delivered", "replied"]);
      if (timeoutMs > 0) for (const state of AFTER_ITS_TIME) mayEnd.add(state);
      this.#sent.push({ messageId, from, to, priority, mayEnd });
    }
  }

  async #cancel(at: number): Promise<void> {
    const one = this.#sent[at % Math.max(1, this.#sent.length)];
    if (one === undefined) return;
    const desk = await this.#running(one.from);
    for (const state of CANCELLED) one.mayEnd.add(state);
    const cancelling = desk.use.queue_change({ id: one.messageId, change: "cancel" });
    await desk.done(
      cancelling.catch((error) => {
        if (error.code !== "delivery.not_queued") throw error;
      }),
      ANSWERS_WITHIN_MS,
    );
  }

  async #take(host: Host): Promise<void> {
    const desk = await this.#running(host);
    const agent = `of-${host}`;
    await desk.done(desk.use.receive({ agent, claims: OWNER, limit: 50 }), ANSWERS_WITHIN_MS);
  }

  /** Somebody starts it again if it died. */
  async #running(host: Host): Promise<HostDesk> {
    if (this.#desk(host).crashed) await this.#restart(host);
    return this.#desk(host);
  }

  async #restart(host: Host): Promise<void> {
    const desk = this.#desk(host);
    desk.disk.state = "works";
    desk.crash();
    await this.#cluster.advance(10);
    await desk.open();
  }

  async heal(): Promise<void> {
    const { hub } = this.#cluster;
    hub.heal();
    for (const host of HOSTS) {
      const desk = this.#desk(host);
      desk.crashAt(undefined);
      desk.disk.state = "works";
      hub.rejoin(host);
      if (desk.crashed) await this.#restart(host);
    }
    hub.comeUp();
    for (let passed = 0; passed < UNTIL_HEALED_MS; passed += 30_000) {
      await this.#cluster.advance(30_000);
      for (const host of HOSTS)
        await this.#desk(host).use.receive({ agent: `of-${host}`, claims: OWNER, limit: 1_000 });
    }
    // Whatever was said and lost is asked for by then.
    await this.#cluster.advance(UNTIL_ASKED_MS);
  }

  check(): void {
    for (const one of this.#sent) this.#checkOne(one);
    for (const from of HOSTS)
      for (const to of HOSTS)
        for (const priority of ["normal", "idle", "idle-first"]) this.#checkOrder(from, to, priority);
    for (const host of HOSTS) {
      const { read } = this.#desk(host).store;
      expect(this.#cluster.hub.waiting(host), `bags for ${host}`).toEqual([]);
      expect(read.sentLetters({ unstored: true, limit: 10 }), `unstored of ${host}`).toEqual([]);
      expect(this.#desk(host).disk.disallowed).toEqual([]);
    }
  }

  /** Not lost, not twice, and both sides say the same. */
  #checkOne({ messageId, from, to, mayEnd }: Sent): void {
    const here = this.#desk(from).store.read.deliveriesOf(messageId);
    const there = this.#desk(to).store.read.deliveriesOf(messageId);
    expect(here, messageId).toHaveLength(1);
    const state = here[0]?.state;
    expect([...mayEnd], `${messageId} from ${from} to ${to}: ${here[0]?.hold?.release}`).toContain(state);
    if (state === "delivered" || state === "replied") expect(there, messageId).toHaveLength(1);
    // What was given up only notes what became of it.
    if (state === "unconfirmed") return;
    for (const delivery of there) expect(delivery.state, `${messageId} on ${to}`).toBe(state);
  }

  /** In the order in which they were accepted, of each priority. */
  #checkOrder(from: Host, to: Host, priority: string): void {
    const theirs = this.#sent.filter(
      (one) => one.from === from && one.to === to && one.priority === priority,
    );
    const sequence = (host: Host) => (one: Sent) =>
      this.#desk(host).store.read.deliveriesOf(one.messageId)[0]?.sequence ?? Number.NaN;
    const came = theirs.filter((one) => !Number.isNaN(sequence(to)(one)));
    const bySender = came.toSorted((x, y) => sequence(from)(x) - sequence(from)(y));
    const byTaker = came.toSorted((x, y) => sequence(to)(x) - sequence(to)(y));
    const ids = (all: readonly Sent[]) => all.map(({ messageId }) => messageId);
    expect(ids(byTaker), `${from} → ${to}, ${priority}`).toEqual(ids(bySender));
  }

  #desk(host: Host): HostDesk {
    const desk = this.#desks.get(host);
    if (desk === undefined) throw new Error(`there is no ${host}`);
    return desk;
  }

  async close(): Promise<void> {
    await this.#cluster.close();
  }
}
