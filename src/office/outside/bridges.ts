/**
 * The bridges that are open: what each may bring in, and what goes out through it. The daemon opens and closes them as
 * the configuration says. It never decides whom an answer is meant for: the desk does.
 */
import { splitAddress } from "../../core/address.ts";
import type { Address, Instant, Message } from "../../core/message.ts";
import { sameText } from "../../core/outside/echo.ts";
import {
  BRIDGE_NAMES,
  type BridgeName,
  bridgeMailbox,
  bridgeOf,
  insteadOf,
} from "../../core/outside/places.ts";
import { present } from "../../core/present.ts";
import { sanitiseText } from "../../core/text/sanitise.ts";
import { backoffMs } from "../../core/time/backoff.ts";
import type { Arrival, Bridge, BridgeHealth, Button, Saying, SayingContext } from "../../ports/bridge.ts";
import type { Item, StoreReader } from "../../ports/store.ts";
import type { ShownBridge } from "../../wire/shapes/outside.ts";
import type { Accept } from "../accept/accept.ts";
import { originOf } from "../accept/answering.ts";
import type { Ground } from "../presence/ground.ts";
import { BridgeInbox } from "./inbox.ts";
import { Outlet, type OutletOutcome, type OutletTaker } from "./outlet.ts";

const BACKOFF = { firstMs: 1_000, longestMs: 60_000 };

/** A bridge that is configured and could not be opened. */
export interface ClosedBridge {
  readonly name: BridgeName;
  readonly since: Instant;
  /** And what to do about it. */
  readonly why: string;
}

export interface BridgesParts extends Ground {
  readonly accept: Accept;
  /** Something that `status` shows has changed. */
  changed(): void;
  closed(): readonly ClosedBridge[];
}

/** Who may come in through one bridge. */
export interface Admission {
  isOwner(arrival: Arrival): boolean;
  isAllowed(arrival: Arrival): boolean;
}

interface Opened {
  readonly bridge: Bridge;
  readonly inbox: BridgeInbox;
  readonly outlet: Outlet;
  lastIn?: Instant;
  lastOut?: Instant;
}

export class Bridges {
  readonly #parts: BridgesParts;
  readonly #opened = new Map<BridgeName, Opened>();
  readonly #awaited = new Map<BridgeName, Outlet>();

  constructor(parts: BridgesParts) {
    this.#parts = parts;
    // What was first there may be gone: the next one says why it waits.
    parts.states.follow(() => this.reconsider());
  }

