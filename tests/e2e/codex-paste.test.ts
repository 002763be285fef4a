import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { untilDraftIsBack } from "../rig/draft-back.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { CodexDesk, courseOf, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./codex-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Codex by paste, with hooks, in %s", (where) => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await CodexDesk.open("transports: [paste]", where);
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const PROVEN = { transport: "paste", evidence: "submitted", attempts: 1 };
  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;
  const isAsked = async (prompt: string) => {
    await say(prompt);
    await desk.shows(coder, showsCodexPermissionDialog);
  };

  it.for([
    ["of a new conversation", "The tests are green; 四つ 🙂."],
    ["that looks like commands", "/quit is text, and so is !ls; two\nlines of it"],
  ])(
    "delivers a message %s to an idle agent, exactly, with the submit hook as proof",
    async ([, body = ""], test) => {
      const sent = await desk.send("coder", body);
      expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, body));
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject(PROVEN);
      expect(courseOf(read)).toEqual(WHOLE_COURSE);
      proves(test, { program: "codex", terminal: where, scene: "idle", rung: "paste", outcome: "delivered" });
    },
  );

  it("presses no key while a turn runs: normal and idle wait for its end", async (test) => {
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
    // Enter would have steered the turn: Codex aborts the running answer and asks again.
    expect(turn.aborted).toBe(false);
    const next = desk.model.requests.find(
      (other) => other.kind === "main" && other.startedAtMs > turn.startedAtMs,
    );
    expect(next?.startedAtMs).toBeGreaterThan(turn.endedAtMs ?? Number.POSITIVE_INFINITY);
    proves(test, {
      program: "codex",
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
  ])("leaves a draft %s alone, then keeps it, delivers, and puts it back exactly", async (_, draft) => {
    const half = [...draft].slice(0, 8).join("");
    await typist.type(half);
    const sent = await desk.send("coder", "behind a draft");
    await desk.isHeld(sent, "typing");
    await typist.type(draft.slice(half.length), { charactersPerSecond: 10 });
    expect(await desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });

    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "behind a draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    await draftIsBack(draft);
  });

  const draftIsBack = async (draft: string) => {
    const kept = async () => (await desk.client.call("draft_show", { who: "coder" })).drafts;
    await untilDraftIsBack(kept, coder.terminal, PATIENCE_MS);
    await desk.untilIdle(coder);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
  };

  it("puts back a long paste that the screen does not even show", async (test) => {
    const paste = "a stack trace of many words ".repeat(50);
    typist.press(`\x1b[200~${paste}\x1b[201~`);
    await desk.shows(coder, "[Pasted Content");
    await typist.type("and why?");
    const sent = await desk.send("coder", "behind a long paste");
    await desk.reaches(sent, "read");
    await draftIsBack(`${paste}and why?`);
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "draft",
      rung: "paste",
      outcome: "set aside and put back",
    });
  });

  it("never answers a permission dialog with a message", async (test) => {
    await isAsked("go on [[escalate touch allowed]]");
    const normal = await desk.send("coder", "y");
    const idle = await desk.send("coder", "p", { priority: "idle" });
    await desk.isHeld(normal, "blocked");
    await desk.isHeld(idle, "blocked");
    expect(showsCodexPermissionDialog(await coder.terminal.screen())).toBe(true);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    typist.press("y");
    for (const sent of [normal, idle]) expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(true);
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "dialog",
      rung: "paste",
      outcome: "never answered",
    });
  });

  it("answers a dialog with raw keys on purpose", async () => {
    await isAsked("go on [[escalate touch on-purpose]]");
    await desk.reaches(await desk.send("coder", "y", { raw: true }), "delivered");
    await until(() => existsSync(join(coder.repo, "on-purpose")), "the command to run", PATIENCE_MS);
  });

  it("closes a dialog for an interrupt, without answering it", async () => {
    await isAsked("go on [[escalate touch refused]]");
    const urgent = await desk.send("coder", "leave that", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(pasted(urgent.shortId, "leave that"));
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "refused"))).toBe(false);
  });

  it("stops a turn for an interrupt with one Escape, and keeps what was being typed", async (test) => {
    const turn = await say("a long story [[busy]]");
    await desk.shows(coder, "word3");
    await typist.type("half a thought 🙂");
    const urgent = await desk.send("coder", "stop and look", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(pasted(urgent.shortId, "stop and look"));
    expect(turn.aborted).toBe(true);
    expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
    await draftIsBack("half a thought 🙂");
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "urgent",
      rung: "paste",
      outcome: "stops the turn",
    });
  });

  it("presses nothing for an interrupt when there is nothing to stop", async () => {
    const calm = await desk.send("coder", "urgent, but you are idle", { priority: "interrupt" });
    expect((await desk.arrives(calm)).prompt).toBe(pasted(calm.shortId, "urgent, but you are idle"));
    expect(await coder.terminal.screen()).not.toMatch(/esc again|Browsing transcript/u);
  });

  it("presses nothing right behind a turn that has ended, with hooks", () =>
    urgentBehindTurns(coder, (turn) => desk.reaches(turn, "read")));

  // The rig installs hooks for hosted Codexes.
  if (where === "tmux")
    it("presses nothing right behind a turn that has ended, without hooks", async () => {
      const home = join(desk.tmux.folder, "home-without-hooks");
      const mute = await desk.seat("mute", { home, beforeStart: () => {} });
      const isAtRest = async () => !/^[\u2801-\u28ff]/u.test(await desk.tmux.ask(mute.pane, "#{pane_title}"));
      await urgentBehindTurns(mute, async (_, answer) => {
        await desk.shows(mute, `• ${answer}`);
        await until(isAtRest, "Codex to be at rest", PATIENCE_MS);
      });
    });

  type Ended = (turn: Awaited<ReturnType<CodexDesk["send"]>>, answer: string) => Promise<unknown>;
  const urgentBehindTurns = async (window: RunningAgent, ended: Ended) => {
    const before = desk.bellhop.log().length;
    for (const answer of ["one", "two", "three"]) {
      const turn = await desk.send(window.session, `a short one [[say answer ${answer}]]`);
      await ended(turn, `answer ${answer}`);
      const urgent = await desk.send(window.session, `urgent behind ${answer}`, { priority: "interrupt" });
      await desk.arrives(urgent);
      await desk.reaches(urgent, "delivered");
      expect((await desk.delivery(urgent)).interrupted).toBeUndefined();
      expect(await window.terminal.screen()).not.toMatch(/esc again|Browsing transcript|interrupted/u);
      await desk.untilIdle(window);
    }
    expect(desk.bellhop.log().slice(before)).not.toContain("interrupt.pressed");
  };

  it("holds while a person has the terminal in copy mode, or its keyboard to themselves", async () => {
    const occupation = await coder.terminal.occupy();
    const sent = await desk.send("coder", "behind a person");
    await desk.isHeld(sent, occupation.hold);
    await occupation.end();
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "behind a person"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it("holds while the transcript is browsed: the composer looks empty, but Enter would rewind", async () => {
    typist.press("\x1b");
    await desk.shows(coder, "esc again");
    typist.press("\x1b");
    await desk.shows(coder, "Browsing transcript");
    const sent = await desk.send("coder", "while they browse");
    await desk.isHeld(sent, "unknown");
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "while they browse"));
  });

  it("delivers 100 KB as a file to read", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await desk.send("coder", body);
    const { file } = (await desk.show(sent)).message;
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, `Read ${file}`));
    expect(readFileSync(file, "utf8")).toBe(`${body}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The file was not opened: the end of the turn alone does not make the message `read`.
    await desk.untilIdle(coder);
    expect(await desk.delivery(sent)).toMatchObject({ ...PROVEN, state: "delivered" });
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async (test) => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(40)}`,
    );
    const sent = await Promise.all(
      bodies.map((body) =>
        desk.bellhop.json<{ messageId: string; shortId: string }>(["send", "coder", body]),
      ),
    );
    // A screen may prove it first; the hook of a new conversation comes a moment later.
    const allProven = async () => {
      const all = await Promise.all(sent.map((each) => desk.delivery(each)));
      return all.every(({ evidence }) => evidence === PROVEN.evidence);
    };
    await until(allProven, "their hook", PATIENCE_MS);
    for (const each of sent) expect(await desk.delivery(each)).toMatchObject(PROVEN);
    const came = () => bodies.every((body) => desk.readings().join("\n").includes(body));
    await until(came, "all ten at the model", PATIENCE_MS);
    const read = desk.readings().join("\n");
    for (const [index, body] of bodies.entries()) {
      const header = new RegExp(`from:? ${PERSON} #${sent[index]?.shortId}[\\]:]\\s`, "u");
      expect(read.split(header)).toHaveLength(2);
      expect(read.split(body)).toHaveLength(2);
      expect(read.split(header)[1]?.startsWith(body)).toBe(true);
    }
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "ten at once",
      rung: "paste",
      outcome: "each once",
    });
  });

  it("runs a command of Codex that was sent raw", async () => {
    const before = desk.model.requests.at(-1)?.conversation;
    await desk.reaches(await desk.send("coder", "/new", { raw: true, keys: ["Enter"] }), "delivered");
    await desk.shows(coder, "Where should the new conversation run?");
    await desk.reaches(await desk.send("coder", "", { raw: true, keys: ["Enter"] }), "delivered");
    await desk.untilIdle(coder);
    const sent = await desk.send("coder", "in the new conversation");
    expect((await desk.arrives(sent)).request.conversation).not.toBe(before);
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });
});
