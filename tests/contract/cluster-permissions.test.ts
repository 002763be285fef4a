/** The permissions of docs/cluster.md: hosts whose NATS users may do exactly that can do everything. */
import { expect, it } from "vitest";
import { readPage } from "../cli/pages.ts";
import { admitEachOther, joinHost, joinHosts } from "../rig/join-hosts.ts";
import { freePorts } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { crosses, Stage, tested } from "./cluster-page-stage.ts";

const PATIENCE_MS = 180_000;
const PASSWORD = "pa:ss";

interface Subjects {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** At a leaf node: in place of what. */
  readonly leaf: readonly [there: string, inPlaceOf: string];
}

function printedSubjects(): Subjects {
  const text = readPage("docs/cluster.md").text.replaceAll(/\s+/g, " ");
  const found =
    /must be able to publish to (.+?), and to subscribe to (.+?), with .+?; at a leaf node, to (\S+) in place of (\S+),/u.exec(
      text,
    );
  const [publish = [], subscribe = [], [there = ""] = [], [inPlaceOf = ""] = []] = (
    found?.slice(1) ?? []
  ).map((words) => [...words.matchAll(/`([^`]+)`/g)].map((each) => each[1] ?? ""));
  return { publish, subscribe, leaf: [there, inPlaceOf] };
}

/** A user of NATS who may do this and nothing else. */
function authorization(publish: readonly string[], subscribe: readonly string[]): string {
  const permissions = `{ publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(subscribe)} }`;
  return `authorization { users: [{ user: bellhop, password: "${PASSWORD}", permissions: ${permissions} }] }`;
}

it("are enough to join, to test the way, to write to each other and to leave", async () => {
  const stage = new Stage();
  const { publish, subscribe } = printedSubjects();
  expect(publish.length).toBeGreaterThan(3);
  const [port = 0] = await freePorts(1);
  const server = await stage.server(
    "nats",
    port,
    [
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: "${stage.store("nats")}" }`,
      authorization(publish, subscribe),
    ].join("\n"),
  );
  await server.untilReady();
  const hosts = [await stage.host("laptop"), await stage.host("workstation")] as const;
  const [laptop, workstation] = hosts;
  await joinHosts(hosts, [server.url], { more: ["--credentials", stage.secret(`bellhop:${PASSWORD}`)] });
  expect(await tested(laptop, workstation)).not.toMatch(/^(?:warn|FAIL)/m);
  await crosses(laptop, workstation, "there");
  await crosses(workstation, laptop, "and back");
  await workstation.bellhop.json(["cluster", "leave"]);
  const state = async () =>
    (await laptop.bellhop.ask("cluster_hosts", {})).hosts.find(({ host }) => host === "workstation")?.state;
  // Long before its lease is over.
  await until(async () => (await state()) === "silent", "the departure", PATIENCE_MS);
  expect(server.log).not.toMatch(/(?:Publish|Subscription) Violation/);
});

it("are enough behind a leaf node, with the domain of its hub", async () => {
  const stage = new Stage();
  const { publish, subscribe, leaf } = printedSubjects();
  const [there, inPlaceOf] = leaf;
  expect(publish).toContain(inPlaceOf);
  const [atHub = 0, leaves = 0, atLeaf = 0] = await freePorts(3);
  const domain = `jetstream { store_dir: "${stage.store("hub")}", domain: hub }`;
  const hub = await stage.server(
    "hub",
    atHub,
    `listen: "127.0.0.1:${atHub}"\n${domain}\nleafnodes { listen: "127.0.0.1:${leaves}" }`,
  );
  const behind = [...publish.filter((subject) => subject !== inPlaceOf), there];
  const node = await stage.server(
    "leaf",
    atLeaf,
    [
      `listen: "127.0.0.1:${atLeaf}"`,
      `leafnodes { remotes: [{ url: "nats://127.0.0.1:${leaves}" }] }`,
      authorization(behind, subscribe),
    ].join("\n"),
  );
  await Promise.all([hub.untilReady(), node.untilReady()]);
  const [laptop, workstation] = [await stage.host("laptop"), await stage.host("workstation")];
  const credentials = ["--credentials", stage.secret(`bellhop:${PASSWORD}`)];
  const keys = new Map([
    ["laptop", await joinHost(laptop, ["--nats", node.url, "--domain", "hub", ...credentials])],
    ["workstation", await joinHost(workstation, ["--nats", hub.url])],
  ]);
  await admitEachOther([laptop, workstation], keys);
  await tested(laptop, workstation);
  await crosses(laptop, workstation, "there");
  await crosses(workstation, laptop, "and back");
  expect(node.log).not.toMatch(/(?:Publish|Subscription) Violation/);
});
