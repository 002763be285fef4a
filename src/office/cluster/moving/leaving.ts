/**
 * An agent that another host has taken leaves this one: its mail goes after it, its reminders are for it there, and nobody
 * has its name here any more. Called by `moving`. What came from a third host goes back to that one, which sends it on:
 * no host speaks for another.
 */
import { agentAddress } from "../../../core/address.ts";
import { type HostName, hostMailbox, withHost } from "../../../core/cluster/hosts.ts";
import { isMove } from "../../../core/cluster/moving.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { AgentName, DeliveryId, MessageId } from "../../../core/message.ts";
import type { Item, StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { ResponseOf } from "../../../wire/verbs/index.ts";
import type { Accept } from "../../accept/accept.ts";
import type { Agents } from "../../arrivals/agents.ts";
import type { Subscriptions } from "../../broker/subscriptions.ts";
import type { Ground } from "../../presence/ground.ts";
import { cameToNothing, copyOf, inPlaceOf } from "./copying.ts";

/** Something may come in while it leaves; what cannot be copied so often cannot be copied. */
const MOST_ROUNDS = 3;

export interface LeavingParts extends Ground {
  readonly accept: Accept;
  readonly agents: Agents;
  readonly subscriptions: Subscriptions;
  released(mailbox: string): void;
}

export type Left = Pick<ResponseOf<"agent_move">, "messages" | "sentOn">;

/** Throws if something waits for it that could not follow. */
export function refuseLeaving({ context, neighbours, directory }: Ground, name: AgentName): void {
  const { read } = context.store;
  const strangers = waitingFor(read, directory, name).flatMap((item) => {
    const from = cameFrom(read, item);
    return from === undefined || neighbours.current?.isAdmitted(from) === true ? [] : [from];
  });
  const [host] = strangers;
  if (host === undefined) return;
  const count = strangers.filter((one) => one === host).length;
  const are = count === 1 ? "1 message that waits" : `${count} messages that wait`;
  throw new BellhopError("agent.busy", {
    message: `${are} for "${name}" came from ${host}, which is not admitted here any more and cannot send them on.`,
    next: `Take them first: "bellhop inbox ${name} --take". Or admit ${host} again.`,
  });
}

/** An agent, and the letter with which it moved to that host. */
export interface Leaver {
  readonly name: AgentName;
  readonly host: HostName;
  readonly letter: DeliveryId;
}

/** Another agent may have its name by now, or it was away and came back. */
function isStillHere(read: StoreReader, { name, letter }: Leaver): boolean {
  return read.agent(name)?.moving?.includes(letter) === true;
}

/** The other host has taken it. Undefined: it has left before. */
export async function leave(parts: LeavingParts, leaver: Leaver): Promise<Left | undefined> {
  let copied = 0;
  for (let round = 1; ; round += 1) {
    if (!isStillHere(parts.context.store.read, leaver)) return undefined;
    // Begun in one moment, so that all go in one transaction, in their order.
    const copies = copyAll(parts, leaver);
    const going = follow(parts, leaver, round < MOST_ROUNDS ? "waits" : "fails");
    copied += (await Promise.allSettled(copies)).filter(({ status }) => status === "fulfilled").length;
    const left = await going;
    if (left === "gone") return undefined;
    if (left !== "not-yet") return { ...left, messages: left.messages + copied };
  }
}

function waitingFor(read: StoreReader, directory: Ground["directory"], name: AgentName): readonly Item[] {
  return read.deliveries({ mailboxes: directory.aliases(agentAddress(name)), states: ["queued"] });
}

function cameFrom(read: StoreReader, { message }: Item): HostName | undefined {
  return read.takenAs(message.id)?.host;
}

/**
 * `same`: it goes as the message that it is. `copy`: it was said to a path or to a session, which mean others there; or
 * it was on another host before, where it would count as known. `back`: its host sends it on. `spent`: nobody needs it,
 * because one of the sessions has it too, because the agent hears it there, or because it says that the agent moved here.
 */
type Way = "same" | "copy" | "back" | "spent";

function wayOf(read: StoreReader, item: Item, leaver: Leaver): Way {
  const { name } = leaver;
  const from = cameFrom(read, item);
  const { delivery, message } = item;
  if (delivery.handledBy !== undefined || (from !== undefined && isMove(from, message))) return "spent";
  if (from !== undefined) return "back";
  if (heardThere(read, item, leaver) === "surely") return "spent";
  const isDirect = message.to === agentAddress(name) && read.sentLetter(delivery.id) === undefined;
  return isDirect ? "same" : "copy";
}

/**
 * What was said to a path after the agent began to move goes to that host, too, if anybody there hears it. It comes there
 * after the agent, which hears it; unless it overtook the letter of the move, or that had to go again.
 */
function heardThere(
  read: StoreReader,
  { delivery, message }: Item,
  leaver: Leaver,
): "surely" | "perhaps" | "no" {
  const move = read.findDelivery(leaver.letter);
  const there = read.deliveriesOf(message.id).find(({ to }) => to === hostMailbox(leaver.host));
  if (move === undefined || there === undefined || delivery.sequence < move.sequence) return "no";
  if (cameToNothing(there)) return "no";
  const isAfter = delivery.priority !== "interrupt" && read.sentLetter(leaver.letter)?.attempts === 1;
  return isAfter ? "surely" : "perhaps";
}

function copyAll(parts: LeavingParts, leaver: Leaver): readonly Promise<unknown>[] {
  const { name, host } = leaver;
  const { store, clock } = parts.context;
  const now = clock.now();
  const to = withHost(agentAddress(name), host);
  return waitingFor(store.read, parts.directory, name)
    .filter((item) => wayOf(store.read, item, leaver) === "copy")
    .map(async (item) => {
      await parts.accept.accept(copyOf(item, to, now), {
        ...{ hops: item.message.hops, only: hostMailbox(host), answersDialog: true, isCopy: true },
        with: (tx, copy) => {
          inPlaceOf(tx, copy, item.delivery, heardThere(tx, item, leaver) !== "no");
          end(tx, item.delivery.id, `its agent moved to ${host}: it goes there as #${copy.shortId}`, now);
        },
      });
      parts.states.changed([item.message.id]);
    });
}

function end(tx: StoreWriter, id: DeliveryId, note: string, at: number): void {
  tx.moveDelivery(id, { at, state: "cancelled", note }, { hold: null });
}

/** In one transaction. `not-yet`: something came in that is to be copied first. */
async function follow(
  parts: LeavingParts,
  leaver: Leaver,
  otherwise: "waits" | "fails",
): Promise<Left | "not-yet" | "gone"> {
  const { name, host } = leaver;
  const { context, subscriptions, states } = parts;
  const touched = new Set<MessageId>();
  const left = await subscriptions.rewriting((tx) => {
    if (!isStillHere(tx, leaver)) return "gone";
    parts.agents.refuseBusy(name);
    const waiting = waitingFor(tx, parts.directory, name).map(
      (item) => [item, wayOf(tx, item, leaver)] as const,
    );
    if (otherwise === "waits" && waiting.some(([, way]) => way === "copy")) return "not-yet";
    for (const [item, way] of waiting) {
      send(tx, item, way, { name, host, at: context.clock.now() });
      touched.add(item.message.id);
    }
    tx.moveReminders(agentAddress(name), withHost(agentAddress(name), host));
    tx.removeAgent(name);
    tx.putDepartedAgent({ name, host, leftAt: context.clock.now() });
    const count = (wanted: Way) => waiting.filter(([, way]) => way === wanted).length;
    return { messages: count("same"), sentOn: count("back") };
  });
  if (typeof left === "string") return left;
  states.changed([...touched]);
  parts.released(hostMailbox(host));
  context.log.info("agent.moved", { agent: name, host, ...left });
  return left;
}

interface Goal {
  readonly name: AgentName;
  readonly host: HostName;
  readonly at: number;
}

function send(tx: StoreWriter, item: Item, way: Way, { name, host, at }: Goal): void {
  const { id } = item.delivery;
  const note = `its agent moved to ${host}`;
  if (way === "spent") end(tx, id, note, at);
  else if (way === "back") goBack(tx, item, name, host, at);
  else if (way === "copy")
    tx.moveDelivery(id, { at, state: "failed", note: `${note}, and it could not follow` }, { hold: null });
  else {
    tx.readdressDelivery(id, hostMailbox(host));
    tx.updateDelivery(id, { hold: null });
    tx.appendReceipt(id, { at, state: "queued", note });
  }
}

/** Its own host is told with the next news. */
function goBack(tx: StoreWriter, item: Item, name: AgentName, host: HostName, at: number): void {
  const letter = tx.takenAs(item.message.id);
  if (letter === undefined) return;
  end(tx, item.delivery.id, `its agent moved to ${host}: ${letter.host} sends it on`, at);
  const moved = [...(letter.moved ?? []), withHost(agentAddress(name), host)];
  tx.putTakenLetter({ ...letter, moved, isOver: false });
}
