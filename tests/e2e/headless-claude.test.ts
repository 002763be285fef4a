/** Automatic turns of the real Claude Code, through the daemon's own doors. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { courseOf } from "./codex-desk.ts";
import { HeadlessDay, NO_TRIAGE, PERSON } from "./headless-day.ts";

beforeAll(assertInNamespace);

let day: HeadlessDay;
afterAll(() => day?.end());
beforeAll(async () => {
  day = await HeadlessDay.begin("claude", {
    picky: {},
    steady: { ...NO_TRIAGE, debounce_ms: 3_600_000 },
    busy: NO_TRIAGE,
  });
});

describe("what the small model says", () => {
  it("decides about a turn, and is written down", async () => {
    day.judges("plant", { say: "NO\nNobody asks anything." });
    const idle = await day.send("picky", "The plants are green. [[say NEVER]]");
    expect(await day.turnAbout("picky", idle)).toMatchObject({
      state: "declined",
      verdict: "no",
      because: "Nobody asks anything.",
      usd: expect.any(Number),
    });
    expect(await day.delivery(idle)).toMatchObject({
      state: "delivered",
      transport: "headless",
      evidence: "accepted",
    });
    expect((await day.bellhop.run(["show", idle.shortId])).stdout).toContain(
      "no turn: Nobody asks anything.",
    );
    expect(day.requestsOf("picky")).toEqual([]);
    expect(await day.answersTo(idle)).toEqual([]);

    const asked = await day.send("picky", "Remember the plum. [[say NOTED]]");
    const turn = await day.turnAbout("picky", asked);
    expect(turn).toMatchObject({
      state: "done",
      verdict: "yes",
      because: "Somebody asks.",
      answer: "NOTED",
      tokensIn: 10,
      tokensOut: 5,
    });
    expect(turn.usd).toBeGreaterThan(0);
    const delivery = await day.delivery(asked);
    expect(delivery).toMatchObject({ state: "replied", transport: "headless", evidence: "submitted" });
    expect(courseOf(delivery)).toEqual(["queued", "delivering", "delivered", "read", "replied"]);
    expect(await day.answersTo(asked)).toMatchObject([
      { from: "agent/picky", to: PERSON, source: "agent", body: "NOTED" },
    ]);
  });

  it("is not needed for those inside: the turn runs, in the same conversation", async () => {
    day.judges("peach", { say: "Perhaps." });
    day.judges("pear", { errorStatus: 500 });
    const nonsense = await day.send("picky", "A peach? [[say PEACH]]");
    expect(await day.turnAbout("picky", nonsense)).toMatchObject({
      state: "done",
      verdict: "yes",
      because: "triage failed: its answer was neither YES nor NO",
      answer: "PEACH",
    });
    const failing = await day.send("picky", "A pear? [[say PEAR]]");
    const turn = await day.turnAbout("picky", failing);
    expect(turn).toMatchObject({ state: "done", answer: "PEAR" });
    expect(turn.because).toMatch(/^triage failed: .*scripted error/u);
    const body = JSON.stringify((await day.requestAbout(failing)).body);
    expect(body).toMatch(/Remember the plum\..*NOTED.*A peach\?.*PEACH.*A pear\?/u);
    expect(body).not.toContain("plants are green");
  });
});
