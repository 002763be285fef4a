import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";

const stage: Stage = {
  answers: { run: async () => ({ sessionId: "08bc57cf", agent: "coder", terminal: { kind: "pty" } }) },
};

describe("bellhop new", () => {
  it("starts Claude Code, with what stands behind --, and says how to get to it", async () => {
    const plain = await perform(["new", "--name", "coder", "--detach"], stage);
    expect([plain.status, plain.stdout]).toEqual([
      0,
      '"coder" runs as session 08bc57cf. Attach: bellhop attach coder\n',
    ]);
    expect(plain.asked).toMatchObject([{ verb: "run", request: { name: "coder", command: ["claude"] } }]);
    const given = await perform(["new", "--detach", "--", "--model", "opus"], stage);
    expect(given.asked[0]?.request).toMatchObject({ command: ["claude", "--model", "opus"] });
  });
});
