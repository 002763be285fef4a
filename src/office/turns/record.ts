/** Writes down what becomes of a turn and of the messages in it. Each function is one transaction; none runs anything. */
import type { Address, Delivery, DeliveryId, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { BudgetVerdict } from "../../core/turns/budget.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { TurnOutcome } from "../../ports/runner.ts";
import type { Item, StoreWriter } from "../../ports/store.ts";
import { offlineHold } from "../base/offline.ts";
import { isOverdue } from "../delivery/outgoing.ts";
import { heldFor } from "../delivery/settlement.ts";
import type { Ground } from "../presence/ground.ts";
import { mayBegin } from "./spending.ts";
import type { Seat } from "./who.ts";

const BY_TURN = { transport: "headless" } as const;

/** What `queue now` is given to release it. A message to many is released for one of them by its delivery. */
export function nameOf({ context }: Ground, { delivery, message }: Item): string {
  const isAlone = message.to === delivery.to || context.store.read.deliveriesOf(message.id).length === 1;
  return isAlone ? message.shortId : delivery.id;
}

/** Nothing is written if the hold is the same. */
export async function hold(
  ground: Ground,
  items: readonly Item[],
  releaseOf: (item: Item) => string,
): Promise<void> {
  const { store, clock } = ground.context;
  const changed = items.filter((item) => {
    const { hold: now } = item.delivery;
    return now?.reason !== "turn" || now.release !== releaseOf(item);
  });
  if (changed.length === 0) return;
  await store.write((tx) => {
    for (const item of changed) {
      const now = tx.findDelivery(item.delivery.id);
      if (now?.state === "queued")
        tx.updateDelivery(now.id, { hold: heldFor(now, "turn", releaseOf(item), clock.now()) });
    }
  });
  tell(ground, changed);
}

/** Looked at, and worth no turn. */
export async function decline(
  ground: Ground,
  declined: readonly { readonly item: Item; readonly because: string }[],
  turn?: Turn,
): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => {
    const at = clock.now();
    for (const { item, because } of declined) {
      const now = tx.findDelivery(item.delivery.id);
      // A person has decided about it meanwhile.
      if (now?.state !== "queued" || now.release !== "by-rule") continue;
      const receipt = {
        at,
        state: "delivered",
        ...BY_TURN,
        evidence: "accepted",
        note: `no turn: ${because}`,
      } as const;
      tx.moveDelivery(now.id, receipt, { ...BY_TURN, evidence: "accepted", hold: null });
    }
    if (turn !== undefined) tx.putTurn({ ...turn, state: "declined", endedAt: at });
  });
  tell(
    ground,
    declined.map(({ item }) => item),
  );
}

/** No turn takes them any more: what they wait for is said anew. */
export async function unhold(
  ground: Ground,
  mailboxes: readonly Address[],
  why: string | undefined,
): Promise<void> {
  const { context, directory } = ground;
  const { store, clock } = context;
  const left = mailboxes.filter((mailbox) => directory.takerOfMailbox(mailbox) === undefined);
  const held = store.read
    .deliveries({ mailboxes: left, states: ["queued"], forTerminals: true })
    .filter(({ delivery }) => delivery.hold?.reason === "turn" && delivery.hold.release !== why);
  if (held.length === 0) return;
  await store.write((tx) => {
    for (const { delivery, message } of held) {
      const now = tx.findDelivery(delivery.id);
      if (now?.state !== "queued" || now.hold?.reason !== "turn") continue;
      const at = clock.now();
      const hold =
        why === undefined ? offlineHold(now.to, at, message.shortId, tx) : heldFor(now, "turn", why, at);
      tx.updateDelivery(now.id, { hold });
    }
  });
  tell(ground, held);
}

/** From outside, and nobody could say whether it matters: the owner looks at it. */
export async function withhold(ground: Ground, items: readonly Item[], because: string): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => {
    for (const item of items) {
      const now = tx.findDelivery(item.delivery.id);
      if (now?.state !== "queued") continue;
      const release = `${because}: bellhop queue now ${nameOf(ground, item)}`;
      tx.updateDelivery(now.id, { release: "withheld", hold: heldFor(now, "turn", release, clock.now()) });
    }
  });
  tell(ground, items);
}

/** Its place in the budget, before anything is spent: another session of its agent may just have taken the last one. */
export async function reserve(ground: Ground, turn: Turn, { autoRun }: Seat): Promise<BudgetVerdict> {
  return ground.context.store.write((tx) => {
    const verdict: BudgetVerdict = turn.triggered
      ? { kind: "go" }
      : mayBegin(tx, turn.agent, autoRun, turn.startedAt);
    if (verdict.kind === "go") tx.putTurn(turn);
    return verdict;
  });
}

