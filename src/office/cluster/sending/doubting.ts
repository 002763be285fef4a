/**
 * Letters that the engine has, and of which a host that is there has said nothing: they say so after a while, and so does
 * the list of hosts. Most often that host does not admit this one. Dispatch starts it; it sends nothing.
 */
import type { HostName } from "../../../core/cluster/hosts.ts";
import type { HostState } from "../../../wire/shapes/cluster.ts";
import type { Ground } from "../../presence/ground.ts";
import type { Enquiries } from "./enquiries.ts";
import { doubted } from "./recording.ts";

/** Whoever has said something of itself has so long to say something of what it should have taken before. */
const SAYS_WITHIN_MS = 10_000;
const AT_ONCE = 200;

export interface DoubtingParts extends Ground {
  readonly to: HostName;
  readonly hosts: { standing(host: HostName): HostState };
}

export class Doubting {
  readonly #parts: DoubtingParts;
  readonly #enquiries: Pick<Enquiries, "doubtful">;
  #isUnanswered = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(parts: DoubtingParts, enquiries: Pick<Enquiries, "doubtful">) {
    this.#parts = parts;
    this.#enquiries = enquiries;
  }

  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** The other host has said something of itself, as it does again and again while it is there. */
  announced(): void {
    const { clock, log } = this.#parts.context;
    if (this.#cancel !== undefined) return;
    const announcedAt = clock.monotonic();
    this.#cancel = clock.after(SAYS_WITHIN_MS, () => {
      this.#cancel = undefined;
      this.#look(announcedAt).catch((cause) => {
        log.error("cluster.doubts_failed", { host: this.#parts.to, cause: String(cause) });
      });
    });
  }

  /** It has said something of a letter. */
  heard(): void {
    this.#isUnanswered = false;
    this.#heardAt = this.#parts.context.clock.monotonic();
  }

  stop(): void {
    this.#cancel?.();
  }

  async #look(announcedAt: number): Promise<void> {
    const { context, hosts, to, states } = this.#parts;
    const { clock, store } = context;
    // It takes what went to it, and works off what came before.
    if (this.#heardAt >= announcedAt) return;
    const letters = this.#enquiries.doubtful(announcedAt, AT_ONCE);
    if (letters.length === 0) return;
    const words = whyNot(to, hosts.standing(to));
    const messages = await store.write((tx) => doubted(tx, letters, words, clock.now()));
    if (messages.length === 0) return;
    this.#isUnanswered = true;
    states.changed(messages);
  }
}

function whyNot(to: HostName, standing: HostState): string {
  return standing === "key-differs"
    ? `when ${to} can open it: its key is not the one that is admitted here (on ${to}: bellhop cluster status)`
    : `when ${to} takes it: NATS has it, and ${to} has said nothing of it: does it admit this host? (on ${to}: bellhop cluster hosts)`;
}
