import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OpencodeDesk, PATIENCE_MS, PERSON } from "../e2e/opencode-desk.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { showsOpencodePermissionDialog } from "../rig/opencode.ts";
import { versionsOf } from "../rig/programs.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";

beforeAll(assertInNamespace);

const PROVEN = { transport: "native", evidence: "submitted", attempts: 1 };

/** What every version must do: exactly these prompts reach the model, and none of them by a key of ours. */
describe.each(versionsOf("opencode"))("OpenCode %s", (version) => {
  let desk: OpencodeDesk;
  let coder: RunningAgent;
  let typist: Typist;
  let before: number;

  beforeAll(async () => {
    desk = await OpencodeDesk.open();
    coder = await desk.seat("coder", { version, permission: { bash: { "touch *": "ask" } } });
    typist = await desk.typist(coder);
  });
  beforeEach(async () => {
    await desk.untilIdle(coder);
    before = desk.model.prompts().length;
  });
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const send = (body: string, priority: "normal" | "interrupt" = "normal") =>
    desk.send("coder", body, { priority });
  const whole = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}]\n${body}`;
  const promptsOfCase = () => desk.model.prompts().slice(before);

  it("plain: takes a message on its start page as it is, once, and reports it", async () => {
    const sent = await send("The tests are green; 四つ 🙂.");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(promptsOfCase()).toEqual([whole(sent.shortId, "The tests are green; 四つ 🙂.")]);
  });

  it("draft: stays where it is, and the message goes past it", async () => {
    const draft = "my half-typed idea 四つ 🙂";
    await typist.type(draft);
    await desk.shows(coder, "half-typed");
    const sent = await send("past the draft");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    expect(promptsOfCase()).toEqual([whole(sent.shortId, "past the draft"), draft]);
  });

  it("dialog: is never answered by a message, which goes in when the person has answered", async () => {
    await say("go on [[bash touch answered]]");
    await desk.shows(coder, showsOpencodePermissionDialog);
    const sent = await send("1");
    await desk.isHeld(sent, "blocked");
    expect(showsOpencodePermissionDialog(await coder.terminal.screen())).toBe(true);
    typist.press("\x1b");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "answered"))).toBe(false);
    expect(promptsOfCase()).toContain(whole(sent.shortId, "1"));
  });

  it("busy: is queued behind the turn, which nothing disturbs", async () => {
    const turn = await say("work on it [[busy]]");
    const sent = await send("while it works");
    expect(await desk.reaches(sent, "delivered")).toMatchObject({ evidence: "queued-in-agent" });
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(turn.aborted).toBe(false);
    expect(promptsOfCase()).toEqual(["work on it [[busy]]", whole(sent.shortId, "while it works")]);
  });

  it("urgent: stops the turn, over a draft too, and presses nothing when there is none", async () => {
    const draft = "not sent yet";
    const turn = await say("a long story [[busy]]");
    await desk.shows(coder, "word3");
    await typist.type(draft);
    await desk.shows(coder, draft);
    const urgent = await send("stop and look", "interrupt");
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    expect(turn.aborted).toBe(true);
    await desk.untilIdle(coder);
    const calm = await send("urgent, but you are idle", "interrupt");
    expect(await desk.reaches(calm, "read")).toMatchObject(PROVEN);
    expect(await coder.terminal.screen()).not.toContain("esc again");
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    expect(promptsOfCase()).toEqual([
      "a long story [[busy]]",
      whole(urgent.shortId, "stop and look"),
      whole(calm.shortId, "urgent, but you are idle"),
      draft,
    ]);
  });
});
