import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { QueuedDelivery } from "../../src/wire/shapes/messages.ts";
import { PLACES, runsIn } from "../rig/agent-terminal.ts";
import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { untilDraftIsBack } from "../rig/draft-back.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PASTE_CONFIG, urgentBehindTurns } from "./claude-paste.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Claude Code by paste, with hooks, in %s", (where) => {
  let stage: Stage;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    stage = await Stage.set({ config: PASTE_CONFIG, where });
    coder = await stage.enter("coder");
    typist = await stage.typist(coder);
  });
  beforeEach(() => stage.untilIdle("coder"));
  afterAll(() => stage?.strike());

  const screen = () => coder.terminal.screen();
  const shows = (text: string) =>
    coder.terminal.waitForScreen((seen) => seen.includes(text), { timeoutMs: PATIENCE_MS });
  const say = async (prompt: string) => {
    await typist.type(prompt);
    await shows(prompt.slice(-20));
    typist.press("\r");
    return stage.model.waitForPrompt(prompt, { timeoutMs: PATIENCE_MS });
  };

  const dialogOpens = () =>
    coder.terminal.waitForScreen(showsClaudePermissionDialog, { timeoutMs: PATIENCE_MS });
  /** Claude ignores a key that comes while the dialog is first drawn; a second one is for the same dialog only. */
  const refuseDialog = async () => {
    for (let presses = 0; presses < 5 && showsClaudePermissionDialog(await screen()); presses += 1) {
      typist.press("\x1b");
      const closed = coder.terminal.waitForScreen((seen) => !showsClaudePermissionDialog(seen), {
        timeoutMs: 2_000,
      });
      await closed.catch(() => "still open");
    }
  };

  it("delivers to an idle agent, exactly, with the submit hook as proof", async (test) => {
    const sent = await stage.send("coder", "The tests are green; 四つ 🙂.");
    expect(await stage.arrives(sent)).toBe(
      `[message from: ${PERSON} #${sent.shortId}] The tests are green; 四つ 🙂.`,
    );
    expect(await stage.reaches(sent, "delivered")).toMatchObject({
      transport: "paste",
      evidence: "submitted",
      attempts: 1,
    });
    const read = await stage.reaches(sent, "read");
    expect(read.receipts.map(({ state }) => state)).toEqual(["queued", "delivering", "delivered", "read"]);
    expect(stage.copiesOf(sent)).toBe(1);
    proves(test, { program: "claude", terminal: where, scene: "idle", rung: "paste", outcome: "delivered" });
  });

  it("waits for the end of a running turn, normal and idle alike", async (test) => {
    const turn = await say("work on it [[busy]]");
    const normal = await stage.send("coder", "normal while it works");
    const idle = await stage.send("coder", "idle while it works", { priority: "idle" });
    await stage.held(normal, "busy");
    await stage.held(idle, "busy");
    const waiting = await stage.bellhop.json<QueuedDelivery[]>(["queue", "coder"]);
    expect(waiting.map(({ messageId, hold }) => [messageId, hold?.reason])).toEqual([
      [normal.messageId, "busy"],
      [idle.messageId, "busy"],
    ]);
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    await stage.isRead(normal);
    await stage.isRead(idle);
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
    const after = stage.model.requests
      .filter(({ newPrompts }) => newPrompts.some((text) => /messages?(?: from|\])/u.test(text)))
      .at(-1);
    expect(after?.startedAtMs).toBeGreaterThan(turn.endedAtMs ?? Number.POSITIVE_INFINITY);
    expect(await stage.reaches(idle, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "busy",
      rung: "paste",
      outcome: "after the turn",
    });
  });

  it.each([
    ["of one line", "I want to explain the prob"],
    ["of three lines", "first line\n  second, indented\nthird"],
    ["of emoji and wide characters", "日本語で書く 👩‍👩‍👧 naïve café ✅ 한국어"],
  ])("keeps a draft %s, delivers, and puts it back exactly", async (_, draft) => {
    await typist.type(draft);
    await shows(draft.split("\n").at(-1)?.slice(0, 5) ?? "");
    const sent = await stage.send("coder", `behind a draft: ${draft.length} characters`);
    await stage.held(sent, "typing");
    expect(stage.copiesOf(sent)).toBe(0);
    expect(await stage.arrives(sent)).toBe(
      `[message from: ${PERSON} #${sent.shortId}] behind a draft: ${draft.length} characters`,
    );
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    // It is settled a moment after it appears: the message is read as soon as the model has answered.
    const kept = async () => (await stage.client.call("draft_show", { who: "coder" })).drafts;
    await untilDraftIsBack(kept, coder.terminal, PATIENCE_MS);
    await stage.untilIdle("coder");
    typist.press("\r");
    await stage.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
  });

  it("never answers a permission dialog with a message", async (test) => {
    await say("[[bash touch answered]]");
    await dialogOpens();
    // Bellhop notices by itself: no message waits for it yet, and `status` reads no screen.
    const isNoticed = async () => (await stage.client.call("status", {})).wants?.permission === 1;
    await until(isNoticed, "the permission to be noticed", PATIENCE_MS);
    const { attention } = await stage.client.call("attention", {});
    expect(attention).toMatchObject([{ kind: "permission", agent: "coder" }]);
    expect(attention[0]?.text).toContain("touch answered");
    const normal = await stage.send("coder", "normal at the dialog");
    const idle = await stage.send("coder", "idle at the dialog", { priority: "idle" });
    await stage.held(normal, "blocked");
    await stage.held(idle, "blocked");
    expect(showsClaudePermissionDialog(await screen())).toBe(true);
    await refuseDialog();
    await stage.isRead(normal);
    await stage.isRead(idle);
    expect(existsSync(join(coder.repo, "answered"))).toBe(false);
    expect((await stage.client.call("attention", {})).attention).toEqual([]);
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "dialog",
      rung: "paste",
      outcome: "never answered",
    });
  });

  it("stops a turn for an interrupt, and presses nothing when there is none", async (test) => {
    const turn = await say("a long story [[busy]]");
    await shows("word3");
    const urgent = await stage.send("coder", "stop and look", { priority: "interrupt" });
    await stage.arrives(urgent);
    expect(turn.aborted).toBe(true);
    expect(await stage.reaches(urgent, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    for (const body of ["urgent one", "urgent two"]) {
      await stage.untilIdle("coder");
      await stage.arrives(await stage.send("coder", body, { priority: "interrupt" }));
      expect(await screen()).not.toContain("Rewind");
    }
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "urgent",
      rung: "paste",
      outcome: "stops the turn",
    });
  });

  it("presses nothing right behind a turn that has ended", () => urgentBehindTurns(stage, coder));

  it("stops a turn over a draft, and puts the draft back", async (test) => {
    const turn = await say("another long story [[busy]]");
    await shows("word3");
    await typist.type("not sent yet 四つ");
    const urgent = await stage.send("coder", "stop, whatever stands there", { priority: "interrupt" });
    await stage.arrives(urgent);
    expect(turn.aborted).toBe(true);
    await stage.reaches(urgent, "read");
    await stage.untilIdle("coder");
    typist.press("\r");
    await stage.model.waitForPrompt("not sent yet 四つ", { timeoutMs: PATIENCE_MS });
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "draft",
      rung: "paste",
      outcome: "set aside and put back",
    });
  });

  it("delivers 100 KB as a file to read", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await stage.send("coder", body);
    const { file } = (await stage.show(sent)).message;
    expect(await stage.arrives(sent)).toBe(`[message from: ${PERSON} #${sent.shortId}] Read ${file}`);
    expect(readFileSync(file, "utf8")).toBe(`${body}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The file was not opened: the end of the turn alone does not make the message `read`.
    await stage.untilIdle("coder");
    expect(await stage.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async (test) => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(40)}`,
    );
    const results = await Promise.all(
      bodies.map((body) =>
        stage.bellhop.json<{ messageId: string; shortId: string }>(["send", "coder", body]),
      ),
    );
    for (const sent of results) {
      expect(await stage.reaches(sent, "delivered")).toMatchObject({
        transport: "paste",
        evidence: "submitted",
        attempts: 1,
      });
    }
    const came = () => bodies.every((body) => stage.readings().join("\n").includes(body));
    await until(came, "all ten at the model", PATIENCE_MS);
    const read = stage.readings().join("\n");
    for (const [index, body] of bodies.entries()) {
      const header = new RegExp(`from:? ${PERSON} #${results[index]?.shortId}[\\]:]\\s`, "u");
      expect(read.split(header)).toHaveLength(2);
      expect(read.split(body)).toHaveLength(2);
      expect(read.split(header)[1]?.startsWith(body)).toBe(true);
    }
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "ten at once",
      rung: "paste",
      outcome: "each once",
    });
  });

  it("holds while a person has the terminal in copy mode, or its keyboard to themselves", async () => {
    const occupation = await coder.terminal.occupy();
    const first = await stage.send("coder", "behind a person");
    await stage.held(first, occupation.hold);
    await occupation.end();
    await stage.arrives(first);
    await stage.reaches(first, "read");
  });

  // Only tmux can close a pane to keys.
  if (where === "tmux")
    it("holds while the pane takes no keys", async () => {
      await stage.tmux.run("select-pane", "-d", "-t", coder.pane);
      const second = await stage.send("coder", "behind a closed door");
      await stage.held(second, "unknown");
      await stage.tmux.run("select-pane", "-e", "-t", coder.pane);
      await stage.arrives(second);
      await stage.reaches(second, "read");
    });

  it("types raw text and keys as they are", async () => {
    const before = stage.model.requests.at(-1)?.conversation;
    const clear = await stage.bellhop.json<{ messageId: string }>([
      "send",
      "coder",
      "--raw",
      "/clear",
      "--key",
      "Enter",
      "--wait",
      "delivered",
    ]);
    expect(await stage.delivery(clear)).toMatchObject({
      state: "delivered",
      evidence: "screen",
      transport: "paste",
    });
    await stage.untilIdle("coder");
    const turn = await say("after the clear");
    expect(turn.conversation).not.toBe(before);
  });

  it("answers a dialog with raw keys on purpose, and only that dialog", async () => {
    await say("[[bash touch approved]]");
    await dialogOpens();
    const yes = await stage.send("coder", "1", { raw: true });
    await stage.reaches(yes, "delivered");
    await stage.model.waitForRequest(({ kind }) => kind === "tool_result", { timeoutMs: PATIENCE_MS });
    expect(existsSync(join(coder.repo, "approved"))).toBe(true);
    await stage.untilIdle("coder");

    await say("[[bash touch refused]]");
    await dialogOpens();
    await stage.client.call("pause", { who: "coder", paused: true });
    const late = await stage.send("coder", "1", { raw: true });
    await stage.held(late, "paused");
    await refuseDialog();
    await stage.untilIdle("coder");
    await stage.client.call("pause", { who: "coder", paused: false });
    const next = await stage.send("coder", "is not held back by it");
    expect(await stage.arrives(next)).toBe(
      `[message from: ${PERSON} #${next.shortId}] is not held back by it`,
    );
    expect(existsSync(join(coder.repo, "refused"))).toBe(false);
    const over = await stage.delivery(late);
    expect(over).toMatchObject({ state: "failed", attempts: 0 });
    expect(over.receipts.at(-1)?.note).toContain("the dialog it was sent for is closed");
  });

  it("keeps messages for an agent that has left, and gives them to the one that resumes it", async (test) => {
    await say("remember this");
    await stage.untilIdle("coder");
    const before = (await stage.session("coder"))?.id ?? "";
    await typist.type("/exit");
    await shows("/exit");
    typist.press("\r");
    await until(async () => (await coder.terminal.program()) === "ended", "Claude to end", PATIENCE_MS);
    const sent = await stage.send("coder", "while you were out");
    await stage.held(sent, "offline");
    const toSession = await stage.send(before, "to the conversation itself");
    await stage.held(toSession, "offline");
    const resumed = await stage.enter("coder-again", {
      home: coder.home,
      repo: coder.repo,
      args: ["--continue"],
    });
    await stage.isRead(sent);
    await stage.isRead(toSession);
    expect(await stage.reaches(sent, "read")).toMatchObject({ evidence: "submitted" });
    const { sessions } = await stage.client.call("ls", {});
    expect(sessions.filter((session) => runsIn(session, resumed.pane))).toMatchObject([{ agent: "coder" }]);
    // The generated name is gone.
    const { agents } = await stage.client.call("agent_list", {});
    expect(agents.map(({ name }) => name)).toEqual(["coder"]);
    const again = await stage.send(before, "to the conversation that goes on");
    expect(await stage.arrives(again)).toContain("to the conversation that goes on");
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "resume",
      rung: "paste",
      outcome: "delivered",
    });
  });
});
