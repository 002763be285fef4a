/**
 * What a bridge hands in: only from people who are allowed, never what Bellhop said itself, each once. It is accepted,
 * with the bridge's cursor, in one transaction. Without a subscriber, what the person says goes to the desk.
 */
import { parseAddress } from "../../core/address.ts";
import { FLOOD_WORDS, isBellhopsOwn } from "../../core/desk/words.ts";
import { BellhopError } from "../../core/errors.ts";
import type { MessageId } from "../../core/message.ts";
import { ECHO_MS, sameText } from "../../core/outside/echo.ts";
import { type FloodState, floodStep } from "../../core/outside/flood.ts";
import { introductionIn } from "../../core/outside/introduction.ts";
import { type BridgeName, DESK, speakerIn } from "../../core/outside/places.ts";
import { priorityFromOutside } from "../../core/outside/priority.ts";
import { present } from "../../core/present.ts";
import { fitted } from "../../core/text/fitting.ts";
import type { Arrival, Kept, OutsideInbox, Taken } from "../../ports/bridge.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { AcceptOptions } from "../accept/incoming.ts";
import type { Submission } from "../accept/submission.ts";
import type { Ground } from "../presence/ground.ts";
import { saidByBellhop } from "../time/notices.ts";
import { nonceIn } from "./dialog-nonce.ts";

export interface InboxParts extends Ground {
  readonly accept: Accept;
  readonly bridge: BridgeName;
  /** Whose words the desk relays: the owner's own channels, such as `telegram/42`. */
  isOwner(arrival: Arrival): boolean;
  /** Who else may write to subscribers. */
  isAllowed(arrival: Arrival): boolean;
  came(): void;
  changed(): void;
}

export class BridgeInbox implements OutsideInbox {
  readonly #parts: InboxParts;
  #floods: FloodState = new Map();
  #strangers = 0;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** How many arrivals were refused since the start, because nobody allowed their senders. */
  get strangers(): number {
    return this.#strangers;
  }

  kept(key: string): string | undefined {
    return this.#parts.context.store.read.bridgeKept(this.#parts.bridge, key);
  }

  async keep(kept: Kept): Promise<void> {
    await this.#parts.context.store.write((tx) => tx.keepForBridge(this.#parts.bridge, kept));
  }

  changed(): void {
    this.#parts.changed();
  }

