import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe("Claude Code by paste, with hooks", () => {
  let stage: Stage;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    stage = await Stage.set({ config: "transports: [paste]\ndelivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }" });
    coder = await stage.enter("coder");
    typist = await stage.typist(coder);
  });
  afterAll(() => stage?.strike());

  it("delivers to an idle agent, exactly, with the submit hook as proof", async () => {
    const started = Date.now();
    const sent = await stage.send("coder", "The tests are green; 四つ 🙂.");
    expect(await stage.arrives(sent)).toBe(`[message from: ${PERSON} #${sent.shortId}] The tests are green; 四つ 🙂.`);
    const delivered = await stage.reaches(sent, "delivered");
    expect(delivered).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 1 });
    console.log("send→delivered", (delivered.receipts.find((r) => r.state === "delivered")?.at ?? 0) - started);
    const read = await stage.reaches(sent, "read");
    expect(read.receipts.map(({ state }) => state)).toEqual(["queued", "delivering", "delivered", "read"]);
    expect(stage.copiesOf(sent)).toBe(1);
  });
});
