import type { ListedElsewhere, ListedHosts, ListedSession } from "../../wire/shapes/sessions.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { sessions } from "../../wire/verbs/sessions.ts";
import type { UseCaseParts } from "./parts.ts";

export function sessionVerbs(parts: UseCaseParts): UseCasesOf<typeof sessions> {
  const { directory, registrar, queries, looking, attention } = parts;
  return {
    ls: async ({ all, allHosts }) => {
      await registrar.scan();
      const looks = await Promise.all(directory.all().map((session) => session.look()));
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
