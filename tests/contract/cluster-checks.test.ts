/** What `bellhop cluster test` finds at real servers: each thing that can be wrong, and what to do about it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, expect, it } from "vitest";
import { checkClock, type EngineCheck, engineChecks, joinObstacle } from "../../src/cluster/checks.ts";
import { type NatsEngineOptions, natsEngine } from "../../src/cluster/engine.ts";
import { ensureStream } from "../../src/cluster/layout.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats, type NatsOptions } from "../rig/nats.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { until } from "../rig/scripted-agent.ts";
import { freePort } from "./bridges/webhook-stage.ts";
import { bytes, isUp, Listening } from "./cluster-listening.ts";
import { credentialsOf } from "./cluster-nats-stage.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function nats(options?: NatsOptions): Promise<Nats> {
  const one = await Nats.start(options);
  closers.push(() => one.end());
  return one;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bh-checks-"));
  closers.push(() => removeFolder(made));
  return made;
}

const options = (servers: readonly string[], more: Partial<NatsEngineOptions> = {}): NatsEngineOptions => ({
  ...{ servers, host: "laptop", stream: "bellhop", clock: systemClock },
  log: { info: () => {}, warn: () => {}, error: () => {} },
  ...more,
});

/** As a daemon does that has connected once. */
async function opened(from: NatsEngineOptions) {
  const engine = natsEngine(from);
  closers.push(() => engine.close());
  const ears = new Listening();
  engine.open(ears);
  await isUp(engine);
  return { engine, ears };
}

const verdicts = (checks: readonly EngineCheck[]) => checks.map(({ name, verdict }) => `${verdict} ${name}`);
const failureOf = (checks: readonly EngineCheck[]) => checks.find(({ verdict }) => verdict === "fail");

it("finds all well, before a host has joined and after", async () => {
  const { urls } = await nats();
  const before = await engineChecks(options(urls));
  expect(verdicts(before)).toEqual(
    ["nats", "tls", "max_payload", "jetstream", "stream", "bucket"].map((name) => `ok ${name}`),
  );
  expect(before.find(({ name }) => name === "stream")?.detail).toBe(
    "bellhop is not there yet: Bellhop makes it",
  );
  await opened(options(urls));
  const after = await engineChecks(options(urls));
  expect(verdicts(after).slice(-3)).toEqual(["ok bucket", "ok store", "ok clock"]);
  expect(after.find(({ name }) => name === "store")?.detail).toMatch(/^stored in \d+\.\d ms$/);
});

it("says where nobody listens", async () => {
  const checks = await engineChecks(options(["nats://127.0.0.1:9"]));
  expect(checks).toEqual([
    {
      name: "nats",
      verdict: "fail",
      detail: "cannot reach nats://127.0.0.1:9: connection refused",
      next: expect.stringContaining("Start the server"),
    },
  ]);
});

it("says that the server refuses the credentials, and takes a token from a file", async () => {
  const { urls } = await nats({ settings: 'authorization { token: "s3cret" }' });
  const check = (line: string) => engineChecks(options(urls, { credentials: credentialsOf(line) }));
  expect(failureOf(await check("wrong"))).toMatchObject({
    detail: expect.stringMatching(/^authorization refused by nats:/),
    next: expect.stringContaining("credentials"),
  });
  expect(failureOf(await check("s3cret"))).toBeUndefined();
});

it("says that another machine has the name, and that it stands in the way of joining", async () => {
  const { urls } = await nats();
  const { engine } = await opened(options(urls));
  await engine.announce(bytes("mine"));
  const isOwn = (said: Uint8Array) => Buffer.from(said).toString() === "mine";
  const own = await engineChecks(options(urls), isOwn);
  expect(verdicts(own)).toContain("ok name");
  expect(await joinObstacle(options(urls), isOwn)).toBeUndefined();
  const strange = await engineChecks(options(urls), () => false);
  expect(failureOf(strange)).toMatchObject({
    name: "name",
    detail: expect.stringContaining("another machine is in this cluster as laptop"),
    next: expect.stringContaining("another name"),
  });
  expect(await joinObstacle(options(urls), () => false)).toEqual(failureOf(strange));
});

it("takes for an obstacle only what a person must mend", async () => {
  const isOwn = () => true;
  expect(await joinObstacle(options(["nats://127.0.0.1:9"]), isOwn)).toBeUndefined();
  const { urls } = await nats({ settings: 'authorization { token: "s3cret" }' });
  expect(await joinObstacle(options(urls), isOwn)).toMatchObject({ name: "nats", verdict: "fail" });
});

it("says how JetStream is enabled", async () => {
  const { urls } = await nats({ withoutJetStream: true });
  expect(failureOf(await engineChecks(options(urls)))).toMatchObject({
    name: "jetstream",
    next: expect.stringContaining("jetstream { store_dir:"),
  });
});

it("says that a server takes too little at once", async () => {
  const { urls } = await nats({ settings: "max_payload: 65536" });
  expect(failureOf(await engineChecks(options(urls)))).toMatchObject({
    name: "max_payload",
    next: "Set max_payload: 1MB in the server's config.",
  });
});

it("warns of one copy where three servers could keep three", async () => {
  const { urls } = await nats({ servers: 3 });
  const connection = await connect({ servers: [...urls] });
  closers.push(() => connection.close());
  await ensureStream(await jetstreamManager(connection), "bellhop", 1);
  const stream = (await engineChecks(options(urls))).find(({ name }) => name === "stream");
  expect(stream).toMatchObject({ verdict: "warn", next: expect.stringContaining("--replicas 3") });
});

it("reaches a hub through a leaf node, by the domain of its JetStream, and so do bags", async () => {
  const port = await freePort();
  const hub = await nats({
    withoutJetStream: true,
    settings: `jetstream { store_dir: "${folder()}", domain: hub }\nleafnodes { listen: "127.0.0.1:${port}" }`,
  });
  const leaf = await nats({
    withoutJetStream: true,
    settings: `leafnodes { remotes: [{ url: "nats://127.0.0.1:${port}" }] }`,
  });
  const behind = options(leaf.urls, { host: "workstation", domain: "hub" });
  expect(failureOf(await engineChecks(options(leaf.urls)))).toMatchObject({
    name: "jetstream",
    next: expect.stringContaining("cluster.nats.domain"),
  });
  await until(
    async () => failureOf(await engineChecks(behind)) === undefined,
    "the leaf node to be connected",
  );
  const here = await opened(options(hub.urls));
  const there = await opened(behind);
  await here.engine.store("workstation", "1", bytes("hello"));
  await there.engine.store("laptop", "2", bytes("hello too"));
  await until(() => there.ears.bags.length === 1 && here.ears.bags.length === 1, "a bag each way");
});

it("warns of a clock that is more than a minute off, either way", () => {
  expect(checkClock(1_000_000, 1_000_400)).toEqual({
    name: "clock",
    verdict: "ok",
    detail: "as the server's",
  });
  expect(checkClock(1_000_000, 1_030_000).detail).toBe("30 s ahead of the server's");
  expect(checkClock(1_000_000, 1_060_000)).toMatchObject({
    verdict: "warn",
    detail: expect.stringContaining("60 s ahead"),
  });
  expect(checkClock(1_000_000, 900_000)).toMatchObject({
    verdict: "warn",
    detail: expect.stringContaining("100 s behind"),
  });
});
