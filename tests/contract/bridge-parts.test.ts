/** Which parts of the built daemon are loaded: of each other part it only holds the file. */
import { readdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { BRIDGE_NAMES } from "../../src/core/outside/places.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { telegram, writeSecrets } from "./bridges/channels.ts";

const DIST = join(import.meta.dirname, "..", "..", "dist");
const PARTS = readdirSync(DIST).filter((name) => /^daemon-.*\.cjs$/u.test(name));

let bellhop: Bellhop | undefined;
afterEach(() => bellhop?.dispose());

async function started(config: string): Promise<{ readonly pid: number | undefined }> {
  bellhop = new Bellhop({ config: `tmux: { servers: [] }\n${config}` });
  bellhop.env.TMUX_TMPDIR = bellhop.home;
  const { pid } = await bellhop.start();
  return { pid };
}

function loadedParts({ pid }: { readonly pid: number | undefined }): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).flatMap((name) => {
    try {
      return basename(readlinkSync(join(folder, name)));
    } catch {
      return [];
    }
  });
  return PARTS.filter((part) => !open.includes(part));
}

const ofBridges = (parts: readonly string[]) =>
  BRIDGE_NAMES.filter((name) => parts.includes(`daemon-${name}.cjs`));

it("a daemon without bridges loads nothing of them, nor of their libraries", async () => {
  expect(ofBridges(PARTS)).toEqual([...BRIDGE_NAMES]);
  const without = loadedParts(await started(""));
  expect(ofBridges(without)).toEqual([]);
  const libraries = ["imap-flow", "mailparser", "mailsplit", "nodemailer", "web", "out", "src"];
  expect(PARTS).toEqual(expect.arrayContaining(libraries.map((name) => `daemon-${name}.cjs`)));
  for (const name of libraries) expect(without, name).not.toContain(`daemon-${name}.cjs`);
});

/** NATS is in `session`, which the engine and its checks share; what hosts say to each other, in `obstacles`. */
const OF_CLUSTER = [
  "engine",
  "session",
  "sealer",
  "libsodium-wrappers",
  "open-cluster",
  "neighbours",
  "obstacles",
];
const ofCluster = (parts: readonly string[]) =>
  OF_CLUSTER.filter((name) => parts.includes(`daemon-${name}.cjs`));

it("a daemon without a cluster loads nothing of it: no NATS, no keys, no parcels", async () => {
  expect(ofCluster(PARTS)).toEqual(OF_CLUSTER);
  expect(ofCluster(loadedParts(await started("")))).toEqual([]);
});

it("a daemon with a cluster loads it, and no bridge", async () => {
  // Nobody listens there: what is for other hosts would wait.
  const daemon = await started('cluster: { nats: "nats://127.0.0.1:9", host: laptop }\n');
  await until(() => ofCluster(loadedParts(daemon)).length === OF_CLUSTER.length, "the cluster");
  expect(ofBridges(loadedParts(daemon))).toEqual([]);
});

it("a daemon with one bridge loads that one only", async () => {
  const channel = await telegram();
  try {
    bellhop = new Bellhop({ config: `tmux: { servers: [] }\nbridges:\n  ${channel.section}\n` });
    bellhop.env.TMUX_TMPDIR = bellhop.home;
    writeSecrets(channel, bellhop.home);
    const daemon = await bellhop.start();
    const client = await bellhop.client();
    const isUp = async () => (await client.call("bridges", {})).bridges[0]?.state === "up";
    await until(isUp, "the bridge");
    expect(ofBridges(loadedParts({ pid: daemon.pid }))).toEqual(["telegram"]);
  } finally {
    await channel.close();
  }
});