  async take(arrival: Arrival, kept: Kept = {}): Promise<Taken> {
    const { context } = this.#parts;
    context.checkpoint("outside.received");
    const refusal = this.#refusal(arrival);
    if (refusal !== undefined) {
      await this.keep(kept);
      return refusal;
    }
    if (await this.#isEcho(arrival, kept)) return "echo";
    if (arrival.button === undefined && this.#parts.isOwner(arrival) && isForNobody(arrival.text)) {
      await this.keep(kept);
      return "echo";
    }
    return this.#accept(arrival, kept);
  }

  #refusal(arrival: Arrival): Taken | undefined {
    const { bridge, context } = this.#parts;
    const isHere = arrival.path.startsWith(`${bridge}/`) && isPath(arrival.path);
    if (isHere && (this.#parts.isOwner(arrival) || this.#parts.isAllowed(arrival)))
      return arrival.text.trim() === "" && arrival.button === undefined ? "empty" : undefined;
    this.#strangers += 1;
    // The first says enough; a flood of strangers must not fill the log.
    if (this.#strangers === 1 || this.#strangers % 1_000 === 0)
      context.log.warn("outside.stranger", { bridge, refused: this.#strangers });
    return "stranger";
  }

  async #isEcho({ path, text, mayBeEcho }: Arrival, kept: Kept): Promise<boolean> {
    if (mayBeEcho === undefined) return false;
    const { store, clock, digest } = this.#parts.context;
    return store.write((tx) => {
      const isEcho = tx.eatEcho(path, digest(sameText(text)), mayBeEcho, clock.now() - ECHO_MS);
      if (isEcho) tx.keepForBridge(this.#parts.bridge, kept);
      return isEcho;
    });
  }

  async #accept(arrival: Arrival, kept: Kept): Promise<Taken> {
    const { accept, context } = this.#parts;
    if (this.#isRepeat(arrival)) {
      await this.keep(kept);
      return "repeated";
    }
    const isOwner = this.#parts.isOwner(arrival);
    const flood = this.#flood(arrival);
    const isFlood = flood !== "pass";
    try {
      await accept.accept(this.#submission(arrival, isOwner), {
        ...(isOwner && !isFlood ? this.#toDesk(arrival) : {}),
        with: (tx, message) => this.#record(tx, message.id, arrival, kept),
      });
    } catch (error) {
      if (!(error instanceof ArrivedBefore)) throw error;
      await this.keep(kept);
      return "repeated";
    }
    context.checkpoint("outside.stored");
    this.#parts.came();
    if (isOwner && flood === "begins") await this.#tellOfFlood(arrival);
    return isFlood ? "flood" : "accepted";
  }

  /** Only the desk may answer a dialog; everything else goes to subscribers first. */
  #toDesk(arrival: Arrival): Pick<AcceptOptions, "only" | "otherwise"> {
    const { bridge, context } = this.#parts;
    const { read } = context.store;
    const nonce = nonceIn({ ...arrival, bridge }, read);
    const answersDialog =
      nonce !== undefined && (arrival.button !== undefined || read.dialogKey(nonce) !== undefined);
    return answersDialog ? { only: DESK } : { otherwise: DESK };
  }

  /** Of arrivals with the same id only the first counts, whatever the second says. */
  #isRepeat({ externalId }: Arrival): boolean {
    const { context, bridge } = this.#parts;
    return context.store.read.arrivedAs(bridge, externalId) !== undefined;
  }

  #flood({ path, from }: Arrival): ReturnType<typeof floodStep>[1] {
    const [floods, verdict] = floodStep(this.#floods, `${path} ${from}`, this.#parts.context.clock.now());
    this.#floods = floods;
    return verdict;
  }

  async #tellOfFlood({ path }: Arrival): Promise<void> {
    const { accept, context } = this.#parts;
    const said = { ...saidByBellhop(context, path, FLOOD_WORDS), command: "desk" };
    try {
      await accept.accept(said, { onlyOutside: true });
    } catch (cause) {
      // The arrival itself is on disk, and this is only a courtesy.
      context.log.warn("outside.flood_untold", { bridge: this.#parts.bridge, cause: String(cause) });
    }
  }

  #submission(arrival: Arrival, isOwner: boolean): Submission {
    const { bridge, context } = this.#parts;
    const { path, from, command, payload, externalId } = arrival;
    const address = isOwner ? context.owner : speakerIn(path, from);
    return {
      to: path,
      sender: { address, source: bridge === "webhook" ? "webhook" : "bridge" },
      body: fitted(arrival.text === "" ? "(a button)" : arrival.text),
      form: { kind: "text" },
      priority: priorityFromOutside(context.settings().defaultPriority),
      channel: bridge,
      externalId,
      ...present({ command, payload }),
    };
  }

  #record(tx: StoreWriter, messageId: MessageId, arrival: Arrival, kept: Kept): void {
    const { bridge } = this.#parts;
    const { path, externalId, answerable = externalId, thread, topic, button, answers = [] } = arrival;
    // Two at the same moment: the second is undone with everything in its transaction.
    if (tx.arrivedAs(bridge, externalId) !== undefined) throw new ArrivedBefore();
    tx.putOrigin({
      messageId,
      bridge,
      path,
      externalId,
      answerable,
      answers,
      ...present({ thread, topic, button }),
    });
    tx.keepForBridge(bridge, kept);
  }
}

/** Words of another Bellhop on the other side, which to answer would never end; or those for `bridge add`. */
function isForNobody(text: string): boolean {
  return isBellhopsOwn(text) || introductionIn(text) !== undefined;
}

class ArrivedBefore extends Error {
  override readonly name = "ArrivedBefore";
}

function isPath(path: string): boolean {
  try {
    return !/[*?]/u.test(parseAddress(path).address);
  } catch (error) {
    if (error instanceof BellhopError) return false;
    throw error;
  }
}
