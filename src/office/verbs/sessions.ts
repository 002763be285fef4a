import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { sessions } from "../../wire/verbs/sessions.ts";
import type { UseCaseParts } from "./parts.ts";

export function sessionVerbs(parts: UseCaseParts): UseCasesOf<typeof sessions> {
  const { directory, registrar, queries, looking, attention } = parts;
  return {
    ls: async ({ all }) => {
      await registrar.scan();
      const looks = await Promise.all(directory.all().map((session) => session.look()));
      // Its terminal did not report the end.
      if (looks.some(({ hasEnded }) => hasEnded === true)) await registrar.scan("thoroughly");
      const ended = all === true ? await looking.ended() : [];
      return { sessions: [...queries.sessions(), ...ended], ...attention.wants() };
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
    transcript: (request) => looking.transcript(request),
  };
}
