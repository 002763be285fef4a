/**
 * What this host says of itself to the others: its agents with their sessions, its person, and a summary of what is
 * subscribed to here. It is said anew soon after it has changed. Known hosts start and stop it; it hears nobody.
 */
import { splitAddress } from "../../core/address.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import { summaryOf } from "../../core/cluster/summary.ts";
import type { AgentName } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isWildcard, type Pattern, parsePattern } from "../../core/routing/pattern.ts";
import type { Sealer } from "../../ports/cluster-engine.ts";
import type { Announcement } from "../../wire/cluster/parcels.ts";
import { VERSION } from "../../wire/version.ts";
import type { Touches } from "../base/touches.ts";
import type { Ground } from "../presence/ground.ts";

/** Changes within this time are said together. */
export const SOON_MS = 250;
/** For what no event tells, above all what each agent does: it changes often, and is not worth a word each time. */
export const LOOK_EVERY_MS = 5_000;
export const ANNOUNCED = { agents: 5_000, sessions: 100, bytes: 512 * 1024 } as const;

export interface AnnouncingParts extends Ground {
  readonly touches: Touches;
  readonly host: HostName;
  readonly sealer: Sealer;
  /** Replaces what was said before; whoever carries it repeats it. */
  announce(bytes: Uint8Array): Promise<void>;
  /** Absent: always. */
  isConnected?(): boolean;
}

type Facts = Omit<Announcement, "number">;
type AnnouncedAgent = Announcement["agents"][number];

export class Announcing {
  readonly #parts: AnnouncingParts;
  #number = 0;
  #said: string | undefined;
  #patterns: readonly string[] | undefined;
  /** Somebody subscribes to what is said to agents, whether they exist or not. */
  #hearsAgents = false;
  #cancelSoon: (() => void) | undefined;
  #cancelLook: () => void = () => {};
  #unfollow: () => void = () => {};
  #isSaying = false;
  /** The number of a copy of this host, which has its key and its name. */
  #copysNumber = 0;
  #hasCopy = false;
  #isStopped = false;

  constructor(parts: AnnouncingParts) {
    this.#parts = parts;
  }

  /** `lastNumber`: of what it said before this start. */
  start(lastNumber: number): void {
    this.#number = lastNumber;
    this.#unfollow = this.#parts.touches.follow((touched, { mailboxes }) => {
      // A message for an agent says nothing new of it.
      for (const address of touched)
        if (address.startsWith("agent/") && !mailboxes.has(address)) return this.#lookSoon();
    });
    this.#look();
    this.#lookAgain();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelSoon?.();
    this.#cancelLook();
    this.#unfollow();
  }

  /**
   * Whether a number under this host's name, with its key, is its own. A number is on disk before it is said: a higher
   * one is from a copy of this home, or from the home itself before it was put back from a backup; it is noted, and what
   * is said next has a higher one.
   */
  recogniseOwn(number: number): boolean {
    if (number <= this.#number) return true;
    this.#copysNumber = Math.max(this.#copysNumber, number);
    this.#hasCopy = true;
    return false;
  }

  /** Also after another one had the name: from now on the others are to listen to this one again. */
  connected(): void {
    if (this.#hasCopy) this.#said = undefined;
    this.#hasCopy = false;
    this.#look();
  }

  /** What somebody subscribes to has changed, or who is here. */
  changed(): void {
    this.#patterns = undefined;
    this.#lookSoon();
  }

  /** Those who run first. */
  agents(): readonly AnnouncedAgent[] {
    const { context, directory } = this.#parts;
    const all = context.store.read.agents().map(({ name }) => this.#agent(name));
    const runs = ({ name }: AnnouncedAgent): boolean => directory.takerOf(name) !== undefined;
    return [...all.filter(runs), ...all.filter((agent) => !runs(agent))].slice(0, ANNOUNCED.agents);
  }

  #agent(name: AgentName): AnnouncedAgent {
    const { directory } = this.#parts;
    const taker = directory.takerOf(name);
    return {
      name,
      ...present({ program: taker?.record.program.slice(0, 40) }),
      state: taker?.readiness().kind ?? "offline",
      sessions: directory
        .of(name)
        .slice(0, ANNOUNCED.sessions)
        .map(({ record }) => record.id),
    };
  }

  #lookSoon(): void {
    if (this.#isStopped) return;
    this.#cancelSoon ??= this.#parts.context.clock.after(SOON_MS, () => {
      this.#cancelSoon = undefined;
      this.#look();
    });
  }

  #lookAgain(): void {
    this.#cancelLook = this.#parts.context.clock.after(LOOK_EVERY_MS, () => {
      this.#look();
      this.#lookAgain();
    });
  }

  /** Says one thing at a time. */
  #look(): void {
    // A number that is only on disk would pass for one that was said.
    if (this.#isStopped || this.#hasCopy || this.#parts.isConnected?.() === false) return;
    if (this.#isSaying) {
      this.#lookSoon();
      return;
    }
    try {
      const facts = this.#facts();
      const text = JSON.stringify(facts);
      if (text === this.#said) return;
      this.#said = text;
      this.#isSaying = true;
      void this.#say(facts).then(() => {
        this.#isSaying = false;
      });
    } catch (cause) {
      this.#parts.context.log.error("cluster.not_announced", { cause: String(cause) });
    }
  }

  async #say(facts: Facts): Promise<void> {
    const { context, host, sealer, announce } = this.#parts;
    const { clock, store, log } = context;
    const now = clock.now();
    // The clock may have been set back since.
    this.#number = Math.max(now, this.#number + 1, this.#copysNumber + 1);
    const number = this.#number;
    try {
      const announcement = JSON.stringify({ key: sealer.publicKey });
      await store.write((tx) => tx.putKnownHost({ host, heardAt: now, number, announcement }));
      if (this.#isStopped) return;
      await announce(sealer.sign(Buffer.from(JSON.stringify({ ...facts, number }))));
    } catch (cause) {
      this.#said = undefined;
      log.warn("cluster.not_announced", { cause: String(cause) });
    }
  }

  #facts(): Facts {
    const { context, host } = this.#parts;
    const { kind, rest } = splitAddress(context.owner);
    if (this.#patterns === undefined) {
      const subscribed = [...this.#subscribed()];
      this.#patterns = summaryOf(subscribed);
      this.#hearsAgents = subscribed.some(
        ({ segments: [root = ""] }) => root === "agent" || isWildcard(root),
      );
    }
    const patterns = [...this.#patterns];
    const person = kind === "person" && rest.length <= 100 ? rest : undefined;
    const agents = fitting(this.agents());
    const areAll = agents.length === context.store.read.agents().length && !this.#hearsAgents;
    return {
      ...{ host, version: VERSION.slice(0, 40), agents, patterns },
      ...present({ othersToo: areAll ? undefined : (true as const), person }),
    };
  }

  /** What cannot be read is heard by nobody here either. */
  *#subscribed(): Generator<Pattern> {
    for (const { pattern } of this.#parts.context.store.read.subscriptions()) {
      try {
        yield parsePattern(pattern);
      } catch {}
    }
  }
}

/** As many as the engine carries at once. */
function fitting(agents: readonly AnnouncedAgent[]): AnnouncedAgent[] {
  let bytes = 0;
  const end = agents.findIndex((agent) => {
    bytes += JSON.stringify(agent).length + 1;
    return bytes > ANNOUNCED.bytes;
  });
  return agents.slice(0, end === -1 ? undefined : end);
}
