/** Real programs that Bellhop knows only by data: `bellhop profile add NAME`, and messages get in, or wait. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PlaceKind } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { PI, QWEN, type TaughtProgram } from "../rig/taught.ts";
import type { Typist } from "../rig/typist.ts";
import { deskParts, PATIENCE_MS, PERSON, ProgramDesk } from "./program-desk.ts";

beforeAll(assertInNamespace);

class TaughtDesk extends ProgramDesk {
  static async seated(program: TaughtProgram, where: PlaceKind) {
    const desk = new TaughtDesk(await deskParts(""), where);
    const added = await desk.bellhop.run(["profile", "add", program.name]);
    if (added.code !== 0) throw new Error(added.stderr);
    const window = await desk.seatProgram("coder", { start: program.start, hooks: "" });
    return { desk, window };
  }
}

interface Scenes {
  /** Makes it show something that is no composer, by which the person is asked. */
  asks(desk: TaughtDesk, typist: Typist, window: RunningAgent): Promise<void>;
  readonly hold: "blocked" | "unknown";
  readonly shown: string;
  /** What an urgent message does to a turn. */
  readonly urgent: "stops it" | "waits";
}

const SCENES: Readonly<Record<TaughtProgram["name"], Scenes>> = {
  pi: {
    asks: async (desk, typist, window) => {
      await typist.type("/settings");
      await desk.shows(window, "/settings");
      typist.press("\r");
    },
    hold: "blocked",
    shown: "Esc to cancel",
    urgent: "stops it",
  },
  qwen: {
    asks: async (desk, typist, window) => {
      const input = { command: "touch answered", description: "asks", is_background: false };
      await desk.say(typist, window, `[[tool run_shell_command ${JSON.stringify(input)}]]`);
    },
    hold: "blocked",
    shown: "Allow execution of",
    urgent: "waits",
  },
};

for (const program of [PI, QWEN]) {
  describe.each(["tmux", "hosted"] as const)(`${program.name}, %s`, (where) => {
    const scenes = SCENES[program.name];
    let desk: TaughtDesk;
    let window: RunningAgent;
    let typist: Typist;

    beforeAll(async () => {
      ({ desk, window } = await TaughtDesk.seated(program, where));
      typist = await desk.typist(window);
    });
    beforeEach(() => desk.untilIdle(window));
    afterAll(() => desk?.close());

    const prompt = ({ shortId }: { readonly shortId: string }, body: string) =>
      `[message from: ${PERSON} #${shortId}] ${body}`;

    it("idle: takes a message exactly, once, and the screen proves it", async () => {
      const sent = await desk.send("coder", "The tests are green; 四つ 🙂.");
      expect((await desk.arrives(sent)).prompt).toBe(prompt(sent, "The tests are green; 四つ 🙂."));
      expect(await desk.reaches(sent, "delivered")).toMatchObject({ transport: "paste", evidence: "screen" });
      expect(desk.copiesOf(sent)).toBe(1);
    });

    it("busy: the message waits for the end of the turn", async () => {
      const turn = await desk.say(typist, window, "work on it [[busy]]");
      const sent = await desk.send("coder", "while it works");
      await desk.isHeld(sent, "busy");
      expect(desk.copiesOf(sent)).toBe(0);
      turn.finish();
      expect((await desk.arrives(sent)).prompt).toBe(prompt(sent, "while it works"));
      expect(turn.aborted).toBe(false);
    });

    it("draft: a person's text is never sent with a message", async () => {
      const draft = "my half-typed idea";
      await typist.type(draft);
      await desk.shows(window, draft);
      const sent = await desk.send("coder", "behind a draft");
      await desk.isHeld(sent, "typing");
      typist.press("\r");
      await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
      expect((await desk.arrives(sent)).prompt).toBe(prompt(sent, "behind a draft"));
      expect(desk.copiesOf(sent)).toBe(1);
    });

    it("dialog: is never answered by a message", async () => {
      await scenes.asks(desk, typist, window);
      await desk.shows(window, scenes.shown);
      const sent = await desk.send("coder", "1");
      await desk.isHeld(sent, scenes.hold);
      expect(await window.terminal.screen()).toContain(scenes.shown);
      typist.press("\x1b");
      await desk.shows(window, (screen) => !screen.includes(scenes.shown));
      expect((await desk.arrives(sent)).prompt).toBe(prompt(sent, "1"));
      expect(existsSync(join(window.repo, "answered"))).toBe(false);
    });

    it("urgent: stops the turn with one key, or waits for its end", async () => {
      const turn = await desk.say(typist, window, "a long story [[busy]]");
      await desk.shows(window, "word3");
      const urgent = await desk.send("coder", "stop and look", { priority: "interrupt" });
      if (scenes.urgent === "waits") {
        await desk.isHeld(urgent, "busy");
        turn.finish();
      }
      expect((await desk.arrives(urgent)).prompt).toBe(prompt(urgent, "stop and look"));
      expect(turn.aborted).toBe(scenes.urgent === "stops it");
      await desk.allAlive();
    });
  });
}
