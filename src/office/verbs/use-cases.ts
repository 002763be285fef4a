/** The use-cases behind every door: thin, one per verb. They check who and what, and call the office. */
import { agentAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Delivery, Message } from "../../core/message.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { AddressedDelivery, SendResponse } from "../../wire/shapes/messages.ts";
import type { RequestOf, UseCases } from "../../wire/verbs/index.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import { answerAddress } from "../accept/answering.ts";
import { requireName } from "../arrivals/agents.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import { submit } from "../sending/submitting.ts";
import { waitForState, waitForVerdict } from "../sending/waiting.ts";
import { reportedEvent } from "../signals/reports.ts";
import { diagnose } from "../views/diagnosis.ts";
import { sentDelivery } from "../views/shown.ts";
import { brokerUseCases } from "./broker-use-cases.ts";
import type { UseCaseParts } from "./parts.ts";

export function useCases(parts: UseCaseParts): UseCases {
  const { directory, queries, changes, drafts, registrar, couriers, context } = parts;
  return {
    send: (request) => send(parts, request),
    reply: async ({ id, ...request }) => {
      const answers = queries.message(id);
      return send(parts, { ...request, to: answerAddress(answers, directory) }, answers);
    },
    wait: async ({ id, state, timeoutMs }) => {
      const message = queries.message(id);
      const { timedOut, ...response } = await waitForState(parts, message.id, state, timeoutMs);
      if (timedOut && !response.reached) {
        throw new BellhopError("wait.timed_out", {
          message: `#${message.shortId} is ${response.state}, not yet ${state}.`,
          next:
            response.state === "queued"
              ? `It is not lost: see why it waits with "bellhop explain ${message.shortId}".`
              : `See what became of it with "bellhop show ${message.shortId}".`,
        });
      }
      return response;
    },
    answer: (request) => parts.asking.answer(request),
    verdict: async ({ id, timeoutMs }) => {
      const message = queries.message(id);
      await waitForVerdict(parts, message.id, timeoutMs);
      return queries.show(message.id);
    },
    remind: async (request) =>
      parts.reminders.set(
        request,
        request.to === undefined ? undefined : await resolveFresh(parts, request.to),
      ),
    reminders: async ({ who }) => ({
      reminders: parts.reminders.list(who === undefined ? undefined : directory.resolve(who)),
    }),
    reminder_cancel: ({ id }) => parts.reminders.cancel(id),
    session: async ({ who }) => {
      await resolveFresh(parts, who);
      const shown = queries.session(who);
      const exit =
        shown.sessionId === undefined ? undefined : (await parts.hosts.facts(shown.sessionId))?.exit;
      return exit === undefined ? shown : { ...shown, exit };
    },
    run: async (request) => {
      const { sessionId, source } = directory.sender(request.claims, undefined);
      return parts.sessions.run(request, { parent: sessionId, startedBy: source });
    },
    spawn: (request) => parts.children.spawn(request),
    attach: ({ who }) => parts.sessions.attach(who),
    session_stop: ({ who, graceMs }) => parts.sessions.stop(who, graceMs),
    restart: (request) => parts.sessions.restart(request),
    history: async (request) => ({ entries: parts.history.newest(request) }),
    ...brokerUseCases(parts),
    show: async ({ id }) => {
      await parts.filing.makeSure(queries.message(id));
      return queries.show(id);
    },
    explain: async ({ id }) => queries.explain(id),
    read: (request) => read(parts, request),
    ls: async ({ all }) => {
      await registrar.scan();
      await Promise.all(directory.all().map((session) => session.glance()));
      const ended = all === true ? await parts.looking.ended() : [];
      return { sessions: [...queries.sessions(), ...ended], ...parts.attention.wants() };
    },
    watch: async (request) => {
      await resolveFresh(parts, request.who);
      return parts.watches.set(request);
    },
    unwatch: async ({ who, claims }) => ({ ended: await parts.watches.end(who, claims) }),
    watches: async ({ claims }) => ({ watches: parts.watches.list(claims) }),
    attention: async () => {
      await Promise.all(directory.all().map((session) => session.glance()));
      return { attention: parts.attention.list(), mail: parts.attention.mail() };
    },
    queue: async ({ who }) => queries.queue(who),
    queue_change: async (request) => {
      const delivery = await changes.change(request);
      couriers.wake(delivery.to);
      return { deliveries: [sentDelivery(delivery)] };
    },
    queue_clear: async ({ who }) => {
      const { address, mailboxes } = parts.mailboxes.named(who);
      return { who: address, deliveries: (await changes.clear(mailboxes)).map(sentDelivery) };
    },
    pause: async ({ who, paused }) => {
      const agent = await changes.pause(who, paused);
      couriers.wakeAll();
      return { agent, paused };
    },
    draft_show: async ({ who }) => {
      const sessionIds = directory
        .aliases(directory.resolve(who))
        .map((address) => splitAddress(address).rest);
      const kept = context.store.read
        .keptDrafts({})
        .filter(({ sessionId, state }) => sessionIds.includes(sessionId) && state !== "restored");
      return { drafts: kept.map((draft) => queries.draft(draft)) };
    },
    draft_restore: async ({ who }) => ({
      draft: queries.draft(await drafts.restoreForPerson(directory.resolveLive(who))),
    }),
    name: ({ who, name, claims }) => rename(parts, who, name, claims),
    agent_add: async ({ name }) => {
      await parts.agents.add(name);
      return queries.agent(name);
    },
    agent_list: async () => ({ agents: queries.agents() }),
    agent_show: async ({ name }) => queries.agent(name),
    agent_remove: ({ name, force }) => removeAgent(parts, name, force ?? false),
    transcript: (request) => parts.looking.transcript(request),
    peek: (request) => parts.looking.peek(request),
    diagnose: async () => ({
      sessions: await diagnose(parts),
      servers: [...registrar.serverStates].map(([name, state]) => ({ name, state })),
    }),
    status: async () => parts.status(),
    hook_event: async (request) => parts.signals.receive(reportedEvent(parts, request)),
    stop: async () => {
      parts.stop();
      return { stopping: true };
    },
  };
}

