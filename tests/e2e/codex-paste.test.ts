import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { CodexDesk, courseOf, millisecondsTo, PATIENCE_MS, PERSON } from "./codex-desk.ts";

beforeAll(assertInNamespace);

const CONFIG = `
transports: [paste]
delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }
`;

describe("Codex by paste, with hooks", () => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await CodexDesk.open(CONFIG);
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;

  it("delivers to an idle agent, exactly, with the submit hook as proof", async () => {
    const first = await desk.send("coder", "The tests are green; 四つ 🙂.");
    expect((await desk.arrives(first)).prompt).toBe(pasted(first.shortId, "The tests are green; 四つ 🙂."));
    const read = await desk.reaches(first, "read");
    expect(read).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 1 });
    expect(courseOf(read)).toEqual(["queued", "delivering", "delivered", "read"]);

    await desk.untilIdle(coder);
    const second = await desk.send("coder", "/quit is text, and so is !ls; two\nlines of it");
    expect((await desk.arrives(second)).prompt).toBe(
      pasted(second.shortId, "/quit is text, and so is !ls; two\nlines of it"),
    );
    const delivered = await desk.reaches(second, "read");
    expect(delivered).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 1 });
    console.log(
      "idle by paste: first",
      millisecondsTo(read, "delivered"),
      "ms, then",
      millisecondsTo(delivered, "delivered"),
      "ms",
    );
  });

  it("presses no key while a turn runs: normal and idle wait for its end", async () => {
    const turn = await say("work on it [[slow 6]]");
    const normal = await desk.send("coder", "normal while it works");
    const idle = await desk.send("coder", "idle while it works", { priority: "idle" });
    await desk.isHeld(normal, "busy");
    await desk.isHeld(idle, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    for (const sent of [normal, idle]) {
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 1 });
      expect(courseOf(read)).toEqual(["queued", "delivering", "delivered", "read"]);
      expect(desk.readings().filter((text) => text.includes(`#${sent.shortId}]`))).toHaveLength(1);
    }
    // Enter would have steered: Codex hangs up on the running answer and asks again.
    expect(turn.aborted).toBe(false);
    const next = desk.model.requests.find(
      ({ startedAtMs, kind }) => kind === "main" && startedAtMs > turn.startedAtMs,
    );
    expect(next?.startedAtMs).toBeGreaterThan(turn.endedAtMs ?? Number.POSITIVE_INFINITY);
    console.log("after the turn's end:", (next?.startedAtMs ?? 0) - (turn.endedAtMs ?? 0), "ms");
  });

  it.each([
    ["of one line", "I want to explain the prob"],
    ["of three lines", "first line\n  second, indented\nthird"],
    ["of emoji and wide characters", "日本語で書く 👩‍👩‍👧 naïve café ✅ 한국어"],
  ])("leaves a draft %s alone, then keeps it, delivers, and puts it back exactly", async (_, draft) => {
    const body = `behind a draft of ${draft.length}`;
    const half = [...draft].slice(0, 8).join("");
    await typist.type(half);
    const sent = await desk.send("coder", body);
    await desk.isHeld(sent, "typing");
    await typist.type(draft.slice(half.length), { charactersPerSecond: 10 });
    expect(await desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });
    const typedAt = Date.now();

    const { prompt, request } = await desk.arrives(sent);
    expect(prompt).toBe(pasted(sent.shortId, body));
    expect(await desk.reaches(sent, "read")).toMatchObject({
      transport: "paste",
      evidence: "submitted",
      attempts: 1,
    });
    await desk.untilIdle(coder);
    const { drafts } = await desk.client.call("draft_show", { who: "coder" });
    expect(drafts).toEqual([]);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    console.log("delivered", request.startedAtMs - typedAt, "ms after the last key");
  });

  it("never answers a permission dialog with a message", async () => {
    await say("go on [[escalate touch allowed]]");
    await desk.tmux.waitForScreen(coder.pane, showsCodexPermissionDialog, { timeoutMs: PATIENCE_MS });
    const normal = await desk.send("coder", "y");
    const idle = await desk.send("coder", "p", { priority: "idle" });
    await desk.isHeld(normal, "blocked");
    await desk.isHeld(idle, "blocked");
    expect(showsCodexPermissionDialog(await desk.tmux.capture(coder.pane))).toBe(true);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    typist.press("y");
    for (const sent of [normal, idle])
      expect(await desk.reaches(sent, "read")).toMatchObject({ attempts: 1 });
    expect(existsSync(join(coder.repo, "allowed"))).toBe(true);
  });

  it("stops a turn for an interrupt with one Escape, and presses nothing when there is none to stop", async () => {
    const turn = await say("a long story [[slow 40]]");
    await desk.shows(coder, "word3");
    const sentAt = Date.now();
    const urgent = await desk.send("coder", "stop and look", { priority: "interrupt" });
    const { prompt, request } = await desk.arrives(urgent);
    expect(prompt).toBe(pasted(urgent.shortId, "stop and look"));
    expect(turn.aborted).toBe(true);
    expect(await desk.reaches(urgent, "read")).toMatchObject({
      transport: "paste",
      evidence: "submitted",
      attempts: 1,
    });
    console.log("interrupt:", request.startedAtMs - sentAt, "ms");

    await desk.untilIdle(coder);
    const calm = await desk.send("coder", "urgent, but you are idle", { priority: "interrupt" });
    expect((await desk.arrives(calm)).prompt).toBe(pasted(calm.shortId, "urgent, but you are idle"));
    expect(await desk.tmux.capture(coder.pane)).not.toMatch(/esc again|Browsing transcript/u);
  });

  it("delivers 100 KB as a file to read", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await desk.send("coder", body);
    const { file } = (await desk.show(sent)).message;
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, `Read ${file}`));
    expect(readFileSync(file, "utf8")).toBe(`${body}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await desk.reaches(sent, "read")).toMatchObject({ evidence: "submitted", attempts: 1 });
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async () => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(40)}`,
    );
    const sent = await Promise.all(
      bodies.map((body) =>
        desk.bellhop.json<{ messageId: string; shortId: string }>(["send", "coder", body]),
      ),
    );
    for (const each of sent) {
      expect(await desk.reaches(each, "read")).toMatchObject({
        transport: "paste",
        evidence: "submitted",
        attempts: 1,
      });
    }
    const read = desk.readings().join("\n");
    for (const [index, body] of bodies.entries()) {
      const header = `[message from: ${PERSON} #${sent[index]?.shortId}]`;
      expect(read.split(header)).toHaveLength(2);
      expect(read.split(body)).toHaveLength(2);
      expect(read.split(header)[1]?.trimStart().startsWith(body)).toBe(true);
    }
  });
});
