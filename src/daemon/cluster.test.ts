import { chmodSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { parseConfig } from "../config/config.ts";
import type { ClusterAdapters } from "../office/cluster/room.ts";
import type { ClusterEngine, Sealer } from "../ports/cluster-engine.ts";
import { ConfiguredCluster } from "./cluster.ts";

const key = (letter: string) => `bh1${letter.repeat(42)}A`;
const NONE = parseConfig("", "/c");
const configured = (more = "", host = "laptop") =>
  parseConfig(`cluster:\n  nats: tls://a\n  host: ${host}\n${more}`, "/c");
const hosts = (...names: readonly string[]) =>
  `  hosts:\n${names.map((name) => `    ${name}: { key: ${key(name[0] ?? "x")} }\n`).join("")}`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bh-cluster-"));
});
afterEach(() => rmSync(home, { recursive: true }));

class Stage {
  readonly did: string[] = [];
  readonly logged: string[] = [];
  readonly awaited: string[] = [];
  sealing: () => Promise<Sealer> = async () => ({ publicKey: key("o") }) as Sealer;
  readonly clock = new FakeClock(new OpenWork());
  adapters: ClusterAdapters | undefined;
  opening: () => Promise<void> = async () => {};
  closing: () => Promise<void> = async () => {};
  awaiting: () => Promise<void> = async () => {};
  readonly cluster: ConfiguredCluster;

  constructor() {
    const note = (event: string) => void this.logged.push(event);
    this.cluster = new ConfiguredCluster({
      home,
      keyFile: join(home, "cluster-key"),
      clock: this.clock,
      log: { info: () => {}, warn: note, error: note },
      office: {
        openCluster: async (adapters) => {
          await this.opening();
          this.did.push(`open ${adapters.host}`);
          this.adapters = adapters;
        },
        closeCluster: async () => void this.did.push("close"),
        leaveCluster: async () => {
          this.did.push("leave");
          await this.closing();
        },
        awaitCluster: async (release) => {
          this.awaited.push(release);
          await this.awaiting();
        },
        reconsider: () => void this.did.push("reconsider"),
      },
      makers: {
        sealer: () => this.sealing(),
        engine: async ({ host }) => {
          this.did.push(`connect ${host}`);
          return {} as ClusterEngine;
        },
      },
    });
  }
}

