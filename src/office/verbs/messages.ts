import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { messages } from "../../wire/verbs/messages.ts";
import { reply, send } from "../sending/sending.ts";
import { waitForState, waitForVerdict } from "../sending/waiting.ts";
import type { UseCaseParts } from "./parts.ts";

export function messageVerbs(parts: UseCaseParts): UseCasesOf<typeof messages> {
  const { queries, history, filing, directory } = parts;
  return {
    send: (request) => send(parts, request),
    reply: (request) => reply(parts, request),
    wait: async ({ id, state, timeoutMs }) => waitForState(parts, queries.message(id), state, timeoutMs),
    answer: (request) => parts.asking.answer(request),
    verdict: async ({ id, timeoutMs }) => {
      const message = queries.message(id);
      await waitForVerdict(parts, message.id, timeoutMs);
      return queries.show(message.id);
    },
    show: async ({ id }) => {
      await filing.makeSure(queries.message(id));
      return queries.show(id);
    },
    explain: async ({ id }) => queries.explain(id),
    read: async ({ id, claims }) => {
      const message = queries.message(id);
      await filing.makeSure(message);
      const { address, sessionId } = directory.sender(claims, undefined);
      await parts.openings.readBy({ address, sessionId }, message.id);
      await parts.mailboxes.read(message.id, address);
      return { message: queries.shown(message) };
    },
    history: async (request) => ({ entries: history.newest(request) }),
    timeline: async (request) => history.timeline(request),
    export: async (request) => history.exported(request),
  };
}
