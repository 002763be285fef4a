/**
 * In a hosted terminal this race cannot be lost, by design; a thousand tries only check that the design was implemented.
 * Everything that reaches the program goes through one queue in one process with one thread: the host. There is
 * no second way to its keyboard. In that queue
 * - a delivery is one write of text and Enter, so no key lands inside it;
 * - the last check and that write happen in one turn of the thread, so no key comes between the two;
 * - the check refuses while a key is younger than the quiet time, while the program has not drawn an answer to one yet,
 *   while a line of the bar waits for its Enter, and while a person has the keyboard to themselves (passthrough).
 * A key thus comes either after the whole message or long before it, and a line that is half typed holds the message.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import type { HostViewer } from "../rig/host-viewer.ts";
import { type HostedAgent, startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE } from "../rig/scripted-agent.ts";
import { handsOn, untilMoment } from "../rig/typist.ts";
import { pace, type RaceDesk, TypingRaces, told } from "./typing-race.ts";

const SESSIONS = 25;
const TRIALS = 40;
const CONTROL_TRIALS = 8;
/** A host knows to the millisecond when somebody typed. */
const QUIET_MS = 2_050;
const LEAST_MIXED_BY_CONTROL = 0.25;
const SIZE = { cols: 100, rows: 12 };

interface Desk extends RaceDesk {
  readonly agent: HostedAgent;
  readonly viewer: HostViewer;
}

let bellhop: Bellhop;
let desks: Desk[];
let races: TypingRaces;

/** Bare keys are the hardest: nothing announces them. */
const WAYS = ["keys", "keys", "passthrough", "bar"] as const;
const wayOf = (trial: number) => WAYS[Math.floor(trial / 2) % WAYS.length] ?? "keys";

async function typeLine(viewer: HostViewer, line: string, startMs: number, trial: number): Promise<void> {
  const hands = handsOn((bytes) => viewer.press(bytes));
  const way = wayOf(trial);
  switch (way) {
    case "keys":
      await hands.typeAt(startMs, line, pace(trial));
      hands.press("\r");
      return;
    case "passthrough":
      await untilMoment(startMs);
      viewer.say({ type: "passthrough", on: true });
      await hands.type(line, pace(trial));
      hands.press("\r");
      viewer.say({ type: "passthrough", on: false });
      return;
    case "bar":
      await untilMoment(startMs);
      viewer.say({ type: "submit", text: line });
      return;
    default:
      way satisfies never;
  }
}

beforeAll(async () => {
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ndelivery: { input_poll_interval: 1 }\n` });
  await bellhop.start();
  desks = [];
  for (let index = 0; index < SESSIONS; index += 1) {
    const agent = await startHostedAgent(bellhop, `desk-${index}`);
    const viewer = await agent.attach(SIZE);
    desks.push({
      agent,
      viewer,
      expected: [],
      typeLine: (line, startMs, trial) => typeLine(viewer, line, startMs, trial),
    });
  }
  races = new TypingRaces(desks, await bellhop.client(), { quietMs: QUIET_MS });
});

afterAll(async () => {
  for (const { viewer } of desks) viewer.close();
  await bellhop.dispose();
});

describe("a person at a hosted terminal who starts to type in the very moment of a delivery", () => {
  it("never finds a message in their line, nor their line in a message", async () => {
    const trials = await races.run(TRIALS);
    console.log(told(trials));
    expect(trials).toHaveLength(SESSIONS * TRIALS);
    for (const { agent, expected } of desks) expect(agent.prompts().toSorted()).toEqual(expected.toSorted());
    for (const { viewer } of desks) expect(viewer.told.filter(({ type }) => type === "refused")).toEqual([]);
  }, 900_000);

  it("would find them mixed if the text passed the queue as keys and not as a delivery, so the race is real", async () => {
    const strangers = await Promise.all(desks.map(({ agent }) => agent.attach(SIZE)));
    try {
      // Only bare keys: the host keeps a line of the bar, and one in passthrough, together for everybody.
      const rate = await new TypingRaces(
        desks.map(({ viewer, ...desk }) => ({
          ...desk,
          typeLine: async (line, startMs, trial) => {
            const hands = handsOn((bytes) => viewer.press(bytes));
            await hands.typeAt(startMs, line, pace(trial));
            hands.press("\r");
          },
        })),
        await bellhop.client(),
        { quietMs: QUIET_MS },
      ).runBlind(CONTROL_TRIALS, (deskIndex, text) => {
        strangers[deskIndex]?.press(text);
        strangers[deskIndex]?.press("\r");
      });
      console.log(
        `control arm, blind keys: ${Math.round(rate * 100)} % of ${CONTROL_TRIALS * SESSIONS} mixed`,
      );
      expect(rate).toBeGreaterThanOrEqual(LEAST_MIXED_BY_CONTROL);
    } finally {
      for (const stranger of strangers) stranger.close();
    }
  }, 300_000);
});
