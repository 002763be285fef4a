import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { HOST_RIGHTS } from "../../../core/cluster/admission.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { ShownCluster, ShownHost } from "../../../wire/shapes/cluster.ts";
import { machineName } from "./membership.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;
const KEY = `bh1${"k".repeat(42)}A`;
const HERE: ShownHost = { host: "laptop", state: "here", agents: [] };
const WORKSTATION: ShownHost = {
  ...{ host: "workstation", state: "up", version: "0.1.0", heardAt: NOW - MINUTE, rights: ["send"] },
  agents: [{ name: "coder", program: "claude", state: "idle" }],
};
const STRANGER: ShownHost = { host: "phone", state: "not-admitted", agents: [] };
const CLUSTER: ShownCluster = {
  ...{ host: "laptop", key: KEY, servers: ["tls://a"], stream: "bellhop", strangers: 0 },
  engine: { state: "up", since: NOW - 5 * MINUTE, server: "a:4222" },
  hosts: [HERE, WORKSTATION],
  traffic: [{ host: "workstation", waiting: 2, underway: 1, lastOut: NOW - MINUTE }],
};
const DOWN = {
  state: "down",
  since: NOW - MINUTE,
  reason: "cannot reach tls://a: connection refused",
} as const;

const cluster = (argv: readonly string[], answers: Stage["answers"]) =>
  perform(["cluster", ...argv], { answers, now: NOW });
const status = (shown?: ShownCluster) => ({
  cluster_status: async () => (shown === undefined ? {} : { cluster: shown }),
});
const hosts = (...all: readonly ShownHost[]) => ({ cluster_hosts: async () => ({ hosts: all }) });

describe("bellhop cluster status", () => {
  it("says how to join if there is none", async () => {
    expect((await cluster([], status())).stdout).toContain(
      "in no cluster. To reach agents on other machines",
    );
    expect((await cluster(["status", "--json"], status())).stdout).toBe("null\n");
  });

  it("shows the key, the engine, each host, and the line for the others", async () => {
    expect((await cluster([], status(CLUSTER))).stdout.trimEnd().split("\n")).toEqual([
      "host    laptop",
      `key     ${KEY}`,
      "nats    a:4222, up for 5m",
      "stream  bellhop",
      "HOST         STATE  AGENTS  WAITING  UNDER WAY  LAST OUT  LAST IN  RIGHTS",
      "workstation  up     1       2        1          1m ago             send",
      `For the other hosts: bellhop cluster admit laptop ${KEY}`,
    ]);
  });

  it("says what is wrong with NATS, what was dropped, and how to admit a stranger", async () => {
    const shown = { ...CLUSTER, engine: DOWN, strangers: 3, hosts: [HERE, STRANGER], traffic: [] };
    const { stdout } = await cluster(["status"], status(shown));
    expect(stdout).toContain("tls://a, down for 1m\n");
    expect(stdout).toContain("! cannot reach tls://a: connection refused\n");
    expect(stdout).toContain("! 3 bags were dropped since the start");
    expect(stdout).toContain("↳ to admit it: bellhop cluster admit phone KEY, with the key that");
  });
});

describe("bellhop cluster hosts", () => {
  it("lists the hosts with their agents", async () => {
    const { stdout } = await cluster(["hosts"], hosts(HERE, WORKSTATION, STRANGER));
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "HOST         STATE         HEARD   VERSION  AGENTS",
      "laptop       here",
      "workstation  up            1m ago  0.1.0    coder",
      "phone        not-admitted",
    ]);
    expect((await cluster(["hosts"], hosts())).stdout).toContain("in no cluster");
  });

  it("prints host, state and agents for scripts", async () => {
    const { stdout } = await cluster(["hosts", "--json"], hosts(HERE, WORKSTATION));
    expect(JSON.parse(stdout)).toMatchObject([
      HERE,
      { host: "workstation", state: "up", agents: [{ name: "coder" }] },
    ]);
  });

  it("does not repeat more names than fit", async () => {
    const agents = Array.from({ length: 10 }, (_, at) => ({ name: `a${at}`, state: "idle" }));
    const { stdout } = await cluster(["hosts"], hosts({ ...WORKSTATION, agents }));
    expect(stdout).toContain("a0, a1, a2, a3, a4, a5, a6, a7 and 2 more");
  });
});

