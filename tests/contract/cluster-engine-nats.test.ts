/** What only the real engine can meet: somebody who deletes things, clocks that are wrong, and silence. */
import { AckPolicy, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import { systemClock } from "../../src/system/clock.ts";
import type { Nats } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isDown, isUp, Listening } from "./cluster-listening.ts";
import { engine, nats } from "./cluster-nats-stage.ts";

const PATIENCE_MS = 180_000;

/** As somebody does who looks after the server. */
async function managed<T>(
  { urls }: Nats,
  act: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: [...urls], reconnect: false });
  try {
    return await act(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}

describe("what is made on the server", () => {
  it("is a stream that keeps bags for two weeks, and one consumer for each host", async () => {
    const server = await nats();
    await Promise.all([isUp(engine(server.urls, "laptop")), isUp(engine(server.urls, "cloud"))]);
    await managed(server, async (manager) => {
      const { config } = await manager.streams.info("bellhop");
      expect(config).toMatchObject({
        subjects: ["bellhop.to.*"],
        retention: "workqueue",
        storage: "file",
        num_replicas: 1,
        max_age: 14 * 86_400 * 1e9,
        duplicate_window: 120 * 1e9,
      });
      const consumers = await manager.consumers.list("bellhop").next();
      expect(consumers.map(({ name }) => name).sort()).toEqual(["cloud", "laptop"]);
      expect(consumers[0]?.config).toMatchObject({ max_ack_pending: 1, ack_wait: 5e9 });
      const bucket = await manager.streams.info("KV_bellhop-hosts");
      expect(bucket.config).toMatchObject({ max_msgs_per_subject: 1, max_age: 90e9 });
    });
  });

  it.each([
    ["the consumer", (manager) => manager.consumers.delete("bellhop", "cloud")],
    ["the stream", (manager) => manager.streams.delete("bellhop")],
    ["the bucket", (manager) => manager.streams.delete("KV_bellhop-hosts")],
  ] as readonly [string, (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<boolean>][])(
    "is made again if somebody deletes %s",
    async (_, remove) => {
      const server = await nats();
      const [ears, others] = [new Listening(), new Listening()];
      const laptop = engine(server.urls, "laptop", others);
      const cloud = engine(server.urls, "cloud", ears);
      await Promise.all([isUp(laptop), isUp(cloud)]);
      await cloud.announce(bytes("hello"));
      await others.hears("cloud", "hello");
      await managed(server, remove);
      // Each try has a name of its own, as the office gives it.
      let tries = 0;
      await until(
        async () => {
          tries += 1;
          await laptop.store("cloud", `try ${tries}`, bytes("after")).catch(() => {});
          await cloud.announce(bytes(`hello ${tries}`));
          return ears.taken.length > 0 && others.of("cloud") !== "hello";
        },
        "all to work again",
        PATIENCE_MS,
      );
      expect(new Set(ears.taken)).toEqual(new Set(["after"]));
    },
  );

  it("is made again if it hands out nothing of what is there, and nothing is lost", async () => {
    const server = await nats();
    const ears = new Listening();
    const laptop = engine(server.urls, "laptop");
    const cloud = engine(server.urls, "cloud", ears);
    await Promise.all([isUp(laptop), isUp(cloud)]);
    await laptop.store("cloud", "first", bytes("first"));
    await until(() => ears.taken.length === 1, "the first bag", PATIENCE_MS);
    // As if it believed that it had all: servers that were killed together have done so.
    await managed(server, (manager) =>
      manager.consumers.update("bellhop", "cloud", { filter_subject: "bellhop.to.nobody" }),
    );
    await laptop.store("cloud", "second", bytes("second"));
    await laptop.store("cloud", "third", bytes("third"));
    await until(() => ears.taken.length === 3, "the others", PATIENCE_MS);
    expect(ears.taken).toEqual(["first", "second", "third"]);
  });

  it("is left alone if it is something else of the same name", async () => {
    const server = await nats();
    await managed(server, (manager) => manager.streams.add({ name: "bellhop", subjects: ["orders.>"] }));
    expect(await isDown(engine(server.urls, "laptop"))).toBe(
      'the stream "bellhop" on the server is not one of Bellhop\'s',
    );
  });
});

describe("a bag in the hands of somebody who is gone", () => {
  it("is asked back by the next, and nothing behind it waits until the server misses it", async () => {
    const server = await nats();
    const laptop = engine(server.urls, "laptop");
    await isUp(laptop);
    // One that would miss it only after an hour.
    await managed(server, (manager) =>
      manager.consumers.add("bellhop", {
        durable_name: "cloud",
        filter_subject: "bellhop.to.cloud",
        ack_policy: AckPolicy.Explicit,
        ack_wait: 3_600e9,
        max_ack_pending: 1,
      }),
    );
    const [gone, next] = [new Listening(), new Listening()];
    gone.gate = new Promise(() => {});
    const before = engine(server.urls, "cloud", gone);
    await isUp(before);
    await laptop.store("cloud", "one", bytes("first"));
    await laptop.store("cloud", "two", bytes("second"));
    await until(() => gone.bags.length > 0, "the first bag");
    await before.close();
    engine(server.urls, "cloud", next);
    await next.has(2);
    expect(next.taken).toEqual(["first", "second"]);
    expect(next.bags.map(({ again }) => again)).toEqual([1, 0]);
  });
});

describe("time", () => {
  it("of a host that is wrong by an hour does not matter for the age of a bag", async () => {
    const server = await nats();
    const fast: Clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
    const ears = new Listening();
    const laptop = engine(server.urls, "laptop", new Listening(), { clock: fast });
    await isUp(laptop);
    await laptop.store("cloud", "a", bytes("a"));
    const storedAt = systemClock.monotonic();
    await until(() => systemClock.monotonic() - storedAt > 1_500, "some time to pass", PATIENCE_MS);
    engine(server.urls, "cloud", ears, { clock: fast });
    await ears.has(1);
    expect(ears.bags[0]?.ageMs).toBeGreaterThan(1_400);
    expect(ears.bags[0]?.ageMs).toBeLessThan(systemClock.monotonic() - storedAt + 1_000);
  });
});

describe("a server that says nothing", () => {
  it("is noticed, and all goes on when it speaks again", async () => {
    const server = await nats();
    const [one] = server.servers;
    const ears = new Listening();
    const laptop = engine(server.urls, "laptop");
    const cloud = engine(server.urls, "cloud", ears);
    await Promise.all([isUp(laptop), isUp(cloud)]);
    await one?.freeze(true);
    // The question and the connection have about as long: whichever is given up first.
    await expect(laptop.store("cloud", "a", bytes("a"))).rejects.toThrow(
      /^(?:NATS did not answer in time|the connection to NATS was lost)$/u,
    );
    await Promise.all([isDown(laptop), isDown(cloud)]);
    await one?.freeze(false);
    await Promise.all([isUp(laptop), isUp(cloud)]);
    await laptop.store("cloud", "b", bytes("b"));
    await until(() => ears.taken.includes("b"), "the bag", PATIENCE_MS);
    // Whether the first was stored is not known; if it was, it came first.
    expect(["b", "a,b"]).toContain(ears.taken.join());
  });

  it("does not get a bag back that somebody takes for long", async () => {
    const server = await nats();
    const ears = new Listening();
    let letThrough = (): void => {};
    ears.gate = new Promise((resolve) => {
      letThrough = resolve;
    });
    const laptop = engine(server.urls, "laptop", ears);
    await isUp(laptop);
    await laptop.store("laptop", "a", bytes("slow"));
    await laptop.store("laptop", "b", bytes("next"));
    await until(() => ears.bags.length === 1, "the bag", PATIENCE_MS);
    const beganAt = systemClock.monotonic();
    // Longer than the server waits for a sign of life.
    await until(() => systemClock.monotonic() - beganAt > 12_000, "some time to pass", PATIENCE_MS);
    letThrough();
    await ears.has(2);
    expect(ears.taken).toEqual(["slow", "next"]);
    expect(ears.bags.map(({ again }) => again)).toEqual([0, 0]);
  });
});
