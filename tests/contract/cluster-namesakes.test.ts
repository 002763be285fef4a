/** Two machines that joined under one name: the first has it, and the second says so and takes nothing. */
import { afterEach, expect, it } from "vitest";
import { natsEngine } from "../../src/cluster/engine.ts";
import type { ClusterEngine } from "../../src/ports/cluster-engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isDown, isUp, Listening } from "./cluster-listening.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Each recognises its own words. */
async function machine(nats: Nats, own: string): Promise<{ engine: ClusterEngine; ears: Listening }> {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const engine = natsEngine({
    servers: nats.urls,
    host: "laptop",
    stream: "bellhop",
    clock: systemClock,
    log,
  });
  closers.push(() => engine.close());
  const isOwn = (said: Uint8Array) => Buffer.from(said).toString().startsWith(own);
  const ears = Object.assign(new Listening(), { isOwn });
  engine.open(ears);
  await engine.announce(bytes(`${own} is here`));
  return { engine, ears };
}

it("refuses a name that another machine has, until that one leaves", async () => {
  const nats = await Nats.start();
  closers.push(() => nats.end());
  const first = await machine(nats, "old");
  await isUp(first.engine);
  await until(async () => first.ears.standings.at(-1)?.state === "up", "the first");
  await first.engine.announce(bytes("old says it again"));
  const second = await machine(nats, "new");
  expect(await isDown(second.engine)).toContain("another machine is in this cluster as laptop");
  expect(second.engine.standing()).toMatchObject({
    reason: expect.stringContaining(
      "If that was this machine with another key, it is over within two and a half minutes",
    ),
    stuck: true,
  });
  await first.engine.store("laptop", "1", bytes("for the first"));
  await until(() => first.ears.taken.length === 1, "its bag");
  expect([second.ears.taken, first.engine.standing().state]).toEqual([[], "up"]);
});

it("ends the connection of one whose name another takes while it is there", async () => {
  const nats = await Nats.start();
  closers.push(() => nats.end());
  const first = await machine(nats, "old");
  await isUp(first.engine);
  // One that does not look first.
  const careless = natsEngine({
    ...{ servers: nats.urls, host: "laptop", stream: "bellhop", clock: systemClock },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  closers.push(() => careless.close());
  careless.open(new Listening());
  await isUp(careless);
  await careless.announce(bytes("new is here"));
  expect(await isDown(first.engine)).toContain("another machine is in this cluster as laptop");
});
