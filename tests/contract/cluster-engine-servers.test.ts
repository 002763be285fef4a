/** Three servers that are one NATS: what is stored is on all of them, and the loss of one is not the end of anything. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { natsEngine } from "../../src/cluster/engine.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { ClusterEngine } from "../../src/ports/cluster-engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats, type NatsServer } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isDown, isUp, Listening } from "./cluster-listening.ts";

const PATIENCE_MS = 180_000;
const engines: ClusterEngine[] = [];
let nats: Nats;

function engine(servers: readonly string[], host: HostName, ears = new Listening()): ClusterEngine {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const made = natsEngine({ servers, host, stream: "bellhop", clock: systemClock, log });
  engines.push(made);
  made.open(ears);
  return made;
}

function serverOf(one: ClusterEngine): NatsServer {
  const standing = one.standing();
  const name = standing.state === "up" ? standing.server : undefined;
  const found = nats.servers.find(({ port }) => name?.endsWith(`:${port}`));
  if (found === undefined) throw new Error(`connected to ${name}`);
  return found;
}

/** As the office does: until it is stored, under another name each time. */
async function stores(one: ClusterEngine, to: HostName, text: string): Promise<void> {
  let tries = 0;
  await until(
    async () => {
      tries += 1;
      return one.store(to, `${text}, try ${tries}`, bytes(text)).then(
        () => true,
        () => false,
      );
    },
    () => `${text} to be stored: ${JSON.stringify(one.standing())}`,
    PATIENCE_MS,
  );
}

beforeEach(async () => {
  nats = await Nats.start({ servers: 3 });
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((one) => one.close()));
  await nats.end();
});

describe("a cluster of three servers", () => {
  it("keeps three copies", async () => {
    await isUp(engine(nats.urls, "laptop"));
    const connection = await connect({ servers: [...nats.urls], reconnect: false });
    const manager = await jetstreamManager(connection);
    for (const name of ["bellhop", "KV_bellhop-hosts"])
      expect((await manager.streams.info(name)).config.num_replicas).toBe(3);
    await connection.close();
  });

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "goes on when the server is lost to which a host was connected (%s)",
    async (signal) => {
      const ears = new Listening();
      const laptop = engine(nats.urls, "laptop");
      const cloud = engine(nats.urls, "cloud", ears);
      await Promise.all([isUp(laptop), isUp(cloud)]);
      await laptop.announce(bytes("hello"));
      await ears.hears("laptop", "hello");
      await stores(laptop, "cloud", "before");
      await ears.has(1);
      const lost = serverOf(cloud);
      if (signal === "SIGSTOP") await lost.freeze(true);
      else await lost.stop();
      await stores(laptop, "cloud", "after");
      await until(() => ears.taken.includes("after"), "the bag", PATIENCE_MS);
      expect(ears.taken[0]).toBe("before");
      expect(serverOf(cloud)).not.toBe(lost);
      expect(ears.of("laptop")).toBe("hello");
      await lost.freeze(false);
    },
  );

  it("says that the stream has no leader when two are lost, and goes on when they are back", async () => {
    const ears = new Listening();
    const laptop = engine(nats.urls, "laptop", ears);
    await isUp(laptop);
    await stores(laptop, "laptop", "before");
    await ears.has(1);
    const left = serverOf(laptop);
    const lost = nats.servers.filter((one) => one !== left);
    await Promise.all(lost.map((one) => one.stop()));
    await expect(laptop.store("laptop", "no", bytes("no"))).rejects.toThrow(/\w/u);
    await isDown(laptop);
    const reasons = (): string[] =>
      ears.standings.map((standing) => (standing.state === "down" ? standing.reason : standing.state));
    await until(
      () => reasons().includes("the stream has no leader"),
      () => reasons().join(", "),
      PATIENCE_MS,
    );
    for (const one of lost) one.start();
    await isUp(laptop);
    await stores(laptop, "laptop", "after");
    await until(() => ears.taken.includes("after"), "the bag", PATIENCE_MS);
  });
});
