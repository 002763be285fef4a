/**
 * An agent moves to another host when the owner asks for it: first that host is told what the agent takes along; once it
 * has taken that, the agent leaves. Called by its verb. It stops no program, and if the other host does not answer,
 * everything stays as it was. It may have taken the agent in time and be heard late, also after a restart: then the agent
 * leaves as soon as that is heard.
 */
import { agentAddress } from "../../../core/address.ts";
import { type HostName, withHost } from "../../../core/cluster/hosts.ts";
import { carried, type Luggage, MOVE_COMMAND, MOVES, movedWords } from "../../../core/cluster/moving.ts";
import { hostUnknown } from "../../../core/cluster/names.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { AgentName, Delivery, DeliveryId, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { MAIN } from "../../../core/session.ts";
import type { StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { RequestOf, ResponseOf } from "../../../wire/verbs/index.ts";
import type { Ground } from "../../presence/ground.ts";
import { firstFound } from "../../sending/waiting.ts";
import type { Queries } from "../../views/queries.ts";
import { type Leaver, type LeavingParts, type Left, leave, refuseLeaving } from "./leaving.ts";
import { type Answer, answerTo, isGivenUp, mayHaveTaken, movesOf, openMoves } from "./open-moves.ts";
import {
  givenBack,
  goneAlready,
  isDeclared,
  overdue,
  refused,
  silent,
  startedMeanwhile,
  undecided,
} from "./unmoved.ts";

const ANSWERS_WITHIN_MS = 20_000;
/** After it was asked back: a host that is there says what became of it. */
const SETTLES_WITHIN_MS = 5_000;
/** Until then the agent is on both hosts. */
const AFTER_FAILURE_MS = 30_000;

export interface MovingParts extends LeavingParts {
  /** Of the queue. */
  readonly changes: { change(request: RequestOf<"queue_change">): Promise<unknown> };
  readonly queries: Queries;
}

export async function moveAgent(
  parts: MovingParts,
  { name: asked, host, timeoutMs = ANSWERS_WITHIN_MS }: RequestOf<"agent_move">,
): Promise<ResponseOf<"agent_move">> {
  const { read } = parts.context.store;
  const { name, origin } = parts.queries.agent(asked);
  const here = requireOther(parts, name, host);
  if (origin === "declared") throw isDeclared(name, host);
  parts.agents.refuseBusy(name);
  refuseLeaving(parts, name);
  const luggage = luggageOf(read, name);
  const letter =
    takenBefore(parts, name, host) ?? (await announceMove(parts, { name, here, host, luggage, timeoutMs }));
  const left = await leaves(parts, { name, host, letter });
  return { agent: name, host, subscriptions: sizeOf(luggage), ...left };
}

async function leaves(parts: MovingParts, leaver: Leaver): Promise<Left> {
  const { name, host } = leaver;
  try {
    return (await leave(parts, leaver)) ?? { messages: 0, sentOn: 0 };
  } catch (error) {
    if (error instanceof BellhopError && error.code === "agent.busy") throw startedMeanwhile(name, host);
    throw error;
  }
}

/** The letter by which that host has it already: this one did not know, or could not let it go. */
function takenBefore({ context }: Ground, name: AgentName, host: HostName): DeliveryId | undefined {
  const { read } = context.store;
  const agent = read.agent(name);
  const [open] = agent === undefined ? [] : movesOf(read, agent).filter((move) => !isGivenUp(move));
  if (open === undefined) return undefined;
  if (open.answer === undefined) throw undecided(name, open.host, open.delivery.id);
  if (open.host !== host) throw goneAlready(name, open.host);
  return open.delivery.id;
}

/** After a start: moves of which nothing was heard, or that were not ended. */
export function settleMoves(parts: LeavingParts): void {
  for (const { name, host, delivery } of openMoves(parts.context.store.read))
    void settleLate(parts, { name, host }, delivery);
}

/** This host, if the other one is another, and admitted. */
function requireOther({ neighbours }: Ground, name: AgentName, host: HostName): HostName {
  const names = neighbours.current;
  if (names === undefined) throw hostUnknown(host, undefined);
  if (host === names.host) {
    throw new BellhopError("usage.invalid", {
      message: `"${name}" is on ${host}: that is this host.`,
      next: "Name another host.",
    });
  }
  if (!names.isAdmitted(host)) throw hostUnknown(host, names);
  return names.host;
}

interface Move {
  readonly name: AgentName;
  readonly here: HostName;
  readonly host: HostName;
  readonly luggage: Luggage;
  readonly timeoutMs: number;
}

/** Resolves to its letter when the other host has taken it, which it does in time or not at all. If it says no, or nothing, this throws. */
async function announceMove(
  parts: MovingParts,
  { name, here, host, luggage, timeoutMs }: Move,
): Promise<DeliveryId> {
  const { message, deliveries } = await parts.accept.accept(
    {
      to: withHost(agentAddress(name), host),
      sender: { address: MOVES, source: "bellhop" },
      body: movedWords(name, here, luggage),
      form: { kind: "text" },
      priority: "normal",
      command: MOVE_COMMAND,
      payload: carried(luggage),
      timeoutMs,
    },
    { with: (tx, { id }) => begin(tx, name, id) },
  );
  const [delivery] = deliveries;
  if (delivery === undefined) throw hostUnknown(host, parts.neighbours.current);
  const answer =
    (await heard(parts, message.id, delivery.id, timeoutMs)) ?? (await askedBack(parts, delivery));
  if (answer === "taken") return delivery.id;
  if (answer === "in-vain") throw silent(name, host);
  if (answer === "overdue") throw overdue(name, host);
  if (answer === "withdrawn") throw givenBack(name, host);
  if (answer !== undefined) {
    const before = mayHaveTaken(parts.context.store.read, name, host)?.shortId;
    throw refused(name, here, host, { ...answer, ...present({ before }) });
  }
  void settleLate(parts, { name, host }, delivery);
  throw undecided(name, host, delivery.id);
}

/** Those that were given up before still count, if they are heard of. */
function begin(tx: StoreWriter, name: AgentName, message: MessageId): void {
  const agent = tx.agent(name);
  if (agent === undefined) return;
  const before = movesOf(tx, agent).map(({ delivery }) => delivery.id);
  tx.putAgent({ ...agent, moving: [...before, ...tx.deliveriesOf(message).map(({ id }) => id)] });
}

function heard(
  parts: Ground,
  messageId: string,
  id: DeliveryId,
  withinMs: number | undefined,
): Promise<Answer | undefined> {
  return firstFound(parts, messageId, withinMs, () => answerTo(parts.context.store.read, id));
}

/** What became of it, if the other host says so soon. */
async function askedBack(parts: MovingParts, { id, messageId }: Delivery): Promise<Answer | undefined> {
  try {
    await parts.changes.change({ id, change: "cancel" });
  } catch (error) {
    // It has come to an end in this moment.
    if (!(error instanceof BellhopError) || error.code !== "delivery.not_queued") throw error;
  }
  const answer = await heard(parts, messageId, id, SETTLES_WITHIN_MS);
  if (answer === "taken") await keep(parts, id);
  return answer;
}

async function settleLate(
  parts: LeavingParts,
  { name, host }: Pick<Move, "name" | "host">,
  delivery: Delivery,
): Promise<void> {
  const { id, messageId } = delivery;
  const { log, clock } = parts.context;
  try {
    if ((await heard(parts, messageId, id, undefined)) !== "taken") return;
    await keep(parts, id);
    await leave(parts, { name, host, letter: id });
  } catch (cause) {
    log.warn("agent.move_unsettled", { agent: name, host, cause: String(cause) });
    // If its program was started here meanwhile, it leaves with the next start, or when it is moved again.
    if (isOfStore(cause))
      clock.after(AFTER_FAILURE_MS, () => void settleLate(parts, { name, host }, delivery));
  }
}

/** Such as a full disk, which may have room later. */
function isOfStore(cause: unknown): boolean {
  return cause instanceof BellhopError && cause.code.startsWith("store.");
}

/** It is not to be given back any more. */
async function keep({ context }: Ground, id: DeliveryId): Promise<void> {
  await context.store.write((tx) => {
    const letter = tx.sentLetter(id);
    if (letter === undefined) return;
    const { withdrawn, withdrawnAt, dueAt, ...kept } = letter;
    tx.putSentLetter(kept);
  });
}

/** What sessions hear that nobody made by name is for the main one there: their conversations stay here. */
function luggageOf(read: StoreReader, agent: AgentName): Luggage {
  const heard = new Map<string, Set<string>>();
  for (const { id, name = MAIN } of read.sessionsOf(agent))
    for (const { pattern } of read.subscriptionsOf({ kind: "session", sessionId: id }))
      heard.set(name, (heard.get(name) ?? new Set()).add(pattern));
  const own = read.subscriptionsOf({ kind: "agent", agent });
  return {
    subscriptions: own.map(({ pattern }) => pattern),
    sessions: [...heard].map(([name, patterns]) => ({ name, subscriptions: [...patterns] })),
  };
}

function sizeOf({ subscriptions, sessions }: Luggage): number {
  return subscriptions.length + sessions.flatMap((one) => one.subscriptions).length;
}
