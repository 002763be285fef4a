/** How many copies three servers keep of what was made while there were fewer of them. */
import { jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import { natsEngine } from "../../src/cluster/engine.ts";
import { ensureBucket, ensureStream } from "../../src/cluster/layout.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { ClusterEngine } from "../../src/ports/cluster-engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isUp, Listening } from "./cluster-listening.ts";
import { credentialsOf } from "./cluster-nats-stage.ts";

const PATIENCE_MS = 180_000;
const BUCKET = "KV_bellhop-hosts";
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function threeServers(settings?: string): Promise<Nats> {
  const nats = await Nats.start({ servers: 3, ...(settings === undefined ? {} : { settings }) });
  closers.push(() => nats.end());
  return nats;
}

async function upEngine(
  servers: readonly string[],
  host: HostName,
  ears = new Listening(),
  credentials?: () => string,
) {
  const warned: string[] = [];
  const log = { info: () => {}, warn: (event: string) => void warned.push(event), error: () => {} };
  const engine = natsEngine({ servers, host, stream: "bellhop", clock: systemClock, log, credentials });
  closers.push(() => engine.close());
  engine.open(ears);
  await isUp(engine);
  return { engine, ears, warned };
}

async function managerOf(servers: readonly string[]) {
  const connection = await connect({ servers: [...servers], maxReconnectAttempts: -1 });
  closers.push(() => connection.close());
  const manager = await jetstreamManager(connection);
  // While it gets more, nobody answers for a moment.
  const copiesOf = async (stream: string) =>
    (await manager.streams.info(stream).catch(() => undefined))?.config.num_replicas;
  return { manager, client: jetstream(connection), copiesOf };
}

/** Servers that are busy with their own election answer nobody: what may be asked again is asked again. */
async function answered(ask: () => Promise<unknown>, what: string): Promise<void> {
  const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";
  const isAnswered = () =>
    ask().then(
      () => true,
      (error: unknown) => {
        if (!isTimeout(error)) throw error;
        return false;
      },
    );
  await until(isAnswered, what, PATIENCE_MS);
}

/** How many servers a host sees. */
async function seenFrom(servers: readonly string[]): Promise<number | undefined> {
  const connection = await connect({ servers: [...servers], reconnect: false });
  const count = connection.info?.connect_urls?.length;
  await connection.close();
  return count;
}

/** Everything is there with one copy, as a host makes it that sees one server. */
async function madeWithOne({ urls }: Nats) {
  const managed = await managerOf(urls);
  await answered(() => ensureStream(managed.manager, "bellhop", 1), "the stream");
  await answered(() => ensureBucket(managed.client, managed.manager, "bellhop", 1), "the bucket");
  expect([await managed.copiesOf("bellhop"), await managed.copiesOf(BUCKET)]).toEqual([1, 1]);
  return managed;
}

/** What is announced says also that there may be more servers now. */
async function announcedUntil(engine: ClusterEngine, isSo: () => Promise<boolean>): Promise<void> {
  let times = 0;
  const look = async (): Promise<boolean> => {
    times += 1;
    await engine.announce(bytes(`hello ${times}`));
    return isSo();
  };
  await until(look, "three copies", PATIENCE_MS);
}

