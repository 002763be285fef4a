import type { Clock } from "../../ports/clock.ts";
import type { ListedElsewhere, ListedHosts, ListedSession } from "../../wire/shapes/sessions.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { sessions } from "../../wire/verbs/sessions.ts";
import { pause } from "../base/deadline.ts";
import type { LiveSession, Stood } from "../presence/live-session.ts";
import type { UseCaseParts } from "./parts.ts";

export function sessionVerbs(parts: UseCaseParts): UseCasesOf<typeof sessions> {
  const { directory, registrar, queries, looking, attention, context } = parts;
  return {
    ls: async ({ all, allHosts }) => {
      const [, stood] = await Promise.all([registrar.scan(), whereTheyStand(directory.all(), context.clock)]);
      const looks = await Promise.all(directory.all().map((session) => session.look(stood.get(session))));
      // Its terminal did not report the end.
      if (looks.some(({ hasEnded }) => hasEnded === true)) await registrar.scan("thoroughly");
      const ended = all === true ? await looking.ended() : [];
      const sessions = [...queries.sessions(), ...ended];
      const hosts = allHosts === true ? listedHosts(parts, all === true, sessions) : {};
      return { sessions, ...attention.wants(), ...hosts };
    },
    attention: async () => ({
      attention: await parts.attentionAnswers.list(),
      mail: attention.mail(),
    }),
    attention_answer: (request) => parts.attentionAnswers.answer(request),
    session: async ({ who }) => {
      await parts.registrar.resolve(who);
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
    peek: async (request) =>
      parts.turnViews.screen(request.who, request.lines) ?? (await looking.peek(request)),
    capture: (request) => looking.capture(request),
    transcript: (request) => looking.transcript(request),
  };
}

/** With so many, to ask the system takes as long as tmux takes to list them; so both are done at the same time. */
const MANY = 50;

async function whereTheyStand(
  sessions: readonly LiveSession[],
  clock: Clock,
): Promise<ReadonlyMap<LiveSession, Stood | undefined>> {
  if (sessions.length < MANY) return new Map();
  // Until tmux was asked.
  await pause(clock, 0);
  return new Map(
    await Promise.all(sessions.map(async (session) => [session, await session.stood()] as const)),
  );
}

/** Nothing without a cluster. */
function listedHosts(
  { neighbours, directory, context }: UseCaseParts,
  all: boolean,
  sessions: readonly ListedSession[],
): Partial<ListedHosts> {
  const { current } = neighbours;
  if (current === undefined) return {};
  const { host } = current;
  const elsewhere = current.listed();
  if (!all) return { host, elsewhere: elsewhere.filter(runs) };
  const shown = new Set(sessions.map(({ agent }) => agent));
  const resting = {
    readiness: "offline",
    sessions: [],
    hostState: "up",
    heardAt: context.clock.now(),
  } as const;
  const names = directory.names().filter((agent) => !shown.has(agent));
  return { host, elsewhere, mailboxes: names.map((agent) => ({ host, agent, ...resting })) };
}

function runs({ sessions: running }: ListedElsewhere): boolean {
  return running.length > 0;
}
