import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { showsGeminiPermissionDialog } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { courseOf, GeminiDesk, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./gemini-desk.ts";
import { type Outcome, type Proven, proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Gemini CLI by paste, with hooks, in %s", (where) => {
  let desk: GeminiDesk;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]", where);
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const PROVEN = { transport: "paste", evidence: "submitted", attempts: 1 };
  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;
  const shown = (context: TestContext, scene: Proven["scene"], outcome: Outcome) =>
    proves(context, { program: "gemini", terminal: where, scene, rung: "paste", outcome });
  const isAsked = async (prompt: string) => {
    await say(prompt);
    await desk.shows(coder, showsGeminiPermissionDialog);
  };

  it.each([
    ["of a new conversation", "The tests are green; 四つ 🙂."],
    ["that looks like commands", "/quit is text, and so is !ls; two\n/lines of it"],
  ])("delivers a message %s to an idle agent, exactly, with the submit hook as proof", async (_, body) => {
    const sent = await desk.send("coder", body);
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, body));
    const read = await desk.reaches(sent, "read");
    expect(read).toMatchObject(PROVEN);
    expect(courseOf(read)).toEqual(WHOLE_COURSE);
  });

  it("presses no key while a turn runs: normal and idle wait for its end", async (context) => {
    const turn = await say("work on it [[busy]]");
    const normal = await desk.send("coder", "normal while it works");
    const idle = await desk.send("coder", "idle while it works", { priority: "idle" });
    await desk.isHeld(normal, "busy");
    await desk.isHeld(idle, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    for (const sent of [normal, idle]) {
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject(PROVEN);
      expect(courseOf(read)).toEqual(WHOLE_COURSE);
      expect(desk.copiesOf(sent)).toBe(1);
    }
    expect(turn.aborted).toBe(false);
    shown(context, "idle", "delivered");
    shown(context, "busy", "after the turn");
  });

  it.each([
    ["of one line", "I want to explain the prob"],
    ["of three lines", "first line\n  second, indented\nthird"],
    ["of emoji and wide characters", "日本語で書く 👩‍👩‍👧 naïve café ✅ 한국어"],
  ])("holds behind a draft %s, however old, until the person has sent it themselves", async (_, draft) => {
    typist.press(`\x1b[200~${draft}\x1b[201~`);
    await desk.shows(coder, draft.split("\n").at(-1)?.slice(-6) ?? "");
    const sent = await desk.send("coder", "behind a draft");
    await desk.isHeld(sent, "typing");
    // Twice as long as a draft stays untouched where it can be kept.
    const heldLong = async () => Date.now() - Number((await desk.show(sent)).message.createdAt) > 6_000;
    await until(heldLong, "a while", PATIENCE_MS);
    expect(await desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });
    await desk.submits(typist, draft);
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "behind a draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it("says that it holds a draft back, and touches nothing", async (context) => {
    await typist.type("not sent");
    const sent = await desk.send("coder", "behind it");
    await desk.isHeld(sent, "typing");
    expect((await desk.client.call("draft_show", { who: "coder" })).drafts).toEqual([]);
    // A person deletes it.
    typist.press("\x15");
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "behind it"));
    expect(desk.model.prompts()).not.toContain("not sent");
    shown(context, "draft", "waits for it");
  });

  it("never answers a permission dialog with a message", async (context) => {
    await isAsked("go on [[bash touch allowed]]");
    const normal = await desk.send("coder", "1");
    const idle = await desk.send("coder", "2", { priority: "idle" });
    await desk.isHeld(normal, "blocked");
    await desk.isHeld(idle, "blocked");
    expect(showsGeminiPermissionDialog(await coder.terminal.screen())).toBe(true);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    typist.press("\r");
    for (const sent of [normal, idle]) expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(true);
    shown(context, "dialog", "never answered");
  });

  it("closes a dialog for an interrupt, without answering it, and calls nothing of that turn read", async () => {
    const stopped = await desk.send("coder", "go on [[bash touch refused]]");
    await desk.shows(coder, showsGeminiPermissionDialog);
    const urgent = await desk.send("coder", "leave that", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(pasted(urgent.shortId, "leave that"));
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "refused"))).toBe(false);
    expect(await desk.delivery(stopped)).toMatchObject({ ...PROVEN, state: "delivered" });
  });

  it("stops a turn for an interrupt with one Escape, and calls nothing of that turn read", async (context) => {
    const stopped = await desk.send("coder", "a long story [[busy]]");
    const { request: turn } = await desk.arrives(stopped);
    await desk.shows(coder, "word3");
    const urgent = await desk.send("coder", "stop and look", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(pasted(urgent.shortId, "stop and look"));
    expect(turn.aborted).toBe(true);
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    // Its hook has reported the end of that turn like any other, but the model has never seen it again.
    expect(JSON.stringify((await desk.arrives(urgent)).request.body)).not.toContain("a long story");
    expect(await desk.delivery(stopped)).toMatchObject({ ...PROVEN, state: "delivered" });
    shown(context, "urgent", "stops the turn");
  });

  it("calls nothing read that the model has refused", async () => {
    const sent = await desk.send("coder", "an error, please [[error 400]]");
    await desk.reaches(sent, "delivered");
    await desk.shows(coder, "scripted error");
    await desk.untilIdle(coder);
    expect(await desk.delivery(sent)).toMatchObject({ ...PROVEN, state: "delivered" });
  });

  it("presses nothing for an interrupt when there is nothing to stop", async () => {
    const calm = await desk.send("coder", "urgent, but you are idle", { priority: "interrupt" });
    expect((await desk.arrives(calm)).prompt).toBe(pasted(calm.shortId, "urgent, but you are idle"));
    expect((await desk.delivery(calm)).interrupted).toBeUndefined();
  });

  it("holds while a person has the terminal in copy mode, or its keyboard to themselves", async () => {
    const occupation = await coder.terminal.occupy();
    const sent = await desk.send("coder", "behind a person");
    await desk.isHeld(sent, occupation.hold);
    await occupation.end();
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "behind a person"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it("holds while what is typed would be run by a shell", async () => {
    typist.press("!");
    await desk.shows(coder, "shell mode");
    const sent = await desk.send("coder", "touch never");
    await desk.isHeld(sent, "unknown");
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "touch never"));
    expect(existsSync(join(coder.repo, "never"))).toBe(false);
  });

  it.each([
    ["a path", "look at @README.md and tell me"],
    ["an address", "write to dev@example.com about it"],
  ])("sends a text with %s after @ as a file to read, for Gemini would act on it", async (_, body) => {
    const sent = await desk.send("coder", body);
    const { file } = (await desk.show(sent)).message;
    const { request, prompt } = await desk.arrives(sent);
    expect(prompt).toBe(pasted(sent.shortId, `Read ${file}`));
    expect(JSON.stringify(request.body)).not.toContain("A repository to work in");
    expect(readFileSync(file, "utf8")).toBe(`${body}\n`);
    await desk.reaches(sent, "delivered");
  });

  it("delivers 100 KB as a file to read, which it may open without asking", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const remove = desk.model.on(
      ({ newPrompts }) => newPrompts.some((prompt) => prompt.includes("] Read /")),
      ({ newPrompts }) => ({ call: { shell: `cat ${/Read (\S+)/u.exec(newPrompts.join())?.[1]}` } }),
    );
    const sent = await desk.send("coder", body);
    const { file } = (await desk.show(sent)).message;
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, `Read ${file}`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    const opened = desk.model.requests.find(({ toolResults }) => toolResults.join().includes("0 ------"));
    expect(opened).toBeDefined();
    remove();
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async (context) => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(40)}`,
    );
    const sent = await Promise.all(
      bodies.map((body) =>
        desk.bellhop.json<{ messageId: string; shortId: string }>(["send", "coder", body]),
      ),
    );
    for (const each of sent) expect(await desk.reaches(each, "delivered")).toMatchObject(PROVEN);
    const came = () => bodies.every((body) => desk.readings().join("\n").includes(body));
    await until(came, "all ten at the model", PATIENCE_MS);
    const read = desk.readings().join("\n");
    for (const [index, body] of bodies.entries()) {
      const header = new RegExp(`from:? ${PERSON} #${sent[index]?.shortId}[\\]:]\\s`, "u");
      expect(read.split(header)).toHaveLength(2);
      expect(read.split(body)).toHaveLength(2);
      expect(read.split(header)[1]?.startsWith(body)).toBe(true);
    }
    shown(context, "ten at once", "each once");
  });

  it("runs a command of Gemini that was sent raw, and goes on in the new conversation", async () => {
    await desk.reaches(await desk.send("coder", "/clear", { raw: true, keys: ["Enter"] }), "delivered");
    await desk.shows(coder, (screen) => !screen.includes("] number 0 of ten"));
    await desk.untilIdle(coder);
    const sent = await desk.send("coder", "in the new conversation");
    expect(JSON.stringify((await desk.arrives(sent)).request.body)).not.toContain("of ten");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });
});
