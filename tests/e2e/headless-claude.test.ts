/** Automatic turns of the real Claude Code, through the daemon's own doors. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { courseOf } from "./codex-desk.ts";
import { HeadlessDay, NO_TRIAGE, PATIENCE_MS, PERSON, type Sent } from "./headless-day.ts";

beforeAll(assertInNamespace);

let day: HeadlessDay;
afterAll(() => day?.end());
beforeAll(async () => {
  day = await HeadlessDay.begin(
    "claude",
    {
      picky: {},
      steady: { ...NO_TRIAGE, debounce_ms: 3_600_000 },
      busy: { ...NO_TRIAGE, tools: ["Bash(touch:*)"] },
      alice: { tools: ["Bash(bellhop:*)", "mcp__bellhop"] },
      bob: {},
      sly: { ...NO_TRIAGE, tools: ["Bash"] },
      reader: { enabled: false },
      desk: NO_TRIAGE,
    },
    { strangers: ["found"], prepare: registerMcp },
  );
});

/** As docs/mcp.md says. */
async function registerMcp({ bellhop }: HeadlessDay): Promise<void> {
  const added = ["mcp", "add", "--scope", "user", "bellhop", "--", "bellhop", "mcp"];
  await promisify(execFile)("claude", added, { env: bellhop.env, timeout: PATIENCE_MS });
}

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
    const said = await day.saidUntil(failing);
    expect(said).toMatch(/Remember the plum\..*NOTED.*A peach\?.*PEACH.*A pear\?/su);
    expect(said).not.toContain("plants are green");
  });
});

describe("many messages", () => {
  it("become a turn at once when there are enough, and nothing is read twice", async () => {
    const sent: Sent[] = [];
    for (let number = 1; number <= 30; number++) sent.push(await day.send("steady", `item ${number}!`));
    const [first, last] = [sent[0], sent[29]] as [Sent, Sent];
    const full = await day.turnAbout("steady", first);
    expect(full.messages.map(({ shortId }) => shortId)).toEqual(
      sent.slice(0, 20).map(({ shortId }) => shortId),
    );
    expect((await day.turns("steady")).waiting).toMatchObject([{ agent: "steady", messages: 10 }]);
    // The rest would wait for an hour.
    await day.bellhop.json(["agent", "auto-run", "steady", "on", "--set", "debounce_ms=0"]);
    await day.turnAbout("steady", last);

    const { turns } = await day.turns("steady");
    expect(turns.map(({ messages }) => messages.length)).toEqual([10, 20]);
    const prompts = day.requestsOf("steady").flatMap(({ newPrompts }) => newPrompts);
    const read = prompts.map((prompt) =>
      [...prompt.matchAll(/item (\d+)!/gu)].map(([, number]) => Number(number)),
    );
    const numbers = Array.from({ length: 30 }, (_, at) => at + 1);
    expect(read.filter((some) => some.length > 0)).toEqual([numbers.slice(0, 20), numbers.slice(20)]);
    const states = await Promise.all(sent.map(async (one) => (await day.delivery(one)).state));
    expect(states).toEqual(numbers.map((number) => (number === 20 || number === 30 ? "replied" : "read")));
    await day.neverTwoAtOnce("steady");
  });

  it("that come during a turn start the next one, and meanwhile anybody can see what it does", async () => {
    day.does("Take your time.", { call: { shell: "touch here" } });
    const slow = await day.send("busy", "Take your time.");
    const holding = day.model.on(
      ({ kind, toolResults }) => kind === "tool_result" && toolResults.length > 0,
      {
        untilFinished: true,
        say: "FINISHED",
      },
    );
    const running = await day.turnWith("busy", slow, ({ doing }) => doing === "Bash: touch here");
    const request = await day.model.waitForRequest(({ kind }) => kind === "tool_result");
    const later = [await day.send("busy", "And then this."), await day.send("busy", "And that.")] as const;
    const shown = (await day.bellhop.run(["turns"])).stdout;
    expect(shown).toMatch(
      new RegExp(`^${running.id} +busy +${running.sessionId} +running .* Bash: touch here$`, "mu"),
    );
    expect(shown).toMatch(/^busy: 2 messages wait; /mu);
    expect((await day.bellhop.run(["turn", "show", running.id])).stdout).toContain("Bash: touch here");
    expect((await day.bellhop.run(["peek", "busy"])).stdout).toContain("Bash: touch here");
    holding();
    request.finish();
    expect(await day.turnAbout("busy", slow)).toMatchObject({
      state: "done",
      answer: expect.stringMatching(/FINISHED$/u),
    });
    const next = await day.turnAbout("busy", later[1]);
    expect(next.messages.map(({ shortId }) => shortId)).toEqual(later.map(({ shortId }) => shortId));
    await day.neverTwoAtOnce("busy");
  });
});