describe("the cluster of the config", () => {
  it("is nothing without one: nothing is made, nothing is shown", async () => {
    const { cluster, did, awaited } = new Stage();
    await cluster.apply(NONE);
    await cluster.apply(NONE);
    expect([did, cluster.configured(), await cluster.test()]).toEqual([[], undefined, []]);
    // Something may wait since an earlier daemon was in one.
    expect(awaited).toEqual(["when this host is in a cluster again: bellhop cluster join"]);
  });

  it("is opened, shown with its key, and left alone while nothing changes", async () => {
    const { cluster, did, clock } = new Stage();
    await cluster.apply(configured());
    await cluster.apply(configured());
    expect(did).toEqual(["connect laptop", "open laptop"]);
    expect(cluster.configured()).toEqual({
      ...{ host: "laptop", servers: ["tls://a"], stream: "bellhop", hosts: [] },
      ...{ key: key("o"), since: clock.now() },
    });
  });

  it("asks at each use who is admitted, and connects no second time for that", async () => {
    const stage = new Stage();
    await stage.cluster.apply(configured());
    expect(stage.adapters?.admitted()).toEqual([]);
    await stage.cluster.apply(configured(hosts("workstation")));
    expect(stage.adapters?.admitted().map(({ host }) => host)).toEqual(["workstation"]);
    expect(stage.did).toEqual(["connect laptop", "open laptop", "reconsider"]);
    await stage.cluster.apply(configured(hosts("workstation")));
    expect(stage.did).toHaveLength(3);
  });

  it("is opened anew for another stream, and under another name", async () => {
    const { cluster, did } = new Stage();
    await cluster.apply(configured());
    await cluster.apply(configured("  stream: other\n"));
    await cluster.apply(configured("  stream: other\n", "desktop"));
    expect(did).toEqual([
      ...["connect laptop", "open laptop"],
      ...["close", "connect laptop", "open laptop"],
      ...["close", "connect desktop", "open desktop"],
    ]);
  });

  it("leaves and closes when the config no longer has one, also if that fails", async () => {
    const stage = new Stage();
    stage.closing = () => Promise.reject(new Error("it hangs"));
    await stage.cluster.apply(configured());
    await stage.cluster.apply(NONE);
    expect(stage.did.slice(2)).toEqual(["leave"]);
    expect(stage.cluster.configured()).toBeUndefined();
    expect(stage.logged).toEqual(["cluster.not_closed"]);
    expect(stage.awaited).toHaveLength(1);
  });

  it.each([
    ["is missing", undefined, "cannot be read (ENOENT)"],
    ["can be read by others", 0o644, "must be a file of yours that nobody else may read. Run: chmod 600"],
  ])(
    "holds, and says why, if the file with the credentials %s, and opens once it is mended",
    async (_, mode, why) => {
      const stage = new Stage();
      const { cluster, did, clock, logged } = stage;
      const file = join(home, "creds");
      if (mode !== undefined) writeFileSync(file, "s3cret\n", { mode });
      await cluster.apply(configured("  credentials: creds\n"));
      expect(cluster.configured()?.trouble).toContain(why);
      expect([did, logged]).toEqual([["open laptop"], ["cluster.not_open"]]);
      const { engine } = stage.adapters ?? {};
      expect(engine?.standing()).toMatchObject({ state: "down", reason: cluster.configured()?.trouble });
      await expect(engine?.store("b", "1", new Uint8Array())).rejects.toThrow(why);
      writeFileSync(file, "s3cret\n");
      chmodSync(file, 0o600);
      await clock.advance(2_000);
      expect(did.slice(1)).toEqual(["close", "connect laptop", "open laptop"]);
      expect(cluster.configured()?.trouble).toBeUndefined();
      cluster.close();
    },
  );

  it("connects anew with credentials that were replaced", async () => {
    const { cluster, did, clock } = new Stage();
    const file = join(home, "creds");
    writeFileSync(file, "s3cret\n", { mode: 0o600 });
    await cluster.apply(configured("  credentials: creds\n"));
    await clock.advance(2_000);
    expect(did).toHaveLength(2);
    utimesSync(file, 1, 1);
    await clock.advance(2_000);
    expect(did.slice(2)).toEqual(["close", "connect laptop", "open laptop"]);
    cluster.close();
  });

  it("is there from the start while its credentials cannot be looked at, and opens once they can", async () => {
    const { cluster, did, clock, logged } = new Stage();
    const file = join(home, "file");
    symlinkSync(file, file);
    await cluster.apply(configured("  credentials: file\n"));
    expect(did.at(-1)).toBe("open laptop");
    const before = did.length;
    rmSync(file);
    writeFileSync(file, "s3cret\n", { mode: 0o600 });
    await clock.advance(2_000);
    expect(did.slice(before)).toEqual(["close", "connect laptop", "open laptop"]);
    expect(cluster.configured()?.trouble).toBeUndefined();
    expect(logged).not.toContain("cluster.not_applied");
    cluster.close();
  });

  it("goes on looking at its credentials when they could not be looked at for a moment", async () => {
    const { cluster, did, clock, logged } = new Stage();
    const file = join(home, "creds");
    writeFileSync(file, "s3cret\n", { mode: 0o600 });
    await cluster.apply(configured("  credentials: creds\n"));
    rmSync(file);
    symlinkSync(file, file);
    await clock.advance(2_000);
    expect(did.slice(2)).toEqual(["close", "open laptop"]);
    expect(cluster.configured()?.trouble).toContain("ELOOP");
    rmSync(file);
    writeFileSync(file, "another\n", { mode: 0o600 });
    await clock.advance(2_000);
    expect(did.slice(4)).toEqual(["close", "connect laptop", "open laptop"]);
    expect([cluster.configured()?.trouble, logged]).toEqual([undefined, ["cluster.not_open"]]);
    cluster.close();
  });

  it("is tried again also when nothing can be written of why it is not open, which is told once", async () => {
    const stage = new Stage();
    stage.opening = () => Promise.reject(new Error("too many open files"));
    stage.awaiting = () => Promise.reject(new Error("the disk is full"));
    await stage.cluster.apply(configured());
    await stage.clock.advance(4_000);
    expect(stage.awaited).toHaveLength(3);
    expect(stage.logged).toEqual(["cluster.not_open", "cluster.not_applied"]);
    stage.opening = async () => {};
    await stage.clock.advance(2_000);
    expect(stage.did).toContain("open laptop");
    expect(stage.cluster.configured()?.trouble).toBeUndefined();
    stage.cluster.close();
  });

  it("refuses its own key among those that it admits, until that is corrected", async () => {
    const { cluster, did } = new Stage();
    await cluster.apply(configured(hosts("other")));
    expect(cluster.configured()?.trouble).toContain("cluster.hosts.other has the key of this host itself.");
    expect(did).toEqual(["open laptop"]);
    await cluster.apply(configured(hosts("workstation")));
    expect(did.slice(1)).toEqual(["close", "connect laptop", "open laptop"]);
    expect(cluster.configured()?.trouble).toBeUndefined();
    cluster.close();
  });

  it("holds, and says why, while its own key cannot be read, and opens once it can", async () => {
    const stage = new Stage();
    const { cluster, did, clock, logged } = stage;
    const { sealing } = stage;
    stage.sealing = () => Promise.reject(new Error("too many open files"));
    await cluster.apply(configured(hosts("workstation")));
    expect(did).toEqual(["open laptop"]);
    expect(stage.adapters?.admitted().map(({ host }) => host)).toEqual(["workstation"]);
    expect(stage.adapters?.engine.standing()).toMatchObject({ reason: "Error: too many open files" });
    expect(cluster.configured()).toMatchObject({ trouble: "Error: too many open files" });
    await clock.advance(10_000);
    expect([did, logged]).toEqual([["open laptop"], ["cluster.not_open"]]);
    stage.sealing = sealing;
    await clock.advance(2_000);
    expect(did.slice(1)).toEqual(["close", "connect laptop", "open laptop"]);
    expect(cluster.configured()).toMatchObject({ key: key("o") });
    expect(cluster.configured()?.trouble).toBeUndefined();
    cluster.close();
  });

  it("is tried again when it could not be opened, and what waits says so", async () => {
    const stage = new Stage();
    stage.opening = () => Promise.reject(new Error("too many open files"));
    await stage.cluster.apply(configured());
    expect(stage.awaited).toEqual(["when the cluster can be opened: Error: too many open files"]);
    await stage.clock.advance(4_000);
    expect([stage.awaited.length, stage.logged]).toEqual([3, ["cluster.not_open"]]);
    stage.opening = async () => {};
    await stage.clock.advance(2_000);
    expect(stage.did).toContain("open laptop");
    expect(stage.cluster.configured()?.trouble).toBeUndefined();
    await stage.cluster.apply(NONE);
    expect(stage.did.at(-1)).toBe("leave");
  });
});
