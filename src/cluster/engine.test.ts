import { expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { natsEngine } from "./engine.ts";

it("whoever is told how the engine stands, and fails, does not end it", async () => {
  const work = new OpenWork();
  const clock = new FakeClock(work);
  const failures: object[] = [];
  let tries = 0;
  const engine = natsEngine({
    ...{ servers: ["nats://127.0.0.1"], host: "a", stream: "bellhop", clock },
    // Each time in other words, so that each is told.
    credentials: () => {
      tries += 1;
      throw new Error(`try ${tries}`);
    },
    log: {
      ...{ info: () => {}, warn: () => {} },
      error: (_, fields) => void failures.push({ ...fields }),
    },
  });
  const told: string[] = [];
  engine.open({
    ...{ bag: async () => {}, announced: () => {} },
    standing: ({ state }) => {
      told.push(state);
      throw new Error("the database cannot be read");
    },
  });
  await clock.advance(0);
  expect(told).toEqual(["down"]);
  await clock.advance(600_000);
  expect(tries).toBeGreaterThan(2);
  expect(told).toHaveLength(tries);
  expect(failures).toHaveLength(tries);
  expect(failures[0]).toEqual({ why: "Error: the database cannot be read" });
  await engine.close();
});
