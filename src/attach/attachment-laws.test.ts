import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { around, idleHost, key, prefix, QUEUED, reads, state, text } from "../../tests/attach-events.ts";
import { step } from "./attachment.ts";
import { type Event, firstAttachment } from "./attachment-state.ts";

describe("an attached person who presses anything", () => {
  it("sends keys to the program in passthrough only, and never loses a text they submitted", () => {
    const press = fc.oneof(
      fc.constantFrom("Enter", "Escape", "Tab", "Up", "Down", "C-\\", "C-u", "PageUp").map(key),
      fc.constantFrom("p", "d", "[", "?", "q", "g", "hello", "…").map(text),
      fc.constant(prefix),
      fc.constantFrom<Event>(
        state({}),
        state({ passthrough: 1 }),
        state({ passthrough: 2 }),
        { kind: "told", told: { type: "refused", what: "submit", message: "no" } },
        { kind: "told", told: { type: "refused", what: "passthrough", message: "no" } },
        { kind: "unsent", words: "Not sent." },
        QUEUED,
        { kind: "daemon", daemon: { at: "away" } },
        reads("draft"),
        reads("empty"),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(press, { maxLength: 60 }),
        fc.constantFrom("type" as const, "watch" as const),
        (events, may) => {
          let at = firstAttachment(may, idleHost);
          for (const event of events) {
            const before = at;
            const [next, actions] = step(at, event, around());
            at = next;
            for (const action of actions) {
              if (action.kind === "keys") expect(before.mode.at).toBe("passthrough");
              if (may === "watch") expect(action.kind === "scroll" || action.kind === "detach").toBe(true);
            }
            if (
              before.bar.text !== "" &&
              at.bar.text === "" &&
              event.kind === "key" &&
              event.key.kind === "key" &&
              event.key.name === "Enter"
            )
              expect(at.bar.said.at(-1)).toBe(before.bar.text);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