describe("one copy, made while there were fewer than three servers", () => {
  it("becomes three when the third comes, for a host that is connected, and nothing is lost", async () => {
    const nats = await threeServers();
    const { manager, copiesOf } = await madeWithOne(nats);
    const leaders = await Promise.all(
      ["bellhop", BUCKET].map(async (stream) => (await manager.streams.info(stream)).cluster?.leader),
    );
    // Neither has its copy there.
    const third = nats.servers.find((_, at) => !leaders.includes(`server-${at}`));
    const urls = nats.urls.filter((url) => url !== third?.url);
    await third?.stop();
    await until(async () => (await seenFrom(urls)) === 2, "two servers to be left", PATIENCE_MS);
    const { engine } = await upEngine(urls, "laptop");
    const ears = new Listening();
    const cloud = await upEngine(urls, "cloud", ears);
    await cloud.engine.close();
    for (const name of ["one", "two", "three"]) await engine.store("cloud", name, bytes(name));
    await engine.announce(bytes("hello"));
    third?.start();
    await announcedUntil(
      engine,
      async () => (await copiesOf("bellhop")) === 3 && (await copiesOf(BUCKET)) === 3,
    );
    const consumer = () => manager.consumers.info("bellhop", "cloud").catch(() => undefined);
    await until(
      async () => (await consumer())?.cluster?.replicas?.length === 2,
      "copies of the consumer",
      PATIENCE_MS,
    );
    const { description } = (await manager.streams.info("bellhop")).config;
    expect(description).toBe("Bags between Bellhop hosts");
    await upEngine(nats.urls, "cloud", ears);
    await ears.has(3);
    expect(ears.taken).toEqual(["one", "two", "three"]);
  });

  it("becomes three with the next host that connects, and works while one server is lost", async () => {
    const nats = await threeServers();
    const { copiesOf } = await madeWithOne(nats);
    const { engine, ears } = await upEngine(nats.urls, "laptop");
    await until(
      async () => (await copiesOf("bellhop")) === 3 && (await copiesOf(BUCKET)) === 3,
      "three copies",
      PATIENCE_MS,
    );
    await nats.servers[1]?.stop();
    let tries = 0;
    const stores = async (): Promise<boolean> => {
      tries += 1;
      return engine.store("laptop", `try ${tries}`, bytes("after")).then(
        () => true,
        () => false,
      );
    };
    await until(stores, "the bag to be stored", PATIENCE_MS);
    await ears.has(1);
  });

  it("stays if somebody chose it: by making it, or by making it one again", async () => {
    const nats = await threeServers();
    const { manager, client, copiesOf } = await managerOf(nats.urls);
    const { Workqueue: retention } = RetentionPolicy;
    const stream = { name: "bellhop", subjects: ["bellhop.to.*"], retention, num_replicas: 1 };
    await answered(() => manager.streams.add(stream), "the stream");
    await answered(() => ensureBucket(client, manager, "bellhop", 1), "the bucket");
    await upEngine(nats.urls, "laptop");
    // It is the second that is looked at.
    await until(async () => (await copiesOf(BUCKET)) === 3, "three copies", PATIENCE_MS);
    expect(await copiesOf("bellhop")).toBe(1);
    await answered(() => manager.streams.update(BUCKET, { num_replicas: 1 }), "one copy again");
    const { engine } = await upEngine(nats.urls, "cloud");
    for (const times of [1, 2, 3]) await engine.announce(bytes(`hello ${times}`));
    await until(async () => (await copiesOf(BUCKET)) !== undefined, "an answer", PATIENCE_MS);
    expect([await copiesOf("bellhop"), await copiesOf(BUCKET)]).toEqual([1, 1]);
  });

  it("is enough for a host that may not make it three", async () => {
    const nats = await threeServers(
      `authorization { users: [
        { user: owner, password: secret }
        { user: host, password: secret, permissions: { publish: { deny: "$JS.API.STREAM.UPDATE.>" } } }
      ] }`,
    );
    const connection = await connect({ servers: [...nats.urls], user: "owner", pass: "secret" });
    closers.push(() => connection.close());
    const manager = await jetstreamManager(connection);
    await answered(() => ensureStream(manager, "bellhop", 1), "the stream");
    await answered(() => ensureBucket(jetstream(connection), manager, "bellhop", 1), "the bucket");
    const { engine, ears, warned } = await upEngine(
      nats.urls,
      "laptop",
      new Listening(),
      credentialsOf("host:secret"),
    );
    await until(() => warned.length > 0, "the refusal", PATIENCE_MS);
    expect(warned).toEqual(["the cluster's engine keeps one copy, and not three"]);
    await engine.store("laptop", "1", bytes("hello"));
    await ears.has(1);
    expect(engine.standing().state).toBe("up");
    expect((await manager.streams.info("bellhop")).config.num_replicas).toBe(1);
  });
});
