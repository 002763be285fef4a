import { parsePattern } from "../../core/routing/pattern.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { AutoRunRequest, turns } from "../../wire/verbs/turns.ts";
import type { UseCaseParts } from "./parts.ts";

export function turnVerbs(parts: UseCaseParts): UseCasesOf<typeof turns> {
  return {
    turns: async (request) => parts.turnViews.list(request),
    turn_show: async ({ id }) => parts.turnViews.show(id),
    turn_trigger: (request) => parts.turns.trigger(request),
    turns_switch: ({ on, claims }) =>
      parts.turns.turnSwitch(on, parts.directory.sender(claims, undefined).address),
    auto_run_set: async (request) => {
      checkRules(request.autoRun);
      return parts.turns.say(request);
    },
    auto_run_show: async ({ agent, session }) => parts.turnViews.autoRunOf(agent, session),
    conversation: async (request) => parts.turnViews.conversation(request),
  };
}

/** Refused now, not when the first message comes. */
function checkRules(autoRun: AutoRunRequest["autoRun"]): void {
  if (autoRun === null || typeof autoRun === "boolean") return;
  for (const { path, from } of [...(autoRun.alwaysAccept ?? []), ...(autoRun.alwaysReject ?? [])])
    for (const pattern of [path, from]) if (pattern !== undefined) parsePattern(pattern);
}
