import { describe, expect, it } from "vitest";
import type { ShownHost } from "../../wire/shapes/cluster.ts";
import { needsOf } from "../../wire/verbs/index.ts";
import type { Pinged } from "../cluster/pinging.ts";
import { clusterVerbs, hostCheck, shownBriefly } from "./cluster.ts";
import type { ClusterSetting, ConfiguredHost, OpenHosts, UseCaseParts } from "./parts.ts";

const LAPTOP: ConfiguredHost = {
  ...{ host: "laptop", servers: ["tls://a"], stream: "bellhop", since: 5, key: "bh1…" },
  hosts: [
    { host: "cloud", key: "c", rights: ["send"] },
    { host: "workstation", key: "w", rights: ["send", "urgent"] },
  ],
};
const HERE: ShownHost = { host: "laptop", state: "here", agents: [] };
const UP: ShownHost = { host: "workstation", state: "up", agents: [{ name: "coder", state: "idle" }] };

function verbs(
  configured: ConfiguredHost | undefined,
  open: Partial<OpenHosts> = {},
  queued: Record<string, number> = {},
) {
  const did: string[] = [];
  const clusterSetting: ClusterSetting = {
    configured: () => configured,
    absent: () => {
      throw new Error("no cluster");
    },
    test: async () => [{ name: "nats", verdict: "ok", detail: "connected" }],
    join: async ({ host }) => ({ host, key: "bh1…", config: "/c" }),
    admit: async ({ host, key }) => ({ host, key, rights: ["send"], config: "/c" }),
    expel: (host) => {
      did.push(`expel ${host}`);
      return "/c";
    },
    leave: () => {
      did.push("leave");
      return "/c";
    },
  };
  const openHosts: OpenHosts = {
    report: () => undefined,
    hosts: () => undefined,
    ping: async () => undefined,
    ...open,
  };
  const countQueued = ([mailbox = ""]: readonly string[]) => queued[mailbox] ?? 0;
  const countDelivering = (mailbox: string) => (countQueued([mailbox]) > 0 ? 1 : 0);
  const context = { store: { read: { countDelivering, countQueued } } };
  const parts = { clusterSetting, openHosts, context } as unknown as UseCaseParts;
  return { ...clusterVerbs(parts), parts, did };
}

