import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { showsClaudeComposer } from "../rig/claude.ts";
import { untilDraftIsBack } from "../rig/draft-back.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { type HostedTerminal, PARENTS_VARIABLES } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { program } from "../rig/programs.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const CONFIG = `
transports: [paste]
delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }
`;
const SETTINGS = { permissions: { allow: ["Bash(bellhop spawn:*)"] } };
const PASTE_STEPS = ["deliver.marked", "paste.before-keys", "paste.after-keys", "deliver.proven"] as const;
/** Two lines of its window are the status line and the bar. */
const WINDOW = { cols: 120, rows: 42 };

/** What tmux panes do not have; tests for both kinds of terminal are in the other lists. */
describe("Claude Code, hosted", () => {
  let stage: Stage;
  let coder: RunningAgent;
  let terminal: HostedTerminal;
  let bellhopFolder: string;

  beforeAll(async () => {
    stage = await Stage.set({ config: CONFIG, where: "hosted" });
    bellhopFolder = bellhopOnPath(join(stage.tmux.folder, "bin"));
    const pathFolders = [bellhopFolder, dirname(program("claude").executable)];
    coder = await stage.enter("coder", { settings: SETTINGS, pathFolders });
    terminal = stage.hosted.opened(coder.pane);
  });
  beforeEach(() => stage.untilIdle("coder"));
  afterAll(() => stage?.strike());

  const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;
  const carrying =
    (text: string) =>
    ({ newPrompts }: ModelRequest) =>
      newPrompts.some((prompt) => prompt.includes(text));
  const requestWith = (text: string) =>
    stage.model.waitForRequest(carrying(text), { timeoutMs: PATIENCE_MS });
  const environOf = (pid: number | "ended") => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  const noDraftIsKept = () =>
    untilDraftIsBack(
      async () => (await stage.client.call("draft_show", { who: "coder" })).drafts,
      coder.terminal,
      PATIENCE_MS,
    );

  it("has its hooks by its command line, and its user's settings are as they were", async () => {
    const sent = await stage.send("coder", "who reports?");
    expect(await stage.arrives(sent)).toBe(pasted(sent.shortId, "who reports?"));
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    expect(terminal.record.command).toContain("--settings");
    const folder = join(coder.home, ".claude");
    // Claude itself may rewrite its file, and add settings that it has moved there from elsewhere.
    const { env: _, ...settings } = JSON.parse(readFileSync(join(folder, "settings.json"), "utf8"));
    expect(settings).toEqual(SETTINGS);
    expect(existsSync(join(folder, "settings.local.json"))).toBe(false);
    expect(existsSync(join(coder.repo, ".claude"))).toBe(false);
  });

  it("hears each hook once where its user has installed them too", async () => {
    const home = join(stage.tmux.folder, "twice-home");
    mkdirSync(home);
    const installed = await stage.bellhop.run(["hooks", "install", "claude"], { env: { HOME: home } });
    expect(installed).toMatchObject({ code: 0 });
    const twice = await stage.enter("twice", { home });
    const sent = await stage.send("twice", "only once, please");
    const read = await stage.reaches(sent, "read");
    expect(read).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 1 });
    expect(read.receipts.map(({ state }) => state)).toEqual(["queued", "delivering", "delivered", "read"]);
    expect(stage.copiesOf(sent)).toBe(1);
    expect(await twice.terminal.screen()).not.toContain("already been delivered");
    expect(await stage.bellhop.run(["stop", "twice"])).toMatchObject({ code: 0 });
  });

  it("has nothing of the session in which it was started", async () => {
    const environ = environOf(await terminal.program());
    for (const [name, value] of Object.entries(PARENTS_VARIABLES)) {
      expect(environ).not.toContain(`${name}=${value}`);
    }
    expect(environ).toContain(`BELLHOP_SESSION_ID=${coder.pane}`);
    expect(environ).toContain("BELLHOP_AGENT=coder");
  });

  it("is seen through peek and attach as it is; what is typed there reaches it, and messages wait meanwhile", async () => {
    const window = await stage.tmux.newSession({
      name: "person",
      cwd: stage.tmux.folder,
      command: ["bellhop", "attach", "coder"],
      env: {
        BELLHOP_HOME: stage.bellhop.home,
        PATH: [bellhopFolder, process.env.PATH ?? ""].join(delimiter),
      },
      ...WINDOW,
    });
    const keys = (...words: string[]) => stage.tmux.run("send-keys", "-t", window, ...words);
    const sees = (text: string) =>
      stage.tmux.waitForScreen(window, (screen) => screen.includes(text), { timeoutMs: PATIENCE_MS });
    await sees("coder idle");
    const rowsOf = (text: string) => text.split("\n").map((row) => row.trimEnd());
    const drawn = async () => rowsOf(await terminal.screen()).slice(0, WINDOW.rows - 2);
    const isTheSame = (rows: readonly string[], wanted: readonly string[]) =>
      wanted.every((row, y) => row === rows[y]);
    await until(
      async () => isTheSame(rowsOf(await stage.tmux.capture(window)), await drawn()),
      "the same screen in the window",
      PATIENCE_MS,
    );
    const { stdout } = await stage.bellhop.run(["peek", "coder"]);
    expect(rowsOf(stdout).slice(3, WINDOW.rows - 2)).toEqual((await drawn()).slice(3));

    await keys("-l", "said in the bar 四つ");
    await keys("Enter");
    await stage.model.waitForPrompt("said in the bar 四つ", { timeoutMs: PATIENCE_MS });
    await stage.untilIdle("coder");
    await keys("C-\\");
    await keys("p");
    await sees("passthrough");
    await keys("-l", "half a thought 🙂");
    await sees("half a thought");
    const sent = await stage.send("coder", "while somebody types");
    await stage.held(sent, "attached");
    await keys("C-\\");
    await keys("p");
    expect(await stage.arrives(sent)).toBe(pasted(sent.shortId, "while somebody types"));
    await stage.reaches(sent, "read");
    await noDraftIsKept();
    await stage.untilIdle("coder");
    await keys("C-\\");
    await keys("p");
    await keys("Enter");
    await stage.model.waitForPrompt("half a thought 🙂", { timeoutMs: PATIENCE_MS });
    await keys("C-\\");
    await keys("d");
    const isOver = async () => (await stage.tmux.ask(window, "#{pane_dead}")) === "1";
    await until(isOver, "attach to end", PATIENCE_MS);
  });

  describe("when the daemon is killed", () => {
    const killedAt = async (step: string) => {
      const { hostPid } = terminal.record;
      const sent = await stage.sendInto(step, "coder", `at ${step}`);
      await stage.reaches(sent, "delivered");
      expect(await stage.arrives(sent)).toBe(pasted(sent.shortId, `at ${step}`));
      expect(stage.copiesOf(sent), JSON.stringify(await stage.delivery(sent))).toBe(1);
      expect((await stage.delivery(sent)).possibleDuplicate).toBeUndefined();
      expect(terminal.record.hostPid).toBe(hostPid);
    };

    it.each(PASTE_STEPS)(
      "at %s, the next one finds the same terminal, and the message arrives once",
      killedAt,
    );

    it("behind a draft that it has set aside, the message arrives and the draft comes back", async () => {
      const typist = await stage.typist(coder);
      await typist.type("my draft 四つ 🙂\n  of two lines");
      await terminal.waitForScreen((screen) => screen.includes("of two lines"));
      await killedAt("paste.after-keys");
      await noDraftIsKept();
      await stage.untilIdle("coder");
      typist.press("\r");
      await stage.model.waitForPrompt("my draft 四つ 🙂\n  of two lines", { timeoutMs: PATIENCE_MS });
    });
  });

  it("starts a child that does its turn, and hears of it", async () => {
    const spawn = 'bellhop spawn "count the lights" --name child --wait -- claude --permission-mode default';
    const order = await stage.send("coder", "have a child count");
    const stop = stage.model.on(carrying(`#${order.shortId}]`), { call: { shell: spawn } });
    const counting = await requestWith("count the lights");
    expect(counting.newPrompts.join("\n")).toMatch(
      new RegExp(`^\\[message from: coder \\(${coder.pane}\\) #\\w{6}\\] count the lights`, "u"),
    );
    const waited = await stage.model.waitForRequest(
      ({ toolResults }) => toolResults.join().includes("first turn"),
      {
        timeoutMs: PATIENCE_MS,
      },
    );
    stop();
    expect(waited.toolResults.join()).toContain('"child" has ended its first turn');
    const child = (await stage.session("child"))?.id ?? "";
    const notice = `[bellhop] child (${child}) has ended its first turn`;
    const told = await requestWith(notice);
    expect(told.conversation).toBe(waited.conversation);
    expect(told.conversation).not.toBe(counting.conversation);
    await stage.untilIdle("coder");
    expect(stage.model.prompts().filter((prompt) => prompt.includes(notice))).toHaveLength(1);
    const environ = environOf(await stage.hosted.opened(child).program());
    expect(environ).toContain(`BELLHOP_PARENT=${coder.pane}`);
    expect(environ).toContain("BELLHOP_AGENT=child");
    expect(environ.filter((one) => /^(?:CLAUDECODE|CLAUDE_CODE_SESSION_ID)=/u.test(one))).toEqual([]);
    expect(await stage.bellhop.run(["stop", "child"])).toMatchObject({ code: 0 });
  });

  it("goes on with its conversation after stop and resume, and begins a new one after restart", async (test) => {
    const before = await stage.send("coder", "remember the number seven");
    const first = await requestWith(`#${before.shortId}]`);
    await stage.reaches(before, "read");
    expect(await stage.bellhop.run(["stop", "coder"])).toMatchObject({ code: 0 });
    expect(await terminal.program()).toBe("ended");
    const away = await stage.send("coder", "while you were out");
    await stage.held(away, "offline");
    const toSession = await stage.send(coder.pane, "to the conversation itself");
    await stage.held(toSession, "offline");

    expect(await stage.hosted.again("resume", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    await stage.isRead(away);
    await stage.isRead(toSession);
    const resumed = stage.model.requests.findLast(({ kind }) => kind === "main");
    expect(resumed?.conversation).toBe(first.conversation);
    expect(JSON.stringify(resumed?.body)).toContain("remember the number seven");
    await stage.untilIdle("coder");

    expect(await stage.hosted.again("restart", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    await terminal.waitForScreen(showsClaudeComposer, { timeoutMs: PATIENCE_MS });
    const anew = await stage.send("coder", "who are you now?");
    const fresh = await requestWith(`#${anew.shortId}]`);
    expect(await stage.reaches(anew, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    expect(fresh.conversation).not.toBe(first.conversation);
    expect(JSON.stringify(fresh.body)).not.toContain("remember the number seven");
    proves(test, {
      program: "claude",
      terminal: "hosted",
      scene: "resume",
      rung: "paste",
      outcome: "delivered",
    });
  });
});
