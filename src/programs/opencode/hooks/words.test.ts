import { expect, it } from "vitest";
import { opencodeHooks } from "./hooks.ts";

const words = (event: string, payload: Readonly<Record<string, string | boolean>>) =>
  opencodeHooks.words?.(event, payload);

it("says in which of the window's conversations a turn ended or a prompt was read", () => {
  expect(words("Stop", { session_id: "ses_1" })).toMatchObject({ turn: "turn-ended", conversation: "ses_1" });
  expect(words("UserPromptSubmit", { session_id: "ses_1", prompt: "x" })).toMatchObject({
    turn: "prompt-submitted",
    conversation: "ses_1",
  });
});

it("says that the window does not show it", () => {
  const left = { session_id: "ses_1", hidden: true };
  expect(words("Stop", left)).toMatchObject({ turn: "turn-ended", conversation: "ses_1", hidden: true });
  for (const hidden of [false, "true"])
    expect(words("Stop", { session_id: "ses_1", hidden })).not.toHaveProperty("hidden");
});

it("takes nothing else for a conversation, and says none when the window comes to show one that is at work", () => {
  expect(words("Stop", { session_id: "no id at all" })).not.toHaveProperty("conversation");
  expect(words("SessionStart", { session_id: "ses_1", source: "busy" })).toEqual({});
});