describe("the verbs of a cluster", () => {
  it("show nothing without one", async () => {
    const { cluster_status, cluster_hosts, parts } = verbs(undefined);
    expect(await cluster_status({})).toEqual({});
    expect(await cluster_hosts({})).toEqual({ hosts: [] });
    expect(shownBriefly(parts)).toBeUndefined();
  });

  it("show one that is not open yet, with those whom it admits", async () => {
    const { cluster } = await verbs(LAPTOP).cluster_status({});
    expect(cluster).toMatchObject({ host: "laptop", key: "bh1…", engine: { state: "starting", since: 5 } });
    expect(cluster?.hosts.map(({ host, state }) => `${host} ${state}`)).toEqual([
      ...["laptop here", "cloud silent", "workstation silent"],
    ]);
    expect(cluster).not.toHaveProperty("stuck");
  });

  it("show why one cannot be opened, for as long as nobody mends it", async () => {
    const { cluster } = await verbs({ ...LAPTOP, trouble: "creds cannot be read." }).cluster_status({});
    expect(cluster).toMatchObject({
      engine: { state: "down", reason: "creds cannot be read." },
      stuck: true,
    });
  });

  it("show one that is open as its rooms know it", async () => {
    const engine = { state: "up", since: 7, server: "a:4222" } as const;
    const traffic = [{ host: "workstation", waiting: 2, underway: 1 }];
    const { cluster_status, cluster_hosts, parts } = verbs(LAPTOP, {
      report: () => ({ host: "laptop", engine, traffic, strangers: 3 }),
      hosts: () => [HERE, UP, { host: "cloud", state: "silent", agents: [] }],
    });
    expect((await cluster_status({})).cluster).toMatchObject({ engine, traffic, strangers: 3 });
    expect((await cluster_hosts({})).hosts[1]).toEqual(UP);
    expect(shownBriefly(parts)).toEqual({ host: "laptop", engine, hosts: 2, up: 1, waiting: 2 });
  });

  it("show that NATS stays away until a person does something, and so does a test that finds all well", async () => {
    const engine = {
      state: "down",
      since: 7,
      reason: "another machine is in this cluster as laptop",
    } as const;
    const report = { host: "laptop", engine, traffic: [], strangers: 0 };
    const stuck = verbs(LAPTOP, { report: () => ({ ...report, stuck: true }) });
    expect((await stuck.cluster_status({})).cluster).toMatchObject({ engine, stuck: true });
    expect(shownBriefly(stuck.parts)).toMatchObject({ stuck: true });
    expect((await stuck.cluster_test({ host: "cloud" })).checks.slice(1)).toEqual([
      {
        ...{ name: "cluster", verdict: "fail" },
        detail: "the daemon is not in: another machine is in this cluster as laptop",
        next: "It tries again by itself, within a minute.",
      },
    ]);
    const soon = verbs(LAPTOP, { report: () => report });
    expect((await soon.cluster_test({})).checks.at(-1)).toMatchObject({ name: "cluster", verdict: "warn" });
  });

  it("leave only when nothing waits any more, or by force", async () => {
    const { cluster_leave, did } = verbs(LAPTOP, {}, { "host/cloud": 3 });
    await expect(cluster_leave({})).rejects.toMatchObject({
      code: "cluster.waiting",
      candidates: ["cloud: 3 waiting, 1 under way"],
    });
    expect(did).toEqual([]);
    expect(await cluster_leave({ force: true })).toEqual({
      ...{ left: "laptop", config: "/c", unfinished: [{ host: "cloud", waiting: 3, underway: 1 }] },
    });
    expect(await verbs(LAPTOP).cluster_leave({})).toMatchObject({ unfinished: [] });
    await expect(verbs(undefined).cluster_leave({})).rejects.toThrow("no cluster");
  });

  it("say how much waits for a host that is expelled", async () => {
    const { cluster_expel, did } = verbs(LAPTOP, {}, { "host/cloud": 3 });
    expect(await cluster_expel({ host: "cloud" })).toEqual({
      expelled: "cloud",
      config: "/c",
      waiting: 3,
      underway: 1,
    });
    expect(did).toEqual(["expel cloud"]);
  });

  it("test the way to the engine, and to a host that is admitted", async () => {
    const ping = async (): Promise<Pinged> => ({ kind: "answered", tookMs: 1.26 });
    const { cluster_test } = verbs(LAPTOP, { ping });
    expect((await cluster_test({})).checks.map(({ name }) => name)).toEqual(["nats"]);
    expect((await cluster_test({ host: "cloud" })).checks.at(-1)).toEqual({
      ...{ name: "host cloud", verdict: "ok", detail: "it answered in 1.3 ms, there and back" },
    });
    await expect(cluster_test({ host: "phone" })).rejects.toMatchObject({
      code: "host.unknown",
      candidates: ["cloud", "workstation"],
    });
  });

  it.each<[Pinged | undefined, string]>([
    [{ kind: "silent", afterMs: 10_000 }, "it did not answer within 10 s"],
    [{ kind: "not-stored", why: "NATS did not answer in time" }, "NATS did not answer in time"],
    [undefined, "the daemon is not connected yet"],
  ])("say what is in the way of a host: %j", (pinged, detail) => {
    expect(hostCheck("cloud", pinged)).toMatchObject({ verdict: "fail", detail, next: expect.any(String) });
  });

  it("are for everybody to see, and only for the owner to change", () => {
    for (const verb of ["cluster_status", "cluster_hosts", "cluster_test"] as const)
      expect(needsOf(verb, {})).toEqual([]);
    for (const verb of ["cluster_join", "cluster_leave", "cluster_admit", "cluster_expel"] as const)
      expect(needsOf(verb, {} as never)).toEqual([
        { right: "admin", what: expect.any(String), only: "owner" },
      ]);
  });
});
