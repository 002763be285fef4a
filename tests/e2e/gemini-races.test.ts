/** With the real Gemini CLI: a person who starts to type, and a program that ends, at the moment of a delivery. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showsGeminiComposer } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { GeminiDesk, PATIENCE_MS, PERSON } from "./gemini-desk.ts";

const TRIALS = 12;
/** Until it happens once. */
const MOST_CONTROL_TRIALS = 20;
const CONTROL_OFFSETS = 4;
const EXITS = 6;
const BETWEEN_MS = 25;
const MOST_PRESSES = 10;
const SEEN_MS = 1_000;
/** `session_activity` counts whole seconds, so two quiet seconds may take three. */
const QUIET_MS = 3_100;
/** From the call to the first key, on an idle machine. */
const LATENCY_MS = 60;

beforeAll(assertInNamespace);

const offset = (index: number, trials: number) => -BETWEEN_MS + (index * 2 * BETWEEN_MS) / (trials - 1);
const line = (index: number) => `person ${index} types`;

/** Two texts in one prompt. */
const isMixed = (prompt: string) => /person \d+/u.test(prompt) && /\[message from:/u.test(prompt);

describe("a person who starts to type in the very moment of a delivery to Gemini CLI", () => {
  let desk: GeminiDesk;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]");
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  afterAll(() => desk?.close());

  /** Whatever stands in the composer. */
  const clear = async () => {
    for (let presses = 0; presses < 10; presses += 1) {
      if (showsGeminiComposer(await coder.terminal.screen())) return;
      typist.press("\x15");
      await sleep(150);
      typist.press("\x7f");
      await sleep(150);
    }
  };

  it("never has their text sent with a message, and loses no character of it", async () => {
    const outcomes: string[] = [];
    for (let index = 0; index < TRIALS; index += 1) {
      await clear();
      await desk.untilIdle(coder);
      await sleep(QUIET_MS);
      const start = performance.now() + 40;
      const typing = typist.typeAt(start + LATENCY_MS + offset(index, TRIALS), line(index));
      await sleep(start - performance.now());
      const sent = await desk.send("coder", `message ${index} for you`);
      await typing;
      await desk.shows(coder, line(index));
      const { state, hold } = await desk.delivery(sent);
      outcomes.push(hold?.reason ?? state);
      await clear();
      // What could not be submitted is told to the person and not typed again; the rest arrives alone.
      const settled = async () => (await desk.delivery(sent)).state !== "queued";
      await until(settled, "it to be settled", PATIENCE_MS);
    }
    console.log("states right after the line:", outcomes.join(", "));
    expect(desk.model.prompts().filter(isMixed)).toEqual([]);
    for (const prompt of desk.model.prompts()) expect(prompt).toMatch(/^\[message from: .*for you$/u);
    await desk.allAlive();
  }, 600_000);

  it("would have it mixed with plain send-keys, so the race is real", async () => {
    const before = desk.model.prompts().length;
    const mixed = () => desk.model.prompts().slice(before).filter(isMixed);
    for (let index = 0; index < MOST_CONTROL_TRIALS && mixed().length === 0; index += 1) {
      await clear();
      await desk.untilIdle(coder);
      const at = performance.now() + 40 + offset(index % CONTROL_OFFSETS, CONTROL_OFFSETS);
      const typing = typist.typeAt(at, line(index));
      await sleep(40);
      const text = `[message from: ${PERSON} #aaaaa${index}] blindly`;
      await desk.tmux.run("send-keys", "-t", coder.pane, "-l", text);
      await typing;
      const isSubmitted = () => desk.model.prompts().length > before + index;
      // Right behind a text, Enter may be a new line in it.
      for (let presses = 0; presses < MOST_PRESSES && !isSubmitted(); presses += 1) {
        await desk.tmux.run("send-keys", "-t", coder.pane, "Enter");
        await sleep(SEEN_MS);
      }
      await until(isSubmitted, "the prompt", PATIENCE_MS);
    }
    expect(mixed()).not.toEqual([]);
  }, 600_000);
});

describe("a Gemini CLI that ends around the moment of a delivery, with a shell under it", () => {
  let desk: GeminiDesk;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]");
  });
  afterAll(() => desk?.close());

  it("never has a message executed by the shell, which plain send-keys would", async () => {
    const canary = (name: string) => join(desk.tmux.folder, `canary-${name}`);
    const attempted: string[] = [];
    for (let index = 0; index < EXITS; index += 1) {
      const coder = await desk.seat(`coder-${index}`, { under: "shell" });
      const { agentPid } = await agentIn(coder);
      const body = `x; touch ${canary(`m${index}`)} ; touch ${canary(`m${index}`)}`;
      const sent = await desk.send(`coder-${index}`, body);
      const isBegun = async () => (await desk.delivery(sent)).state !== "queued";
      await until(isBegun, "its delivery to begin", PATIENCE_MS);
      // From before the text is typed until after its Enter.
      await sleep(index * 40);
      for (const pid of [...agentPid].toReversed()) process.kill(pid, "SIGKILL");
      attempted.push((await desk.delivery(sent)).state);
      const isAtShell = async () => (await desk.tmux.ask(coder.pane, "#{pane_current_command}")) === "bash";
      await until(isAtShell, "its shell", PATIENCE_MS);
      await sleep(500);
      await desk.tmux.run("send-keys", "-t", coder.pane, "Enter");
      await sleep(300);
      expect(existsSync(canary(`m${index}`)), await coder.terminal.screen()).toBe(false);
      // The same text, blindly.
      await desk.tmux.run("send-keys", "-t", coder.pane, "-l", `x; touch ${canary(`c${index}`)}`);
      await desk.tmux.run("send-keys", "-t", coder.pane, "Enter");
      await until(() => existsSync(canary(`c${index}`)), "the shell to run it", PATIENCE_MS);
    }
    console.log("states when it was killed:", attempted.join(", "));
    expect(attempted).toContain("delivering");
  }, 600_000);

  /** Gemini and the copy of itself that it starts. */
  async function agentIn({ pane }: RunningAgent): Promise<{ readonly agentPid: readonly number[] }> {
    const shell = await desk.tmux.ask(pane, "#{pane_pid}");
    const children = (pid: string) =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
        .split(" ")
        .filter((child) => child !== "");
    const first = children(shell);
    return { agentPid: [...first, ...first.flatMap(children)].map(Number) };
  }
});