  async open(bridge: Bridge, admission: Admission): Promise<void> {
    const { clock } = this.#parts.context;
    const inbox = new BridgeInbox({
      ...this.#parts,
      ...admission,
      bridge: bridge.name,
      came: () => {
        opened.lastIn = clock.now();
      },
      changed: () => {
        opened.outlet.wake();
        this.#parts.changed();
      },
    });
    const spoke = () => {
      opened.lastOut = clock.now();
    };
    const outlet = new Outlet(this.#parts, new Speech(this.#parts, bridge, spoke));
    const opened: Opened = { bridge, inbox, outlet };
    this.#opened.set(bridge.name, opened);
    await this.#awaitNoMore(bridge.name);
    try {
      await bridge.open(inbox);
    } catch (cause) {
      this.#opened.delete(bridge.name);
      // Part of it may be open; why it failed is what counts.
      await bridge.close().catch(() => {});
      throw cause;
    }
    outlet.start();
  }

  async close(name: BridgeName): Promise<void> {
    const opened = this.#opened.get(name);
    if (opened === undefined) return;
    this.#opened.delete(name);
    await opened.outlet.stop();
    await opened.bridge.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((name) => this.close(name)));
    await Promise.all([...this.#awaited.keys()].map((name) => this.#awaitNoMore(name)));
  }

  outletFor(path: Address): Address | undefined {
    const name = bridgeOf(path);
    if (name === undefined) return undefined;
    const opened = this.#opened.get(name);
    const reaches =
      opened === undefined
        ? this.#isAwaited(name) && insteadOf(path) === undefined
        : opened.bridge.reaches(path);
    return reaches ? bridgeMailbox(name) : undefined;
  }

  /** It is not open yet, or somebody must mend it first: what is said meanwhile waits. */
  #isAwaited(name: BridgeName): boolean {
    return name !== "webhook" && this.#parts.context.settings().desk.bridges.includes(name);
  }

  wake(mailbox: Address): void {
    const name = BRIDGE_NAMES.find((one) => bridgeMailbox(one) === mailbox);
    if (name === undefined) return;
    const outlet = this.#opened.get(name)?.outlet;
    if (outlet === undefined) this.await(name);
    else outlet.wake();
  }

  /** What waits for a bridge that is not open says why. */
  await(name: BridgeName): void {
    if (this.#opened.has(name) || (!this.#awaited.has(name) && !this.#hasWaiting(name))) return;
    const awaited = this.#awaited.get(name) ?? new Outlet(this.#parts, new Awaited(this.#parts, name));
    this.#awaited.set(name, awaited);
    awaited.start();
    awaited.wake();
  }

  /** What comes later wakes it. */
  #hasWaiting(name: BridgeName): boolean {
    const mailboxes = [bridgeMailbox(name)];
    const { read } = this.#parts.context.store;
    try {
      return read.deliveries({ mailboxes, states: ["queued", "delivering"], limit: 1 }).length > 0;
    } catch {
      // It cannot be read now: whoever waits looks again until it can.
      return true;
    }
  }

  /** Why something waits may be another reason now. */
  reconsider(): void {
    for (const awaited of this.#awaited.values()) awaited.wake();
  }

  async #awaitNoMore(name: BridgeName): Promise<void> {
    const awaited = this.#awaited.get(name);
    this.#awaited.delete(name);
    await awaited?.stop();
  }

  /** Those that are open, then those that should be. */
  report(): readonly ShownBridge[] {
    const opened = [...this.#opened.values()].map(({ bridge, inbox, lastIn, lastOut }) => ({
      name: bridge.name,
      ...shownHealth(bridge.health()),
      strangers: inbox.strangers,
      ...present({ lastIn, lastOut }),
    }));
    const closed = this.#parts.closed().map(({ name, since, why }) => ({
      ...({ name, state: "down", since, error: why, stuck: true, strangers: 0 } as const),
    }));
    return [...opened, ...closed];
  }
}

const SHOWN_STATES = { connected: "up", connecting: "starting", down: "down", refused: "down" } as const;

function shownHealth({ state, since, error }: BridgeHealth) {
  const stuck = state === "refused" || undefined;
  return { state: SHOWN_STATES[state], since, ...present({ error, stuck }) };
}

/** Says why nothing can be said. Whoever opens the bridge ends it, and whoever knows another reason wakes it. */
class Awaited implements OutletTaker {
  readonly mailbox: Address;
  readonly #parts: BridgesParts;
  readonly #name: BridgeName;

  constructor(parts: BridgesParts, name: BridgeName) {
    this.mailbox = bridgeMailbox(name);
    this.#parts = parts;
    this.#name = name;
  }

  obstacle() {
    return { kind: "wait", release: this.#release(), retryAt: "on-signal" } as const;
  }

  async take(): Promise<OutletOutcome> {
    return this.obstacle();
  }

  #release(): string {
    const name = this.#name;
    const closed = this.#parts.closed().find((one) => one.name === name);
    if (closed !== undefined) return `when ${name} can be opened (${closed.why})`;
    const isConfigured = this.#parts.context.settings().desk.bridges.includes(name);
    return isConfigured
      ? `when ${name} is open`
      : `when ${name} is configured again (bellhop bridge add ${name})`;
  }
}

/** Says what is in a bridge's mailbox. */
class Speech implements OutletTaker {
  readonly mailbox: Address;
  readonly #parts: BridgesParts;
  readonly #bridge: Bridge;
  readonly #spoke: () => void;
  #failures = 0;
  /** The platform asked for this pause, whatever else is to be said meanwhile. */
  #asked: (OutletOutcome & { readonly kind: "wait"; readonly retryAt: Instant }) | undefined;

  constructor(parts: BridgesParts, bridge: Bridge, spoke: () => void) {
    this.mailbox = bridgeMailbox(bridge.name);
    this.#parts = parts;
    this.#bridge = bridge;
    this.#spoke = spoke;
  }