async function send(parts: UseCaseParts, request: SendRequest, explicit?: Message): Promise<SendResponse> {
  const to = await resolveFresh(parts, request.to);
  const { claims, from, channel } = request;
  const sender =
    channel === undefined
      ? parts.directory.sender(claims, from)
      : parts.directory.bringer(claims, from, channel);
  refuseNamesake(parts, request.to, to, sender);
  if (request.asks === true) parts.asking.refuseInVain(to, sender);
  const accepted = await submit(parts, request, to, sender, explicit);
  const { message, deliveries, unmatched, reason } = accepted;
  const { kind, rest } = splitAddress(to);
  const successor = kind === "agent" ? parts.successors.likely(rest) : undefined;
  return {
    messageId: message.id,
    shortId: message.shortId,
    unmatched,
    ...(reason === undefined ? {} : { reason }),
    ...(unmatched ? meantBy(to, parts) : {}),
    deliveries: deliveries.map((delivery) => ({ ...sentDelivery(delivery), ...agentOf(delivery, parts) })),
    ...(successor === undefined ? {} : { successor }),
    ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
    ...(message.bound === undefined ? {} : { bound: message.bound }),
  };
}

/** An address of a session says nothing to a person. */
function agentOf({ to }: Delivery, { context }: UseCaseParts): Pick<AddressedDelivery, "agent"> {
  const { kind, rest } = splitAddress(to);
  const agent = kind === "session" ? context.store.read.session(rest)?.agent : undefined;
  return agent === undefined ? {} : { agent };
}

/** A path with an agent's name in it is a dead letter where a bare name is refused. */
function meantBy(to: Address, { directory }: UseCaseParts): Pick<SendResponse, "meant"> {
  const { kind, rest } = splitAddress(to);
  const name = kind === "agent" ? nearest(rest, directory.names()) : undefined;
  return name === undefined ? {} : { meant: agentAddress(name) };
}

/** An agent that writes to whom it works for must not reach an agent that happens to have that name. */
function refuseNamesake(
  { context }: UseCaseParts,
  who: string,
  to: Address,
  { source }: SenderIdentity,
): void {
  const { rest } = splitAddress(context.owner);
  if (source !== "agent" || who !== rest || splitAddress(to).kind !== "agent") return;
  throw new BellhopError("recipient.ambiguous", {
    message: `"${who}" could be any of: ${to}, ${context.owner}.`,
    next: "Use one of these.",
    candidates: [to, context.owner],
  });
}

/** A name nobody has yet may belong to a program that started a moment ago: look once before saying no. */
async function resolveFresh(parts: UseCaseParts, who: string) {
  try {
    return parts.directory.resolve(who);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "recipient.unknown") throw error;
    await parts.registrar.scan();
    return parts.directory.resolve(who);
  }
}

/** A person's mailbox is emptied when they read it, and an agent that was sent a file has read it; nobody else changes anything. */
async function read(parts: UseCaseParts, { id, claims }: RequestOf<"read">) {
  const { context, queries, states, directory } = parts;
  const message = queries.message(id);
  await parts.filing.makeSure(message);
  const { address: reader, sessionId } = directory.sender(claims, undefined);
  await parts.openings.readBy({ address: reader, sessionId }, message.id);
  const waiting = (tx: StoreReader) =>
    tx
      .deliveriesOf(message.id)
      .filter(({ to, state }) => to === reader && splitAddress(to).kind === "person" && state === "queued");
  if (waiting(context.store.read).length > 0) {
    await context.store.write((tx) => {
      // Somebody may have cancelled it, or taken it by another door, a moment ago.
      for (const { id } of waiting(tx)) {
        const proof = { transport: "receive", evidence: "accepted" } as const;
        const receipt = { at: context.clock.now(), ...proof, note: `read by ${reader}` };
        tx.moveDelivery(id, { ...receipt, state: "read" }, { ...proof, hold: null });
      }
    });
    states.changed([message.id]);
  }
  return { message: queries.shown(message) };
}

async function rename(
  parts: UseCaseParts,
  who: string | undefined,
  name: string,
  claims: SendRequest["claims"],
) {
  const { directory, names, couriers } = parts;
  requireName(name);
  const meant = who === undefined || who === "" ? directory.ownSession(claims)?.id : who;
  if (meant === undefined) {
    throw new BellhopError("usage.invalid", {
      message: "This terminal has no session of its own.",
      next: `Say whom you mean: bellhop name WHO ${name}.`,
    });
  }
  const session = directory.resolveLive(meant);
  if (session.record.agent !== name && directory.takerOf(name) !== undefined) {
    throw new BellhopError("agent.exists", {
      message: `Another running agent is called "${name}".`,
      next: "Choose another name, or rename that one first.",
    });
  }
  await names.choose(session, name);
  couriers.wakeAll();
  return { agent: name, sessionId: session.record.id };
}

async function removeAgent(parts: UseCaseParts, name: string, force: boolean) {
  const { queries, directory } = parts;
  const agent = queries.agent(name);
  if (directory.takerOf(agent.name) !== undefined) {
    throw new BellhopError("agent.busy", {
      message: `"${agent.name}" is running.`,
      next: "End its program first.",
    });
  }
  const removed = await parts.agents.remove(agent.name, force ? "with-what-waits" : "only-if-empty");
  return { name: agent.name, ...removed };
}
