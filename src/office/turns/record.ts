/** Writes down what becomes of a turn and of the messages in it. Each function is one transaction; none runs anything. */
import type { Delivery, DeliveryId, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { BudgetVerdict } from "../../core/turns/budget.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { TurnOutcome } from "../../ports/runner.ts";
import type { Item, StoreWriter } from "../../ports/store.ts";
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
      if (now?.state !== "queued") continue;
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
      tx.putTurn({ ...standing, state: "declined", because: "nothing was left to do", endedAt: at });
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

export async function done(ground: Ground, turn: Turn): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => tx.putTurn({ ...turn, state: "done", endedAt: clock.now() }));
}

/** It ran, and failed: nobody knows what it did, so it is not simply run again. */
export async function failed(
  ground: Ground,
  turn: Turn,
  items: readonly Item[],
  why: string,
  outcome: TurnOutcome,
): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => {
    const at = clock.now();
    tx.putTurn({ ...turn, state: "failed", error: why, endedAt: at, ...costOf(turn, outcome) });
    for (const { delivery } of items) {
      if (tx.findDelivery(delivery.id)?.state === "delivering")
        tx.moveDelivery(delivery.id, { at, state: "failed", note: `its turn failed: ${why}` });
    }
  });
  tell(ground, items);
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
): Promise<void> {
  const { store, clock } = ground.context;
  await store.write((tx) => {
    const at = clock.now();
    const cost = outcome === undefined ? {} : costOf(turn, outcome);
    tx.putTurn({ ...turn, state: how.state, error: how.why, endedAt: at, ...cost });
    for (const { delivery } of items) {
      const now = tx.findDelivery(delivery.id);
      if (now?.state === "delivering") giveBack(tx, now, how, at);
    }
  });
  tell(ground, items);
}

function giveBack(
  tx: StoreWriter,
  now: Delivery,
  { why, perhapsDone }: { readonly why: string; readonly perhapsDone: boolean },
  at: Instant,
): void {
  if (perhapsDone && now.atMostOnce) {
    tx.moveDelivery(now.id, { at, state: "failed", note: `${why}, and it was to go at most once` });
    return;
  }
  const note = perhapsDone ? `${why}: it goes into another turn, marked` : `nothing was run: ${why}`;
  const hold = heldFor(now, "turn", why, at);
  const patch = perhapsDone ? { possibleDuplicate: true } : { attempts: now.attempts - 1 };
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
