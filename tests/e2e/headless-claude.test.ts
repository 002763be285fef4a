/** Automatic turns of the real Claude Code, through the daemon's own doors. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { HeadlessDay, NO_TRIAGE, PATIENCE_MS } from "./headless-day.ts";
import {
  CALLS,
  manyBecomeTwo,
  peersAnswer,
  smallModelDecides,
  smallModelFails,
  theNextWaits,
} from "./headless-scenes.ts";

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
    await smallModelDecides(day);
    const { turns } = await day.turns("picky");
    for (const { usd } of turns) expect(usd).toBeGreaterThan(0);
  });

  it("is not needed for those inside: the turn runs, in the same conversation", async () => {
    await smallModelFails(day);
  });
});

describe("many messages", () => {
  it("become a turn at once when there are enough, and nothing is read twice", async () => {
    await manyBecomeTwo(day, 30, 20);
  });

  it("that come during a turn start the next one, and meanwhile anybody can see what it does", async () => {
    await theNextWaits(day, "Bash: touch here");
  });
});

describe("an agent that writes to another", () => {
  it.each(CALLS)("by %s is answered by its turn, and reads the answer in the next one", (_, call, things) =>
    peersAnswer(day, call, things),
  );

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