describe("bellhop cluster test", () => {
  it("prints a line for each step, and fails if one fails", async () => {
    const well = { name: "nats", verdict: "ok", detail: "connected" } as const;
    const bad = { name: "jetstream", verdict: "fail", detail: "not enabled", next: "Enable it." } as const;
    const found = await cluster(["test", "workstation"], {
      cluster_test: async () => ({ checks: [well, bad] }),
    });
    expect(found).toMatchObject({
      status: 1,
      stdout: "ok    nats: connected\nFAIL  jetstream: not enabled\n      Enable it.\n",
    });
    expect(found.asked[0]).toEqual({ verb: "cluster_test", request: { host: "workstation" } });
    const fine = await cluster(["test", "--json"], { cluster_test: async () => ({ checks: [well] }) });
    expect([fine.status, JSON.parse(fine.stdout)]).toEqual([0, { ok: true, checks: [well] }]);
  });
});

describe("bellhop cluster join", () => {
  const JOINED = { host: "laptop", key: KEY, config: "/c" };
  const joined = { cluster_join: async () => JOINED };

  it("asks for a server", async () => {
    expect(await cluster(["join", "--host", "laptop"], {})).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("needs --nats"),
    });
  });

  it("hands over whole paths, waits for NATS, and prints the line for the others", async () => {
    const argv = ["join", "--nats", "tls://a", "--nats", "tls://b", "--host", "laptop", "--credentials", "c"];
    const { stdout, asked } = await cluster(argv, { ...joined, ...status(CLUSTER) });
    expect(asked[0]?.request).toEqual({
      ...{ servers: ["tls://a", "tls://b"], host: "laptop", credentialsFile: "/home/dev/repo/c" },
    });
    expect(stdout.split("\n")).toEqual([
      "✓ This host is in the cluster, as laptop.",
      "✓ NATS is connected (a:4222).",
      "Type this on the other hosts, to let this one in:",
      `  bellhop cluster admit laptop ${KEY}`,
      "",
    ]);
  });

  it("names the domain of the hub, for a leaf node", async () => {
    const argv = ["join", "--nats", "nats://a", "--host", "laptop", "--domain", "hub"];
    const { asked } = await cluster(argv, { ...joined, ...status(CLUSTER) });
    expect(asked[0]?.request).toEqual({ servers: ["nats://a"], host: "laptop", domain: "hub" });
  });

  it("fails if it is written, and does not get in until a person does something", async () => {
    const reason = "another machine is in this cluster as laptop";
    const shown = { ...CLUSTER, engine: { ...DOWN, reason }, stuck: true as const };
    const answers = { cluster_join: async () => ({ ...JOINED, already: true as const }), ...status(shown) };
    const { status: code, stdout } = await cluster(["join", "--nats", "tls://a"], answers);
    expect(code).toBe(1);
    expect(stdout.split("\n")).toEqual([
      `! By its config this host is in the cluster, as laptop, but it does not get in: ${reason}`,
      "  To see what is wrong: bellhop cluster test. To begin anew: bellhop cluster leave",
      "",
    ]);
  });

  it("says what a name is, if there is none", async () => {
    expect(await cluster(["join", "--nats", "tls://a", "--host", ""], {})).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"" cannot be the name of a host.'),
    });
  });

  it("succeeds while NATS is down, and says what waits for what", async () => {
    const shown = { ...CLUSTER, engine: DOWN };
    const { status: code, stdout } = await cluster(["join", "--nats", "tls://a"], {
      ...joined,
      ...status(shown),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("! NATS cannot be reached yet: cannot reach tls://a: connection refused");
    expect(stdout).toContain("To see what is wrong: bellhop cluster test");
    expect(stdout).toContain(`bellhop cluster admit laptop ${KEY}`);
  });

  it.each([
    ["Adas-MacBook-Pro.local", "adas-macbook-pro"],
    ["build_01", "build-01"],
    [`${"a".repeat(31)}-b`, "a".repeat(31)],
  ])("calls the machine %s, without --host, %s", (whole, name) => {
    expect(machineName(whole)).toBe(name);
  });
});

