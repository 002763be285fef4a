import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationId, headline, ofShownConversation } from "./session.ts";

const all = {
  chosenName: "coder",
  title: "Fix the parser",
  lastPrompt: "please fix",
  branch: "main",
  id: "08bc57cf",
};

describe("headline", () => {
  it("takes the first of name, title, last prompt, branch and id that says anything", () => {
    expect(headline(all)).toBe("coder");
    expect(headline({ ...all, chosenName: undefined })).toBe("Fix the parser");
    expect(headline({ ...all, chosenName: undefined, title: " " })).toBe("please fix");
    expect(headline({ ...all, chosenName: "", title: "", lastPrompt: "\n\t" })).toBe("main");
    expect(headline({ id: "08bc57cf", branch: "" })).toBe("08bc57cf");
  });

  it("shows 80 characters of a prompt on one line, cut between characters", () => {
    const text = headline({ id: "x", lastPrompt: `fix\n\n  the ${"👍".repeat(100)}` });
    expect(text).toBe(`fix the ${"👍".repeat(72)}`);
    expect([...text]).toHaveLength(80);
  });

  it("is never empty", () => {
    const facts = fc.record({
      chosenName: fc.option(fc.string(), { nil: undefined }),
      title: fc.option(fc.string(), { nil: undefined }),
      lastPrompt: fc.option(fc.string(), { nil: undefined }),
      branch: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(fc.property(facts, (known) => headline({ ...known, id: "08bc57cf" }).trim() !== ""));
  });
});

describe("a program's own id of a conversation", () => {
  it.each(["6cce22fe-862e-4280-a0ec-b72ee3e435eb", "ses_6f1Ab", "talk.2", "x", "x".repeat(128)])(
    "is %s",
    (id) => {
      expect(conversationId(id)).toBe(id);
    },
  );

  it.each(["", "-r", "--resume", "a\0", "a\n", "a b", "a/b", ".a", "é", "x".repeat(129), undefined])(
    "is not %j",
    (id) => {
      expect(conversationId(id)).toBeUndefined();
    },
  );
});

it("what was reported of a conversation that the window has left says nothing of the one that it shows", () => {
  const [here, left, anywhere] = [{ conversation: "ses_1" }, { conversation: "ses_2" }, {}];
  const reports = [here, left, anywhere];
  expect(ofShownConversation(reports, { programSessionId: "ses_1" })).toEqual([here, anywhere]);
  for (const unknown of [undefined, {}]) expect(ofShownConversation(reports, unknown)).toEqual(reports);
});