/** The deliveries that are still there to go, and the turn, in one transaction; undefined if none is left. */
export async function begin(ground: Ground, turn: Turn, items: readonly Item[]): Promise<Turn | undefined> {
  const { store, clock } = ground.context;
  const begun = await store.write((tx) => {
    const at = clock.now();
    const left = items.filter(({ delivery }) => {
      const now = tx.findDelivery(delivery.id);
      return now?.state === "queued" && now.release !== "withheld" && !isOverdue(now, at);
    });
    const standing = { ...turn, deliveries: left.map(({ delivery }) => delivery.id) };
    if (left.length === 0) {
      const because = items.length > 0 ? "nothing was left to do" : (turn.because ?? "nothing was to do");
      tx.putTurn({ ...standing, state: "declined", because, endedAt: at });
      return undefined;
    }
    for (const { delivery } of left) {
      const attempts = delivery.attempts + 1;
      tx.moveDelivery(
        delivery.id,
        { at, state: "delivering", ...BY_TURN },
        { ...BY_TURN, attempts, hold: null },
      );
    }
    const running: Turn = { ...standing, state: "running" };
    tx.putTurn(running);
    return running;
  });
  tell(ground, items);
  return begun;
}

/** The answer is on disk before anybody gets it. */
export async function answered(
  ground: Ground,
  turn: Turn,
  seat: Seat,
  items: readonly Item[],
  said: { readonly prompt: string; readonly folder: string },
  outcome: Extract<TurnOutcome, { kind: "answered" }>,
): Promise<Turn> {
  const { store, clock } = ground.context;
  const answering: Turn = {
    ...turn,
    state: "answering",
    answer: outcome.answer,
    ...costOf(turn, outcome),
  };
  await store.write((tx) => {
    const at = clock.now();
    tx.putTurn(answering);
    for (const { delivery } of items) {
      const now = tx.findDelivery(delivery.id);
      if (now?.state !== "delivering") continue;
      const proven = { ...BY_TURN, evidence: "submitted" } as const;
      tx.moveDelivery(now.id, { at, state: "delivered", ...proven }, { ...proven, release: "by-rule" });
      tx.moveDelivery(now.id, { at, state: "read", note: "its turn has ended" });
    }
    // In a terminal it may have gone on by now.
    if (ground.directory.get(seat.session.id) === undefined)
      keepConversation(tx, seat, said.folder, outcome.conversation, at);
    const about = {
      sessionId: turn.sessionId,
      turnId: turn.id,
      messages: items.map(({ message }) => message.id),
    };
    tx.logTurn({ ...about, at: turn.startedAt, kind: "auto-turn", text: said.prompt });
    tx.logTurn({ ...about, at, kind: "auto-turn-result", text: outcome.answer });
  });
  tell(ground, items);
  return answering;
}

/** The next turn, or a terminal, goes on with it. */
function keepConversation(
  tx: StoreWriter,
  { session, autoRun }: Seat,
  folder: string,
  conversation: string | undefined,
  at: Instant,
): void {
  const now = tx.session(session.id);
  if (now === undefined) return;
  const known = conversation === undefined ? {} : { program: autoRun.runner, programSessionId: conversation };
  tx.putSession({ ...now, ...known, folder: now.folder ?? folder, lastActiveAt: at });
}

/** The program no longer knows its conversation: the next turn begins a new one. */
export async function forgetConversation(ground: Ground, { session }: Seat): Promise<void> {
  await ground.context.store.write((tx) => {
    const now = tx.session(session.id);
    if (now === undefined) return;
    const { programSessionId: _gone, ...rest } = now;
    tx.putSession(rest);
  });
}

/** `refused`: why somebody did not get its answer. */
export async function done(ground: Ground, turn: Turn, refused: readonly string[]): Promise<void> {
  const { store, clock } = ground.context;
  const error = refused.length === 0 ? {} : { error: refused.join("; ") };
  await store.write((tx) => tx.putTurn({ ...turn, state: "done", endedAt: clock.now(), ...error }));
}

/** Those who wrote know that it failed. */
export async function told(ground: Ground, turn: Turn): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => tx.putTurn({ ...turn, state: "failed", endedAt: clock.now() }));
}