describe("bellhop cluster admit, expel and leave", () => {
  const admitted = { host: "workstation", key: KEY, rights: ["send"] as const, config: "/c" };

  it("admits, with the rights that are named, and waits until that is in force", async () => {
    const argv = ["admit", "workstation", KEY, "--rights", "urgent, send"];
    let looks = 0;
    const { stdout, asked } = await cluster(argv, {
      cluster_admit: async () => admitted,
      ...status(CLUSTER),
      cluster_hosts: async () => {
        looks += 1;
        return { hosts: [{ ...WORKSTATION, state: looks < 3 ? "not-admitted" : "up" }] };
      },
    });
    expect(asked[0]?.request).toEqual({ host: "workstation", key: KEY, rights: ["send", "urgent"] });
    expect([looks, stdout.split("\n")]).toEqual([
      3,
      [
        "✓ workstation is admitted. Its rights here: send.",
        "workstation must admit this host too. Unless that is done, type there:",
        `  bellhop cluster admit laptop ${KEY}`,
        "",
      ],
    ]);
  });

  it("takes no right that there is not, and none as a list of its own", async () => {
    expect(await cluster(["admit", "a", KEY, "--rights", "root"], {})).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`Choose from ${HOST_RIGHTS.join(",")},`),
    });
    const none = await cluster(["admit", "workstation", KEY, "--rights", "none"], {
      cluster_admit: async () => ({ ...admitted, rights: [] }),
      ...hosts(WORKSTATION),
      ...status(CLUSTER),
    });
    expect(none.asked[0]?.request).toMatchObject({ rights: [] });
    expect(none.stdout).toContain("Its rights here: none.");
    expect(none.stdout).toContain("! Without send, nothing that workstation sends is taken here.");
  });

  it("says which rights a host had before, and not again what that host must do", async () => {
    const { stdout } = await cluster(["admit", "workstation", KEY, "--rights", "send"], {
      cluster_admit: async () => ({ ...admitted, before: ["send", "hear"] as const }),
      ...hosts(WORKSTATION),
      ...status(CLUSTER),
    });
    expect(stdout).toBe("✓ workstation is admitted. Its rights here: send. Before: send, hear.\n");
  });

  it("passes on what the daemon refuses, with what to do", async () => {
    const taken = new BellhopError("host.taken", { message: "It is taken.", next: "Expel it." });
    const refused = await cluster(["admit", "workstation", KEY], {
      cluster_admit: () => Promise.reject(taken),
    });
    expect(refused).toMatchObject({ status: 1, stderr: "bellhop: It is taken.\n  Expel it.\n" });
  });

  it("expels, and says what still waits for that host", async () => {
    const { stdout } = await cluster(["expel", "workstation"], {
      cluster_expel: async () => ({ expelled: "workstation", config: "/c", waiting: 2, underway: 1 }),
      ...hosts(HERE),
    });
    expect(stdout).toBe(
      "✓ workstation is no longer admitted.\n2 for it wait here. To cancel: bellhop queue clear host/workstation\nOf 1 that went there, nothing more is heard unless it is admitted again.\n",
    );
  });

  it("leaves, and says what stays", async () => {
    const { stdout, asked } = await cluster(["leave", "--force"], {
      cluster_leave: async () => ({
        left: "laptop",
        config: "/c",
        unfinished: [{ host: "cloud", waiting: 3, underway: 0 }],
      }),
      ...status(),
    });
    expect(asked[0]?.request).toEqual({ force: true });
    expect(stdout).toContain(
      "laptop has left the cluster. Its key stays, and whom it admits, for the next time.",
    );
    expect(stdout).toContain("  cloud: 3 waiting, 0 under way\n");
  });
});
