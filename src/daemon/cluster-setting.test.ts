import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/config.ts";
import type { ClusterCheck } from "../wire/shapes/cluster.ts";
import { clusterSetting } from "./cluster-setting.ts";

const key = (letter: string) => `bh1${letter.repeat(42)}A`;
const [OWN, OTHER] = [key("o"), key("w")];
const wish = { servers: ["nats://127.0.0.1"], host: "laptop" };

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bh-setting-"));
  path = join(home, "config.yaml");
});
afterEach(() => rmSync(home, { recursive: true }));

const running = {
  configured: () => undefined,
  key: async () => OWN,
  isKey: async () => true,
  test: async () => [],
  obstacleTo: async (_: unknown): Promise<ClusterCheck | undefined> => undefined,
};
const setting = (more: Partial<typeof running> = {}) =>
  clusterSetting({ path, home, cluster: () => ({ ...running, ...more }) });
const clusterIn = () => loadConfig(path).values.cluster;

describe("the cluster in the owner's config", () => {
  it("is joined, hosts are admitted and expelled, and it is left; comments stay", async () => {
    writeFileSync(path, "# mine\nhttp: { port: 0 } # any\n");
    const { join: joins, admit, expel, leave } = setting();
    expect(await joins(wish)).toEqual({ host: "laptop", key: OWN, config: path });
    expect(await joins(wish)).toEqual({ host: "laptop", key: OWN, config: path, already: true });
    const admitted = { host: "workstation", key: OTHER, rights: ["send", "urgent"] as const };
    expect(await admit(admitted)).toEqual({ ...admitted, config: path });
    expect(await admit({ host: "workstation", key: OTHER })).toEqual({
      ...admitted,
      config: path,
      already: true,
    });
    expect(clusterIn()).toMatchObject({ ...wish, hosts: [admitted] });
    const changed = { ...admitted, rights: ["send", "hear"] as const };
    expect(await admit(changed)).toEqual({ ...changed, config: path, before: ["send", "urgent"] });
    expect(expel("workstation")).toBe(path);
    expect(clusterIn()?.hosts).toEqual([]);
    expect(leave()).toBe(path);
    expect(clusterIn()).toBeUndefined();
    expect(readFileSync(path, "utf8")).toContain("# mine\nhttp: { port: 0 } # any\n");
  });

  it("is written by nothing that is refused", async () => {
    const { join: joins, admit, expel, leave } = setting();
    const credentialsFile = join(home, "creds");
    await expect(joins({ ...wish, credentialsFile })).rejects.toThrow("cannot be read (ENOENT)");
    writeFileSync(credentialsFile, "s3cret", { mode: 0o640 });
    await expect(joins({ ...wish, credentialsFile })).rejects.toThrow("nobody else may read");
    await expect(joins({ ...wish, credentialsFile: home })).rejects.toMatchObject({
      message: `${home} is not a plain file, but a folder.`,
      next: expect.not.stringContaining("chmod"),
    });
    await expect(joins({ ...wish, caFile: "/none.pem" })).rejects.toMatchObject({
      code: "config.invalid",
      message: "The file with certificates to trust cannot be used (/none.pem): it is not there.",
    });
    await expect(admit({ host: "b", key: OTHER })).rejects.toMatchObject({ code: "cluster.absent" });
    expect(() => expel("b")).toThrow("This host is in no cluster.");
    expect(() => leave()).toThrow("This host is in no cluster.");
    expect(existsSync(path)).toBe(false);
    await joins(wish);
    const before = readFileSync(path, "utf8");
    await expect(admit({ host: "b", key: OWN })).rejects.toThrow("the key of this host itself");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it.each([
    ["name", "host.taken", "another machine is in this cluster as laptop"],
    ["nats", "config.invalid", "authorization refused by nats://127.0.0.1"],
  ])("is not joined, and not written, if NATS or its name (%s) is refused", async (name, code, detail) => {
    const tried: unknown[] = [];
    const obstacleTo = async (definition: unknown): Promise<ClusterCheck> => {
      tried.push(definition);
      return { name, verdict: "fail", detail, next: "Do this." };
    };
    await expect(setting({ obstacleTo }).join({ ...wish, domain: "hub" })).rejects.toMatchObject({
      ...{ code, message: `This host cannot join: ${detail}.` },
      next: `${name === "name" ? "Do this." : "Look at --nats, --credentials and --ca-file."} Nothing was written: then join again.`,
    });
    expect(tried).toEqual([{ ...wish, domain: "hub", stream: "bellhop", hosts: [] }]);
    expect(existsSync(path)).toBe(false);
    await setting().join(wish);
    // It is in already: what is wrong now, its status says.
    expect(await setting({ obstacleTo }).join(wish)).toMatchObject({ already: true });
  });

  it("takes no key that cannot be one, though it looks like one", async () => {
    await setting().join(wish);
    const { admit } = setting({ isKey: async () => false });
    await expect(admit({ host: "b", key: OTHER })).rejects.toMatchObject({
      code: "usage.invalid",
      message: "This is not the key of a host: a character of it is wrong.",
    });
    expect(clusterIn()?.hosts).toEqual([]);
  });

  it("keeps whom it admits when it is left, for the next time", async () => {
    const { join: joins, admit, leave } = setting();
    await joins({ ...wish, stream: "mine", domain: "hub" });
    const admitted = { host: "workstation", key: OTHER, rights: ["send", "urgent"] as const };
    await admit(admitted);
    leave();
    expect(clusterIn()).toBeUndefined();
    expect(loadConfig(path).values.cluster).toBeUndefined();
    await expect(admit({ host: "c", key: key("c") })).rejects.toMatchObject({ code: "cluster.absent" });
    await joins(wish);
    expect(clusterIn()).toMatchObject({ ...wish, stream: "bellhop", hosts: [admitted] });
    leave();
    await expect(joins({ ...wish, host: "workstation" })).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringContaining(
        "cluster.hosts.workstation: this is the host itself; remove it there, or",
      ),
    });
    expect(clusterIn()).toBeUndefined();
  });
});
