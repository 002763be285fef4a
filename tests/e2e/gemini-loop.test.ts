import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { showsGeminiPermissionDialog } from "../rig/gemini.ts";
import type { ModelPlan } from "../rig/model-plan.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { type ScriptedAgent, until } from "../rig/scripted-agent.ts";
import { GeminiDesk, PATIENCE_MS, PERSON } from "./gemini-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)(
  "Gemini CLI with its default permissions, after the hooks were installed, in %s",
  (where) => {
    let desk: GeminiDesk;
    let asker: RunningAgent;
    let coder: RunningAgent;
    let reviewer: ScriptedAgent & { readonly id: string };

    beforeAll(async () => {
      desk = await GeminiDesk.open("", where);
      reviewer = await desk.seatScripted("reviewer");
      asker = await desk.seat("asker");
      coder = await desk.seat("coder");
    });
    beforeEach(() => Promise.all([desk.untilIdle(asker), desk.untilIdle(coder)]));
    afterEach(() => desk.allAlive());
    afterAll(() => desk?.close());

    const says =
      (text: string) =>
      ({ newPrompts }: ModelRequest) =>
        newPrompts.some((prompt) => prompt.includes(text));

    /** What the prompt tells the model to run, word for word, with a text of its own in place of the blank. */
    const answer = (prompts: readonly string[], reply: string): ModelPlan => {
      const hint = /To reply: (bellhop (?:send|reply) .*"<your reply>")$/mu.exec(prompts.join("\n"))?.[1];
      if (hint === undefined) throw new Error(`There is no hint in ${JSON.stringify(prompts)}.`);
      return { call: { shell: hint.replace("<your reply>", reply) } };
    };
    const runs = async (shortId: string, command: string) => {
      desk.model.on(says(`#${shortId}]`), { call: { shell: command } });
    };
    const idOf = async (window: RunningAgent) => (await desk.sessionIn(window))?.id;

    it("answers a message by running its hint, and the answer comes back as its own", async (context) => {
      const question = await desk.send("coder", "How many lights are there?", {
        claims: { user: PERSON, session: reviewer.id },
      });
      desk.model.on(says(`#${question.shortId}]`), ({ newPrompts }) =>
        answer(newPrompts, "There are four; 四つ 🙂."),
      );
      await until(
        () => reviewer.prompts().some((prompt) => prompt.includes("There are four")),
        "the answer",
        PATIENCE_MS,
      );
      const header = `[message from: coder (${await idOf(coder)}) #`;
      const [told = ""] = reviewer.prompts().filter((prompt) => prompt.includes("There are four"));
      expect(told.slice(0, header.length)).toBe(header);
      await desk.reaches(question, "replied");
      expect(showsGeminiPermissionDialog(await coder.terminal.screen())).toBe(false);
      proves(context, {
        program: "gemini",
        terminal: where,
        scene: "the agent replies",
        rung: "paste",
        outcome: "replied",
      });
    });

    it("asks another Gemini, which answers, and its conversation can be read", async () => {
      const order = await desk.send("asker", "Please ask the coder for its port.");
      await runs(order.shortId, "bellhop ask coder 'Which port is it?' --within 60s");
      desk.model.on(says("Which port is it?"), ({ newPrompts }) => answer(newPrompts, "It is 2355."));
      const told = ({ kind, toolResults }: ModelRequest) =>
        kind === "tool_result" && toolResults.join().includes("It is 2355.");
      await desk.model.waitForRequest(told, { timeoutMs: PATIENCE_MS });
      await desk.untilIdle(asker);
      const { entries } = await desk.client.call("transcript", { who: "asker" });
      const said = entries.map(({ by, text }) => `${by}: ${text}`);
      expect(said.filter((line) => line.includes("Please ask the coder for its port."))).toHaveLength(1);
      expect(said.join("\n")).toMatch(/^tool: .*bellhop ask coder 'Which port is it\?'/mu);
      expect(said.join("\n")).not.toContain("<session_context>");
    });

    it.each([
      ["a second command", "bellhop send reviewer 'x'; touch made"],
      ["one in its text", 'bellhop send reviewer "$(touch made)"'],
      ["one in backticks", "bellhop send reviewer `touch made`"],
      ["a redirection", "bellhop send reviewer 'x' > made"],
      ["a pipe", "bellhop send reviewer 'x' | tee made"],
      ["one behind the background", "bellhop send reviewer 'x' & touch made"],
      ["another folder's file", "cat ../../../secret"],
      ["a command that is not the agent's", "bellhop stop reviewer"],
    ])("still asks about %s beside what it may run", async (_, command) => {
      const typist = await desk.typist(coder);
      const sent = await desk.send("coder", "Try it.");
      await runs(sent.shortId, command);
      await desk.shows(coder, showsGeminiPermissionDialog);
      expect(readdirSync(coder.repo)).not.toContain("made");
      typist.press("\x1b");
      await desk.untilIdle(coder);
      expect(existsSync(join(coder.repo, "made"))).toBe(false);
      expect(reviewer.prompts().join()).not.toContain("] x");
      await typist.close();
    });
  },
);
