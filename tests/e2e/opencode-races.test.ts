/** A person types, or OpenCode ends, at the moment of a delivery. A message never goes through the terminal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { OpencodeDesk, PATIENCE_MS, PERSON } from "./opencode-desk.ts";

beforeAll(assertInNamespace);

const TRIALS = 20;
const START_PAGE_TRIALS = 12;
const EXITS = 4;
const CONTROLS = 6;
/** The keys of a line take about this long. */
const LINE_MS = 400;
const FAST = { charactersPerSecond: 50 };

/** How long before the first key the sending begins at most: a message needs a moment until it leaves the start page. */
const AHEAD_MS = { conversation: 60, startPage: 400 } as const;

/** Spread evenly over the line and a little before it, the same in every run. */
const offset = (index: number, aheadMs: number) =>
  -aheadMs + ((index * 7919) % 1000) * ((LINE_MS + aheadMs) / 1000);

describe("a person who types at the moment of a delivery to OpenCode", () => {
  let desk: OpencodeDesk;
  let coder: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await OpencodeDesk.open();
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  afterAll(() => desk?.close());

  /** Types a line from now on, and does something in between. */
  const during = async <T>(
    index: number,
    line: string,
    act: () => Promise<T>,
    aheadMs: number = AHEAD_MS.conversation,
  ): Promise<T> => {
    const typing = typist.typeAt(performance.now() + aheadMs, line, FAST);
    await sleep(aheadMs + offset(index, aheadMs));
    const [done] = await Promise.all([act(), typing]);
    return done;
  };
  const submitted = async (line: string) => {
    await desk.shows(coder, line.slice(-12));
    typist.press("\r");
    await desk.model.waitForPrompt(line, { timeoutMs: PATIENCE_MS });
  };

  it("finds their line as they typed it on the start page, and the message alone", async () => {
    const expected: string[] = [];
    for (let index = 0; index < START_PAGE_TRIALS; index += 1) {
      const line = `page ${index} ${"abcdefghij"}z${index}`;
      const send = () => desk.send("coder", `for page ${index}`);
      const sent = await during(index, line, send, AHEAD_MS.startPage);
      // It may wait for the line, or have been there first.
      await submitted(line);
      await desk.reaches(sent, "read");
      expected.push(line, `[message from: ${PERSON} #${sent.shortId}]\nfor page ${index}`);
      await desk.untilIdle(coder);
      await desk.order(typist, coder, "/new");
      await desk.shows(coder, "Ask anything");
    }
    expect(desk.model.prompts().toSorted()).toEqual(expected.toSorted());
  });

  it("finds their line as they typed it in a conversation, and the message alone", async () => {
    const first = await desk.send("coder", "begins it");
    await desk.reaches(first, "read");
    await desk.untilIdle(coder);
    const before = desk.model.prompts().length;
    const expected: string[] = [];
    for (let index = 0; index < TRIALS; index += 1) {
      const line = `line ${index} ${"abcdefghij"}z${index}`;
      const sent = await during(index, line, () => desk.send("coder", `message ${index}`));
      await submitted(line);
      await desk.reaches(sent, "read");
      expected.push(line, `[message from: ${PERSON} #${sent.shortId}]\nmessage ${index}`);
      await desk.untilIdle(coder);
    }
    expect(desk.model.prompts().slice(before).toSorted()).toEqual(expected.toSorted());
  });

  it("would find them mixed with a paste, so the race is real", async () => {
    let mixed = 0;
    for (let index = 0; index < CONTROLS; index += 1) {
      const before = desk.model.prompts().length;
      const line = `control ${index} ${"abcdefghij"}z${index}`;
      await during(index, line, async () => {
        await desk.tmux.run("set-buffer", "-b", "control", `[message #${index}] look`);
        await desk.tmux.run("paste-buffer", "-p", "-b", "control", "-t", coder.pane);
        await desk.tmux.run("send-keys", "-t", coder.pane, "Enter");
      });
      typist.press("\r");
      await until(() => desk.model.prompts().length > before, "a prompt", PATIENCE_MS);
      await desk.untilIdle(coder);
      const got = desk.model.prompts().slice(before);
      if (!got.includes(line)) mixed += 1;
    }
    console.log(`control arm, a paste: ${mixed} of ${CONTROLS} mixed`);
    expect(mixed).toBeGreaterThan(CONTROLS / 3);
  });
});

describe("an OpenCode that ends at the moment of a delivery", () => {
  let desk: OpencodeDesk;

  beforeAll(async () => {
    desk = await OpencodeDesk.open();
  });
  afterAll(() => desk?.close());

  const isAtShell = async ({ pane }: RunningAgent) =>
    (await desk.tmux.ask(pane, "#{pane_current_command}")) === "bash";
  const end = async (window: RunningAgent, afterMs: number) => {
    const shell = await window.terminal.program();
    const [opencode] = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").split(" ");
    await sleep(afterMs);
    process.kill(Number(opencode), "SIGTERM");
    await until(() => isAtShell(window), "the shell", PATIENCE_MS);
    await desk.tmux.run("send-keys", "-t", window.pane, "Enter");
  };

  it("leaves nothing for its shell to execute", async () => {
    for (let index = 0; index < EXITS; index += 1) {
      const window = await desk.seat(`leaver${index}`, { under: "shell" });
      const canary = join(window.repo, "canary");
      const sending = desk.send(`leaver${index}`, `x\ntouch ${canary}\n`);
      await end(window, index * 40);
      const sent = await sending;
      const { state } = await desk.delivery(sent);
      console.log(`exit ${index}: ${state}`);
      expect(existsSync(canary)).toBe(false);
      expect(await window.terminal.screen()).not.toContain("canary");
    }
  });

  it("would leave its shell a line to execute with plain keys, so the race is real", async () => {
    const window = await desk.seat("control", { under: "shell" });
    const canary = join(window.repo, "canary");
    const ending = end(window, 0);
    // Until the shell has them: OpenCode takes a moment to end.
    for (let keys = 0; keys < 50 && !existsSync(canary); keys += 1) {
      await desk.tmux.run("send-keys", "-t", window.pane, "-l", ` touch ${canary}`);
      await desk.tmux.run("send-keys", "-t", window.pane, "Enter");
      await sleep(100);
    }
    await ending;
    expect(existsSync(canary)).toBe(true);
  });
});
