import { questionWords, refusalWords } from "../../core/desk/words.ts";
import type { DeskTried } from "../../wire/shapes/outside.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { outside } from "../../wire/verbs/outside.ts";
import type { UseCaseParts } from "./parts.ts";

export function outsideVerbs(parts: UseCaseParts): UseCasesOf<typeof outside> {
  const { bridges, answers, person, paging } = parts;
  return {
    bridges: async () => ({ bridges: bridges.report() }),
    away: async ({ mode }) => {
      if (mode !== undefined) await person.set(mode);
      return { mode: person.mode, ...(await person.presence()), channels: paging.channels() };
    },
    desk_try: async ({ text }): Promise<DeskTried> => {
      const resolved = await answers.attempt(text);
      const { considered } = resolved;
      switch (resolved.kind) {
        case "to":
          return { outcome: "relayed", to: resolved.to, body: resolved.body, rule: resolved.by, considered };
        case "ask":
          return { outcome: "asked", considered, answer: questionWords(resolved.body, resolved.choices) };
        case "refuse":
          return { outcome: "refused", considered, answer: refusalWords(resolved.because, answers.live()) };
        case "classify":
          throw new Error("the classifier was asked and has answered");
      }
    },
  };
}
