import { assertNever } from "./errors.ts";
import {
  type AgentName,
  type DeliveryId,
  type HoldReason,
  LIMITS,
  type Priority,
  type Release,
} from "./message.ts";
import { LADDER } from "./priority.ts";
import { isResponseOver, type Readiness } from "./readiness/readiness.ts";
import { BRING_IT_BACK } from "./readiness/standing.ts";

/** What the choice needs to know of a queued delivery. */
export interface Waiting {
  readonly deliveryId: DeliveryId;
  /** The id that people use. */
  readonly shortId: string;
  readonly priority: Priority;
  /** Order of acceptance within its priority, unless a person moved it. */
  readonly position: number;
  readonly raw: boolean;
  /** No inbox may take it: it is typed, or it waits. */
  readonly typedOnly?: boolean;
  readonly release: Release;
}

/** What decides its place in the order. */
export type Placed = Pick<Waiting, "deliveryId" | "priority" | "position" | "release">;

export interface QueuePolicy {
  readonly agent: AgentName;
  readonly paused: boolean;
  /** A person has taken the keyboard. */
  readonly attached?: boolean;
  /** The program is stopped or in the background and reads nothing, whatever the release or priority. */
  readonly suspended?: boolean;
  readonly maxBatch: number;
  /** A native or hook rung is open, so a busy program can be reached without keys. */
  readonly reachesBusy: boolean;
  /** Its own hooks carry text: what waits for the end of a turn may go sooner, with the result of a tool. */
  readonly takesHooks?: boolean;
  /** False if no key is proven to close a dialog: an interrupt would only block a raw answer to it. */
  readonly canDismiss?: boolean;
}

export interface ChosenHold {
  readonly deliveryId: DeliveryId;
  readonly reason: HoldReason;
  readonly release: string;
}

export type Choice =
  | { readonly kind: "nothing" }
  | { readonly kind: "wait"; readonly holds: readonly ChosenHold[] }
  | {
      readonly kind: "deliver";
      readonly deliveryIds: readonly DeliveryId[];
      /**
       * The program was not seen idle and is to be interrupted: the endpoint looks for itself, makes room with the
       * profile's key if that is proven safe, or holds.
       */
      readonly interrupting: boolean;
      readonly holds: readonly ChosenHold[];
    };

/**
 * Which deliveries go now, as one prompt, and why each of the others waits.
 *
 * Each delivery's own gate is open or shut; a shut one never holds back an open one behind it. The batch is the
 * longest run at the head of the open ones that can share a prompt. What a person released (`now`) goes right after
 * the interrupts: behind ten others that wait for a draft it would never go out.
 */
export function choose(waiting: readonly Waiting[], readiness: Readiness, policy: QueuePolicy): Choice {
  if (waiting.length === 0) return { kind: "nothing" };
  const inOrder = waiting.toSorted(byDrain);
  const gates = new Map(
    inOrder.map((delivery) => [delivery, passageOf(delivery, readiness, policy)] as const),
  );
  const open = inOrder.filter((delivery) => gates.get(delivery) === OPEN);
  const batch = new Set(batchOf(open, readiness, policy));
  const holds = inOrder
    .filter((delivery) => !batch.has(delivery))
    .map((delivery) => ({ deliveryId: delivery.deliveryId, ...holdOf(gates.get(delivery) ?? OPEN) }));
  if (batch.size === 0) return { kind: "wait", holds };
  const chosen = [...batch];
  return {
    kind: "deliver",
    deliveryIds: chosen.map(({ deliveryId }) => deliveryId),
    interrupting: readiness.kind !== "idle" && chosen.some(interrupts),
    holds,
  };
}

/** In delivery order, if every gate is open. */
export function byDrain(a: Placed, b: Placed): number {
  const byRank = rankOf(a) - rankOf(b) || LADDER[a.priority].rank - LADDER[b.priority].rank;
  if (byRank !== 0) return byRank;
  const lastFirst = LADDER[a.priority].order === "last-in-first-out";
  const byPosition = lastFirst ? b.position - a.position : a.position - b.position;
  return byPosition || (a.deliveryId < b.deliveryId ? -1 : a.deliveryId > b.deliveryId ? 1 : 0);
}

function rankOf({ priority, release }: Placed): number {
  const { rank } = LADDER[priority];
  return release === "now" ? Math.min(rank, AFTER_INTERRUPTS) : rank;
}

const AFTER_INTERRUPTS = LADDER.interrupt.rank + 0.5;

function interrupts({ priority, raw }: Waiting): boolean {
  return priority === "interrupt" && !raw;
}

type Passage = typeof OPEN | { readonly reason: HoldReason; readonly release: string };
const OPEN = "open";