describe("an agent that writes to another", () => {
  it.each([
    ["its command line", { shell: 'bellhop send bob "How many lights are there?"' }, "lights"],
    [
      "its tool",
      { tool: "mcp__bellhop__send_message", input: { to: "bob", text: "How many doors are there?" } },
      "doors",
    ],
  ])("by %s is answered by its turn, and reads the answer in the next one", async (_, call, things) => {
    day.does(`Ask bob about ${things}.`, { call });
    day.does(`How many ${things}`, { say: `There are four ${things}.` });
    day.does(`There are four ${things}.`, { say: `Thank you for the ${things}.` });
    day.judges(`Thank you for the ${things}.`, { say: "NO\nIt is only thanks." });
    const asked = await day.send("alice", `Ask bob about ${things}.`);
    const first = await day.turnAbout("alice", asked);
    expect(first).toMatchObject({ state: "done", answer: "TOOL DONE" });
    const question = await day.message("bob", `How many ${things}`);
    expect(question).toMatchObject({ from: "agent/alice", to: "agent/bob", source: "agent" });
    expect(await day.promptAbout(question)).toContain(`message from: alice (${first.sessionId})`);
    const answer = await day.message("alice", `There are four ${things}.`);
    expect(answer).toMatchObject({ from: "agent/bob", to: "agent/alice", replyTo: question.id });
    expect(await day.turnAbout("alice", answer)).toMatchObject({ sessionId: first.sessionId, state: "done" });
    expect(await day.saidUntil(answer)).toContain(`Ask bob about ${things}.`);
    const thanks = await day.message("bob", `Thank you for the ${things}.`);
    expect(await day.turnAbout("bob", thanks)).toMatchObject({ state: "declined" });
    expect((await day.delivery(question)).state).toBe("replied");
  });

  it("can do nothing that an agent may not do, whatever it hides", async () => {
    const [bobs] = (await day.turns("bob")).turns;
    const attempts = [
      "turns stop",
      "agent auto-run sly on --set tools=Bash,Read",
      "agent add mole",
      "inbox bob --take",
      "send reader Words",
      "send reader Forged --from person/somebody",
    ];
    const bare = 'env -i PATH="$PATH" HOME="$HOME" BELLHOP_HOME="$BELLHOP_HOME"';
    const guises = ["", bare, `${bare} BELLHOP_SESSION_ID=${bobs?.sessionId} BELLHOP_AGENT=bob setsid`];
    const lines = guises.flatMap((guise) => attempts.map((attempt) => `${guise} bellhop ${attempt} 2>&1`));
    writeFileSync(join(day.folder("sly"), "attack.sh"), `${lines.join("\n")}\n`);
    const sent = await day.send("sly", "[[bash sh attack.sh]]");
    await day.turnAbout("sly", sent);
    const said = day
      .requestsOf("sly")
      .flatMap(({ toolResults }) => toolResults)
      .join("\n");
    const refused = ["admin", "admin", "name", "mail-of-others"];
    expect(
      [...said.matchAll(/^bellhop: Agent "sly" may not .*: the right "([\w-]+)" is missing\.$/gmu)].map(
        ([, right]) => right,
      ),
    ).toEqual(guises.flatMap(() => refused));
    expect(said.match(/^bellhop: An agent speaks for itself: /gmu)).toHaveLength(guises.length);
    const { entries } = await day.bellhop.ask("history", { who: "reader" });
    expect(entries.map(({ message: { from, source, body } }) => ({ from, source, body }))).toEqual(
      guises.map(() => ({ from: "agent/sly", source: "agent", body: "Words" })),
    );
    expect((await day.turns("sly")).switch.off).toBe(false);
  });
});

describe("an agent that is also open in a terminal", () => {
  beforeAll(async () => {
    const installed = await day.bellhop.run(["hooks", "install", "claude", "--allow-rules"]);
    expect(installed.code).toBe(0);
  });

  const AUTO_RUN = ["agent", "auto-run", "found", "on", "--set", "triage_model=", "--set", "debounce_ms=0"];
  it.each([
    ["found", "was found there, and told to take turns later", AUTO_RUN],
    ["desk", "stands in config.yaml, and was given to the program there", ["name", "desk-2", "desk"]],
  ])(
    "%s, which %s, is not run beside it; its conversation goes on, here and there",
    async (name, _, command) => {
      const first = await day.opens(name);
      await day.bellhop.json(command);
      await day.untilIdle(name);
      const figs = await day.send(name, "Remember the fig. [[say FIG NOTED]]");
      await day.reaches(figs, "read");
      expect((await day.delivery(figs)).transport).not.toBe("headless");
      expect((await day.turns(name)).turns).toEqual([]);

      await day.closes(first, name);
      const asked = await day.send(name, "Which fruit? [[say A FIG]]");
      expect(await day.turnAbout(name, asked)).toMatchObject({ state: "done", answer: "A FIG" });
      expect(await day.saidUntil(asked)).toMatch(/Remember the fig\..*FIG NOTED.*Which fruit\?/su);

      await day.opens(name, ["--resume", day.conversationIn(name)]);
      await day.untilIdle(name);
      const last = await day.send(name, "Is it ripe? [[say RIPE]]");
      await day.reaches(last, "read");
      expect((await day.delivery(last)).transport).not.toBe("headless");
      expect(await day.saidUntil(last)).toMatch(/FIG NOTED.*Which fruit\?.*A FIG.*Is it ripe\?/su);
      expect((await day.turns(name)).turns).toHaveLength(1);
    },
  );
});
