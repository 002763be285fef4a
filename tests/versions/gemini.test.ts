import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GeminiDesk, PERSON } from "../e2e/gemini-desk.ts";
import { showsGeminiPermissionDialog } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";

beforeAll(assertInNamespace);

const PROVEN = { transport: "paste", evidence: "submitted", attempts: 1 };

/** As for the other programs (`cases.ts`), but that no draft can be set aside: it is never touched. */
describe.each(versionsOf("gemini"))("Gemini CLI %s", (version) => {
  let desk: GeminiDesk;
  let coder: RunningAgent;
  let typist: Typist;
  let before: number;

  beforeAll(async () => {
    desk = await GeminiDesk.open();
    coder = await desk.seat("coder", { version });
    typist = await desk.typist(coder);
  });
  beforeEach(async () => {
    await desk.untilIdle(coder);
    before = desk.model.prompts().length;
  });
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const prompts = () => desk.model.prompts().slice(before);
  const prompt = ({ shortId }: { readonly shortId: string }, body: string) =>
    `[message from: ${PERSON} #${shortId}] ${body}`;

  it("plain: takes a message as it is, once, and its hook proves it", async () => {
    const sent = await desk.send("coder", "The tests are green; 四つ 🙂.");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(prompts()).toEqual([prompt(sent, "The tests are green; 四つ 🙂.")]);
  });

  it("draft: is never touched, and the message goes when the person has sent it", async () => {
    const draft = "my half-typed idea 四つ 🙂";
    await typist.type(draft);
    const sent = await desk.send("coder", "behind a draft");
    await desk.isHeld(sent, "typing");
    await desk.shows(coder, "四つ 🙂");
    await desk.submits(typist, draft);
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(prompts()).toEqual([draft, prompt(sent, "behind a draft")]);
  });

  it("dialog: is never answered by a message, which goes in when the person has answered", async () => {
    await desk.say(typist, coder, "go on [[bash touch answered]]");
    await desk.shows(coder, showsGeminiPermissionDialog);
    const sent = await desk.send("coder", "1");
    await desk.isHeld(sent, "blocked");
    expect(showsGeminiPermissionDialog(await coder.terminal.screen())).toBe(true);
    typist.press("\x1b");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "answered"))).toBe(false);
  });

  it("busy: waits for the end of the turn, which nothing disturbs", async () => {
    const turn = await desk.say(typist, coder, "work on it [[busy]]");
    const sent = await desk.send("coder", "while it works");
    await desk.isHeld(sent, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
    expect(prompts()).toEqual(["work on it [[busy]]", prompt(sent, "while it works")]);
  });

  it("urgent: stops the turn with one key, and calls nothing of it read", async () => {
    const stopped = await desk.send("coder", "a long story [[busy]]");
    const { request: turn } = await desk.arrives(stopped);
    await desk.shows(coder, "word3");
    const urgent = await desk.send("coder", "stop and look", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(prompt(urgent, "stop and look"));
    expect(turn.aborted).toBe(true);
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    expect((await desk.delivery(stopped)).state).toBe("delivered");
  });

  it("rules: runs a plain command of Bellhop unasked, and asks about one with another behind it", async () => {
    const plain = await desk.send("coder", "[[bash bellhop ls]]");
    expect(await desk.reaches(plain, "read")).toMatchObject(PROVEN);
    const ran = desk.model.requests.findLast(({ kind }) => kind === "tool_result");
    expect(ran?.toolResults.join()).toContain("coder");
    await desk.send("coder", "[[bash bellhop ls; touch made]]");
    await desk.shows(coder, showsGeminiPermissionDialog);
    typist.press("\x1b");
    await desk.untilIdle(coder);
    expect(existsSync(join(coder.repo, "made"))).toBe(false);
  });
});
