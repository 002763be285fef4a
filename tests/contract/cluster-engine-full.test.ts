/** A host that is away for long: what is for it fills its own place in NATS, and nobody else's. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, expect, it } from "vitest";
import { natsEngine } from "../../src/cluster/engine.ts";
import { MOST_BAGS } from "../../src/cluster/layout.ts";
import { NotStored } from "../../src/core/cluster/not-stored.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isUp, Listening } from "./cluster-listening.ts";

const FEW = 3;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

it("keeps no more than so many bags for one host, and any for the others", async () => {
  const nats = await Nats.start();
  closers.push(() => nats.end());
  const opened = async (host: string) => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const engine = natsEngine({ servers: nats.urls, host, stream: "bellhop", clock: systemClock, log });
    closers.push(() => engine.close());
    const ears = new Listening();
    engine.open(ears);
    await isUp(engine);
    return { engine, ears };
  };
  const { engine } = await opened("a");
  const connection = await connect({ servers: [...nats.urls] });
  closers.push(() => connection.close());
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info("bellhop");
  expect(config).toMatchObject({ max_msgs_per_subject: MOST_BAGS, discard_new_per_subject: true });
  await manager.streams.update("bellhop", { max_msgs_per_subject: FEW });

  for (let bag = 0; bag < FEW; bag += 1) await engine.store("b", `b${bag}`, bytes(`${bag}`));
  await expect(engine.store("b", "more", bytes("more"))).rejects.toThrow(
    new NotStored("NATS keeps no more for b: as much as it may waits for it there"),
  );
  await engine.store("c", "c0", bytes("for c"));
  expect(engine.standing().state).toBe("up");

  const b = await opened("b");
  await until(() => b.ears.taken.length === FEW, "what waited");
  await engine.store("b", "more", bytes("more"));
  await until(() => b.ears.taken.length === FEW + 1, "the rest");
});
