import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { PASTE_CONFIG, urgentBehindTurns } from "./claude-paste.ts";
import { PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe("Claude Code by paste, without hooks", () => {
  let stage: Stage;
  let coder: RunningAgent;

  beforeAll(async () => {
    stage = await Stage.set({ config: PASTE_CONFIG, hooks: "none" });
    coder = await stage.enter("coder");
  });
  afterAll(() => stage?.strike());

  it("goes by the transcript or the screen, and never claims more", async () => {
    const sent = await stage.send("coder", "nobody reports here");
    expect(await stage.arrives(sent)).toBe(`[message from: ${PERSON} #${sent.shortId}] nobody reports here`);
    const delivered = await stage.reaches(sent, "delivered");
    expect(delivered.transport).toBe("paste");
    expect(delivered.evidence).toMatch(/^(?:transcript|screen)$/u);
    expect(stage.copiesOf(sent)).toBe(1);
  });

  it("says that it is read when the turn that was seen has ended, and not before", async () => {
    const sent = await stage.send("coder", "think about it [[slow 6]]");
    const read = await stage.reaches(sent, "read");
    expect(read.receipts.at(-1)).toMatchObject({ state: "read", evidence: "screen" });
    const turn = stage.model.requests.find(({ newPrompts }) =>
      newPrompts.join().includes(`#${sent.shortId}]`),
    );
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
  });

  it("presses nothing right behind a turn that has ended", () => urgentBehindTurns(stage, coder));
});
