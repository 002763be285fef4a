import { describe, expect, it } from "vitest";
import { comesBack } from "./comes-back.ts";
import type { ToldDraft } from "./told.ts";

function draft(id: string, session: string, state: string, keptAt: number): ToldDraft {
  return { id, session_id: session, text: id, exact: true, state, kept_at: keptAt };
}

describe("a kept text that is asked for", () => {
  it("is the newest that is left to the person, of each session", () => {
    const drafts = [
      draft("new", "s1", "left-to-person", 3),
      draft("old", "s1", "left-to-person", 1),
      draft("other", "s2", "left-to-person", 2),
    ];
    expect([...comesBack(drafts)].toSorted()).toEqual(["new", "other"]);
  });

  it("is what Bellhop is about to put back, if there is such a one", () => {
    const drafts = [draft("open", "s1", "kept", 1), draft("left", "s1", "left-to-person", 2)];
    expect([...comesBack(drafts)]).toEqual(["open"]);
  });
});