/** It ran, and failed: nobody knows what it did, so it is not simply run again. */
export async function failed(
  ground: Ground,
  turn: Turn,
  items: readonly Item[],
  why: string,
  outcome: TurnOutcome,
): Promise<Turn> {
  const { store, clock } = ground.context;
  const telling: Turn = { ...turn, state: "telling", error: why, ...costOf(turn, outcome) };
  await store.write((tx) => {
    const at = clock.now();
    tx.putTurn(telling);
    for (const { delivery } of items) {
      if (tx.findDelivery(delivery.id)?.state === "delivering")
        tx.moveDelivery(delivery.id, { at, state: "failed", note: `its turn failed: ${why}` });
    }
  });
  tell(ground, items);
  return telling;
}

/** What a turn takes down with it is not tried for ever. */
const MOST_INTERRUPTED = 3;

interface GivenBack {
  /** Set if something was to go at most once: its sender has to learn that it went perhaps, and goes no more. */
  readonly telling?: Turn;
  /** Interrupted too often: only a person lets them go again. */
  readonly withheld: readonly Item[];
}

/** Its messages wait again. `perhapsDone`: it ran, so the next one is marked. */
export async function givenBack(
  ground: Ground,
  turn: Turn,
  items: readonly Item[],
  how: {
    readonly state: "failed" | "interrupted" | "stopped";
    readonly why: string;
    readonly perhapsDone: boolean;
  },
  outcome?: TurnOutcome,
): Promise<GivenBack> {
  const { store, clock } = ground.context;
  const cost = outcome === undefined ? {} : costOf(turn, outcome);
  const ended = { ...turn, error: how.why, ...cost };
  const given = await store.write((tx): GivenBack => {
    const at = clock.now();
    const under = items.flatMap((item) => {
      const now = tx.findDelivery(item.delivery.id);
      return now?.state === "delivering" ? [{ item, now }] : [];
    });
    const isLost = ({ now }: (typeof under)[number]) => how.perhapsDone && now.atMostOnce;
    const isTooOften = ({ now }: (typeof under)[number]) =>
      how.state === "interrupted" && how.perhapsDone && now.attempts >= MOST_INTERRUPTED;
    for (const one of under) {
      if (isLost(one)) {
        const note = `${how.why}, and it was to go at most once`;
        tx.moveDelivery(one.now.id, { at, state: "failed", note });
      } else giveBack(tx, one.now, how, isTooOften(one) ? nameOf(ground, one.item) : undefined, at);
    }
    const telling: Turn = { ...ended, state: "telling" };
    const isTold = under.some(isLost);
    tx.putTurn(isTold ? telling : { ...ended, state: how.state, endedAt: at });
    const withheld = under.filter((one) => !isLost(one) && isTooOften(one)).map(({ item }) => item);
    return { withheld, ...(isTold ? { telling } : {}) };
  });
  tell(ground, items);
  return given;
}

function giveBack(
  tx: StoreWriter,
  now: Delivery,
  { why, perhapsDone }: { readonly why: string; readonly perhapsDone: boolean },
  withheldAs: string | undefined,
  at: Instant,
): void {
  const note = perhapsDone ? `${why}: it goes into another turn, marked` : `nothing was run: ${why}`;
  if (withheldAs !== undefined) {
    const release = `it was interrupted ${now.attempts} times: bellhop queue now ${withheldAs}`;
    const hold = heldFor(now, "turn", release, at);
    const patch = { possibleDuplicate: true, release: "withheld", hold } as const;
    tx.moveDelivery(now.id, { at, state: "queued", note: why }, patch);
    return;
  }
  const hold = heldFor(now, "turn", why, at);
  // Somebody asked for one turn, not for one after the other.
  const patch = perhapsDone
    ? ({ possibleDuplicate: true, release: "by-rule" } as const)
    : { attempts: now.attempts - 1 };
  tx.moveDelivery(now.id, { at, state: "queued", note }, { hold, ...patch });
}

function costOf(turn: Turn, outcome: TurnOutcome): Pick<Turn, "usd" | "tokensIn" | "tokensOut"> {
  if (outcome.kind === "not-started") return {};
  const { usd, tokensIn, tokensOut } = outcome;
  const total = usd === undefined && turn.usd === undefined ? undefined : (usd ?? 0) + (turn.usd ?? 0);
  return present({ usd: total, tokensIn, tokensOut });
}

export function itemsOf({ context }: Ground, ids: readonly DeliveryId[]): readonly Item[] {
  const { read } = context.store;
  return ids.flatMap((id) => {
    const delivery = read.findDelivery(id);
    const message = delivery === undefined ? undefined : read.message(delivery.messageId);
    return delivery === undefined || message === undefined ? [] : [{ delivery, message }];
  });
}

function tell({ states }: Ground, items: readonly Item[]): void {
  states.changed(items.map(({ message }) => message.id));
}