  obstacle() {
    if (this.#asked !== undefined && this.#asked.retryAt > this.#parts.context.clock.now())
      return this.#asked;
    this.#asked = undefined;
    const { state, error } = this.#bridge.health();
    if (state === "connected" || state === "connecting") return undefined;
    return this.#wait(error ?? `${this.#bridge.name} cannot be reached`);
  }

  async take(item: Item, signal: AbortSignal): Promise<OutletOutcome> {
    const saying = sayingOf(item, this.#parts.context.store.read);
    const outcome = await this.#bridge.say(saying, { signal, ...this.#notes(item, saying) });
    if (outcome.kind === "outage") {
      const { why, retryAfterMs, perhapsSaid } = outcome;
      const wait = this.#wait(why, retryAfterMs);
      if (retryAfterMs !== undefined) this.#asked = wait;
      return perhapsSaid === true ? { ...wait, perhapsDone: true } : wait;
    }
    this.#failures = 0;
    if (outcome.kind === "refused")
      return { kind: "failed", note: `${this.#bridge.name} refused it: ${outcome.why}` };
    this.#spoke();
    return { kind: "done" };
  }

  /** What is written down before and after each part. */
  #notes({ message, delivery }: Item, saying: Saying): Pick<SayingContext, "saying" | "said"> {
    const { store, clock, digest, checkpoint } = this.#parts.context;
    const { path, partsSaid } = saying;
    // What may have been said before still comes back in the words that it was said in then.
    const attempt = saying.perhapsSaid ? `${message.id}.${delivery.attempts}` : message.id;
    let part = partsSaid;
    return {
      saying: async (text) => {
        const echo = { path, digest: digest(sameText(text)), at: clock.now(), eatenBy: [] };
        part += 1;
        await store.write((tx) => tx.putEcho({ id: `${attempt}.${part}`, ...echo }));
        checkpoint("outside.saying");
      },
      said: (externalId) => {
        checkpoint("outside.said");
        const spoken = { bridge: this.#bridge.name, externalId, messageId: message.id, path };
        return store.write((tx) =>
          tx.putSpoken({ ...spoken, at: clock.now(), ...whoseWords(message, store.read) }),
        );
      },
    };
  }

  #wait(why: string, retryAfterMs?: number) {
    const { clock } = this.#parts.context;
    const delay = retryAfterMs ?? backoffMs(BACKOFF, this.#failures);
    this.#failures += 1;
    const release = `when ${this.#bridge.name} can be reached again (${why})`;
    return { kind: "wait", release, retryAt: clock.now() + delay } as const;
  }
}

function sayingOf({ message, delivery }: Item, read: StoreReader): Saying {
  const { agent } = whoseWords(message, read);
  const isAgents = message.source === "agent" && agent !== undefined;
  const origin = message.replyTo === undefined ? undefined : originOf(message.replyTo, read);
  const answered =
    origin?.path === message.to ? { answers: origin.answerable, ...present({ thread: origin.thread }) } : {};
  return {
    messageId: message.id,
    path: message.to,
    text: isAgents ? `[${agent}] ${sanitiseText(message.body)}` : sanitiseText(message.body),
    ...present({ agent, buttons: buttonsOf(message) }),
    ...answered,
    partsSaid: read.spokenParts(message.id).length,
    perhapsSaid: delivery.possibleDuplicate,
  };
}

/** The agent that says it, or that a notice is about. */
function whoseWords(message: Message, read: StoreReader) {
  const about = noticeAbout(message);
  const session = message.fromSession ?? about;
  const { kind, rest } = splitAddress(message.from);
  const agent = kind === "agent" ? rest : session === undefined ? undefined : read.session(session)?.agent;
  return present({ agent, session });
}

function noticeAbout({ source, payload }: Message): string | undefined {
  if (source !== "bellhop" || !isRecord(payload)) return undefined;
  return typeof payload.session === "string" ? payload.session : undefined;
}

/** Only Bellhop's own notices have buttons. */
function buttonsOf({ source, payload }: Message): readonly Button[] | undefined {
  if (source !== "bellhop" || !isRecord(payload) || !Array.isArray(payload.buttons)) return undefined;
  return payload.buttons.filter(isButton);
}

function isButton(value: unknown): value is Button {
  return isRecord(value) && typeof value.label === "string" && typeof value.nonce === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