function passageOf(delivery: Waiting, readiness: Readiness, policy: QueuePolicy): Passage {
  if (readiness.kind === "exited") return HOLD.offline;
  if (delivery.release === "withheld") return withheld(delivery.shortId);
  if (policy.suspended === true) return HOLD.suspended;
  const step = LADDER[delivery.priority];
  const released = delivery.release === "now";
  if (policy.paused && step.whilePaused === "waits" && !released) return paused(policy.agent);
  if (policy.attached === true && (step.whilePaused === "waits" || delivery.raw)) return HOLD.attached;
  switch (readiness.kind) {
    case "idle":
      return OPEN;
    case "blocked":
      if (delivery.raw) return OPEN;
      return step.whileBlocked === "dismisses" && policy.canDismiss !== false ? OPEN : HOLD.blocked;
    case "busy":
      if (released) return OPEN;
      if (delivery.raw) return HOLD.rawWhileBusy;
      if (step.whileBusy === "interrupts") return OPEN;
      return whileBusy(step.whileBusy, delivery, readiness, policy);
    case "starting":
    case "unknown":
      if (released || (step.whileUnsure === "is-offered" && !delivery.raw)) return OPEN;
      return readiness.kind === "starting" ? HOLD.starting : HOLD.unknown;
    default:
      return assertNever(readiness.kind);
  }
}

/** An inbox takes it at once; keys wait for the end of the response, but not of every sub-agent. */
function whileBusy(
  rule: "by-inbox" | "waits",
  { typedOnly }: Waiting,
  readiness: Readiness,
  { reachesBusy, takesHooks }: QueuePolicy,
): Passage {
  const shut = readiness.only === "draft" ? HOLD.typing : HOLD.busy;
  if (rule === "waits") return shut;
  if (
    takesHooks === true &&
    !reachesBusy &&
    typedOnly !== true &&
    shut === HOLD.busy &&
    !isResponseOver(readiness)
  )
    return HOLD.untilHook;
  if (reachesBusy && typedOnly !== true) return OPEN;
  if (isResponseOver(readiness)) return OPEN;
  return reachesBusy && shut === HOLD.busy ? HOLD.typedWhenIdle : shut;
}

function batchOf(open: readonly Waiting[], readiness: Readiness, policy: QueuePolicy): readonly Waiting[] {
  const [first] = open;
  if (first === undefined) return [];
  if (first.raw) return [first];
  const most = Math.max(1, Math.min(LIMITS.batch, Math.floor(policy.maxBatch) || 1));
  const end = open.findIndex((delivery) => delivery.raw || !shareable(first, delivery, readiness));
  return open.slice(0, Math.min(most, end === -1 ? open.length : end));
}

/** Unless the program is idle, deliveries released for different reasons are delivered in different ways. */
function shareable(first: Waiting, other: Waiting, readiness: Readiness): boolean {
  return readiness.kind === "idle" || opening(first) === opening(other);
}

function opening(delivery: Waiting): "interrupt" | "released" | "by-rule" {
  if (interrupts(delivery)) return "interrupt";
  return delivery.release === "now" ? "released" : "by-rule";
}

function holdOf(gate: Passage): Pick<ChosenHold, "reason" | "release"> {
  return gate === OPEN ? HOLD.behind : gate;
}

function withheld(shortId: string): Passage {
  return { reason: "paused", release: `when somebody releases it: bellhop queue now ${shortId}` };
}

function paused(agent: AgentName): Passage {
  return { reason: "paused", release: `when the queue is no longer paused: bellhop queue unpause ${agent}` };
}

const HOLD = {
  offline: { reason: "offline", release: "when its program is started again in its folder" },
  attached: { reason: "attached", release: "when the person at its terminal gives the keyboard back" },
  suspended: { reason: "suspended", release: BRING_IT_BACK },
  blocked: { reason: "blocked", release: "when the open dialog is answered" },
  busy: { reason: "busy", release: "when the running turn has ended" },
  untilHook: { reason: "busy", release: "when its next tool has run, or the running turn has ended" },
  typing: {
    reason: "typing",
    release: "when the text in its composer is sent, removed, or left alone for a while",
  },
  typedWhenIdle: {
    reason: "busy",
    release:
      "when the running turn has ended: a person's words are typed (send --any-way-in lets them go at once)",
  },
  rawWhileBusy: { reason: "busy", release: "when the program is idle, or shows a dialog" },
  starting: { reason: "busy", release: "when the program has started and shows its composer" },
  unknown: { reason: "unknown", release: "when its screen can be read and its composer is empty" },
  behind: { reason: "busy", release: "when the messages before it are in" },
} as const satisfies Record<string, { readonly reason: HoldReason; readonly release: string }>;
