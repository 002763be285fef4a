/**
 * Three hosts and a NATS of three nodes on machines of their own, load without a pause, and everything that goes wrong.
 * In `npm test` each trouble comes once, for a few seconds; `npm run hardship -- --minutes N` goes on for as long as that.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterDay } from "../rig/cluster-day.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { ScriptedAgent } from "../rig/scripted-agent.ts";
import { faultsOf } from "./checker.ts";
import { Course } from "./course.ts";
import { Dice } from "./dice.ts";
import { Load } from "./load.ts";
import { tableOf } from "./table.ts";
import { TROUBLES } from "./troubles.ts";
import { Witness } from "./witness.ts";

const {
  BELLHOP_HARDSHIP_MINUTES = "0",
  BELLHOP_HARDSHIP_ONLY = "",
  BELLHOP_HARDSHIP_SEED = "1",
} = process.env;
const MINUTE_MS = 60_000;
const LENGTH_MS = Number(BELLHOP_HARDSHIP_MINUTES) * MINUTE_MS;
/** Two who read, and two who write, on each: who answers whoever writes to them would be a loop. */
const SEATS = [
  ["laptop", "ann"],
  ["laptop", "abe"],
  ["desk", "bob"],
  ["desk", "bea"],
  ["cloud", "cid"],
  ["cloud", "cleo"],
] as const;

const WRITERS = [
  ["laptop", "walt"],
  ["laptop", "wilma"],
  ["desk", "xeno"],
  ["desk", "xenia"],
  ["cloud", "yves"],
  ["cloud", "yoko"],
] as const;

beforeAll(assertInNamespace);

describe("a hard day of three hosts", () => {
  let day: ClusterDay;
  const agents = new Map<string, ScriptedAgent>();

  beforeAll(async () => {
    day = await ClusterDay.begin({ hosts: ["laptop", "desk", "cloud"], nodes: 3 });
    for (const [host, name] of SEATS) agents.set(`${host}/${name}`, await day.seat(host, name));
    for (const [host, name] of WRITERS) await day.host(host).bellhop.json(["agent", "add", name]);
    for (const [host, name] of SEATS) await day.untilKnown(name, host);
  });
  afterAll(() => day?.end());

  it(
    "loses nothing, types nothing twice, keeps the order, and both sides agree",
    async () => {
      const dice = new Dice(Number(BELLHOP_HARDSHIP_SEED));
      const asked = TROUBLES.filter(({ name }) => name.includes(BELLHOP_HARDSHIP_ONLY));
      expect(asked, `troubles with "${BELLHOP_HARDSHIP_ONLY}" in their names`).not.toEqual([]);
      const writers = WRITERS.map(([host, name]) => ({ host, name, home: day.host(host).bellhop.home }));
      const readers = SEATS.map(([host, name]) => ({ host, name }));
      const load = new Load(writers, readers, dice.another());
      const course = new Course(day, load, new Witness(agents));
      const until = performance.now() + LENGTH_MS;
      try {
        do {
          for (const trouble of dice.shuffled(asked)) {
            const { lastedMs, messages, readAfterMs, knownAfterMs } = await course.endure(
              trouble,
              lengthMs(dice, until - performance.now()),
              dice,
            );
            console.log(
              `${trouble.name}: ${lastedMs} ms, ${messages} messages; all read ${readAfterMs} ms and known ${knownAfterMs} ms after the healing`,
            );
            if (LENGTH_MS > 0 && performance.now() > until) break;
          }
        } while (performance.now() < until);
        await course.settle();
      } finally {
        await load.stop();
        console.log(
          `${tableOf(course.endured)}\n${load.sent.length} messages, seed ${BELLHOP_HARDSHIP_SEED}`,
        );
      }
      const history = await course.history();
      const marked = [...history.there.values()].flat().filter(({ possibleDuplicate }) => possibleDuplicate);
      console.log(`${marked.length} are marked as possible duplicates`);
      expect(load.refused).toEqual([]);
      expect(faultsOf(history)).toEqual([]);
      expect(load.acknowledged().length).toBe(load.sent.length);
    },
    LENGTH_MS + 15 * MINUTE_MS,
  );
});

/** Mostly short; in a long run some last longer than the engine's and the hosts' own patience. */
function lengthMs(dice: Dice, leftMs: number): number {
  if (LENGTH_MS === 0) return dice.between(2_000, 3_500);
  const chance = dice.roll();
  if (chance < 0.05 && leftMs > 4 * MINUTE_MS) return dice.between(100_000, 150_000);
  if (chance < 0.3 && leftMs > MINUTE_MS) return dice.between(12_000, 40_000);
  return dice.between(2_000, 12_000);
}
