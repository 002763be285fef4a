import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe("Claude Code by its own inbox", () => {
  let stage: Stage;
  let coder: RunningAgent;
  let typist: Typist;
  let reviewerId: string;

  beforeAll(async () => {
    stage = await Stage.set({ config: `${SCRIPTED_PROFILE}delivery: { input_poll_interval: 0.5 }` });
    await startScriptedAgent({ tmux: stage.tmux, name: "reviewer" });
    coder = await stage.enter("coder", { settings: { permissions: { allow: ["Bash(sleep:*)"] } } });
    typist = await stage.typist(coder);
    reviewerId = (await stage.session("reviewer"))?.id ?? "";
  });
  afterAll(() => stage?.strike());

  const sendAsReviewer = (body: string, more = {}) =>
    stage.send("coder", body, { claims: { user: PERSON, session: reviewerId }, ...more });

  const whole = (shortId: string, body: string) =>
    `[message from: reviewer (${reviewerId}) #${shortId}]\n${body}\n— from session ${reviewerId}. To reply: bellhop send ${reviewerId} "<your reply>"`;

  it("hands a message of another agent to an idle one", async () => {
    const started = Date.now();
    const sent = await sendAsReviewer("The tests are green; 四つ 🙂.\nTwo lines\n\n# and a head");
    const prompt = await stage.arrives(sent);
    expect(prompt).toContain(whole(sent.shortId, "The tests are green; 四つ 🙂.\nTwo lines\n\n# and a head"));
    const delivered = await stage.reaches(sent, "delivered");
    expect(delivered).toMatchObject({ transport: "native", evidence: "submitted", attempts: 1 });
    console.log(
      "send→delivered",
      (delivered.receipts.find((r) => r.state === "delivered")?.at ?? 0) - started,
    );
    const read = await stage.reaches(sent, "read");
    expect(read.receipts.map(({ state }) => state)).toEqual(["queued", "delivering", "delivered", "read"]);
  });
});
