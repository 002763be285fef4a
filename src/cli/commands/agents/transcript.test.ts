import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { ShownConversation } from "../../../wire/shapes/sessions.ts";

const SAID: ShownConversation = {
  sessionId: "08bc57cf",
  agent: "coder",
  program: "claude",
  file: "/home/dev/session.jsonl",
  more: false,
  entries: [
    { by: "prompt", text: "run\x1b[2J the tests\n\nplease" },
    { by: "tool", text: "Bash: npm test" },
    { by: "agent", text: "All green.", cut: true },
  ],
};
const show = (said: Partial<ShownConversation>, ...options: readonly string[]) =>
  perform(["transcript", "coder", ...options], {
    answers: { transcript: async () => ({ ...SAID, ...said }) },
  });

describe("bellhop transcript", () => {
  it("prints who said what, made safe for a terminal", async () => {
    expect((await show({})).stdout).toBe(
      "prompt\n  run the tests\n\n  please\ntool\n  Bash: npm test\nanswer\n  All green.\n  … the rest is in /home/dev/session.jsonl\n",
    );
  });

  it("says how to see more, and when nothing was said", async () => {
    expect((await show({ more: true }, "--last", "3")).stderr).toBe(
      "There is more before this: bellhop transcript coder --last 100\n",
    );
    expect((await show({ entries: [] })).stderr).toContain("Nothing has been said yet");
  });

  it("takes a number within its range only, and gives everything with --json", async () => {
    const { asked, stdout } = await show({}, "--json", "-n", "7");
    expect(asked[0]?.request).toEqual({ who: "coder", last: 7 });
    expect(JSON.parse(stdout)).toEqual(SAID);
    for (const wrong of ["0", "1001", "few"]) expect((await show({}, "--last", wrong)).status).toBe(2);
  });
});
