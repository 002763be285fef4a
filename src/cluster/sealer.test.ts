import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeFolder } from "../../tests/rig/remove-folder.ts";
import { isHostKey } from "../core/cluster/keys.ts";
import type { Sealer } from "../ports/cluster-engine.ts";
import { openSealer } from "./sealer.ts";

const folder = mkdtempSync(join(tmpdir(), "sealer-"));
const file = (name: string): string => join(folder, name);
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();
const bag = Buffer.from('{"from":"a","parcels":[]}');

let laptop: Sealer;
let workstation: Sealer;
let cloud: Sealer;

beforeAll(async () => {
  [laptop, workstation, cloud] = (await Promise.all(
    ["laptop", "workstation", "cloud"].map((name) => openSealer(file(name))),
  )) as [Sealer, Sealer, Sealer];
});

afterAll(() => removeFolder(folder));

describe("a key", () => {
  it("is a point of the curve: most texts that look like one are none", () => {
    expect(laptop.isKey(workstation.publicKey)).toBe(true);
    // Which is the sum of two of the smallest order.
    const miscopied = `bh1${"A".repeat(42)}Q`;
    expect([isHostKey(miscopied), laptop.isKey(miscopied)]).toEqual([true, false]);
    expect(laptop.isKey("bh1")).toBe(false);
  });
});

describe("a sealed bag", () => {
  it("is opened by the host that it was sealed for, and shows who sealed it", () => {
    const sealed = laptop.seal(bag, workstation.publicKey);
    expect(text(workstation.open(sealed, laptop.publicKey))).toBe(bag.toString());
    expect(workstation.open(sealed, cloud.publicKey)).toBeUndefined();
  });

  it("may be empty, or large", () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(786_432).fill(7)]) {
      const opened = workstation.open(laptop.seal(bytes, workstation.publicKey), laptop.publicKey);
      expect(opened === undefined ? undefined : Buffer.compare(opened, bytes)).toBe(0);
    }
  });

  it("says nothing to others: it contains none of its text, and is another one each time", () => {
    const one = Buffer.from(laptop.seal(bag, workstation.publicKey));
    const other = Buffer.from(laptop.seal(bag, workstation.publicKey));
    expect(one.includes("parcels")).toBe(false);
    expect(one.equals(other)).toBe(false);
  });

  it("is of no use at another host", () => {
    const sealed = laptop.seal(bag, workstation.publicKey);
    expect(cloud.open(sealed, laptop.publicKey)).toBeUndefined();
    expect(cloud.open(sealed, workstation.publicKey)).toBeUndefined();
  });

  it("cannot be sent back to the host that sealed it, as if the other one had", () => {
    const sealed = laptop.seal(bag, workstation.publicKey);
    expect(laptop.open(sealed, workstation.publicKey)).toBeUndefined();
  });

  it("is not opened if any of its bytes was changed, or if it was cut", () => {
    const sealed = laptop.seal(bag, workstation.publicKey);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(workstation.open(changed, laptop.publicKey), `byte ${at}`).toBeUndefined();
      expect(workstation.open(sealed.subarray(0, at), laptop.publicKey), `cut at ${at}`).toBeUndefined();
    }
  });

  it("is not made for what is no key, nor opened with it", () => {
    const sealed = laptop.seal(bag, workstation.publicKey);
    const wrong = ["", "bh1", workstation.publicKey.slice(3), `bh1${"A".repeat(43)}`, `bh1${"_".repeat(43)}`];
    for (const key of wrong) {
      expect(() => laptop.seal(bag, key), key).toThrow("is not the key of a host");
      expect(workstation.open(sealed, key), key).toBeUndefined();
    }
  });
});

describe("a signed announcement", () => {
  it("is believed only with the key of who signed it", () => {
    const signed = laptop.sign(bag);
    expect(text(workstation.verified(signed, laptop.publicKey))).toBe(bag.toString());
    expect(workstation.verified(signed, cloud.publicKey)).toBeUndefined();
    expect(workstation.verified(signed, "bh1")).toBeUndefined();
  });

  it("is not believed if any of its bytes was changed, or if it was cut", () => {
    const signed = laptop.sign(bag);
    for (let at = 0; at < signed.length; at += 1) {
      const changed = signed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(workstation.verified(changed, laptop.publicKey), `byte ${at}`).toBeUndefined();
      expect(workstation.verified(signed.subarray(0, at), laptop.publicKey), `cut at ${at}`).toBeUndefined();
    }
  });
});

describe("the key file", () => {
  it("is made once, for the owner alone, with nothing beside it", async () => {
    const path = join(folder, "home", "cluster.key");
    const made = await openSealer(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "home"))).toEqual(["cluster.key"]);
    expect((await openSealer(path)).publicKey).toBe(made.publicKey);
    expect(isHostKey(made.publicKey)).toBe(true);
    expect(readFileSync(path, "utf8")).not.toContain(made.publicKey.slice(3));
  });

  it("is the same for those who make it at the same moment", async () => {
    const path = file("at-once");
    const sealers = await Promise.all([openSealer(path), openSealer(path), openSealer(path)]);
    expect(new Set(sealers.map(({ publicKey }) => publicKey)).size).toBe(1);
  });

  it.each([
    ["can be read by other users", 0o640],
    ["can be read by other users", 0o604],
    ["can be read by other users", 0o620],
  ])("is refused if it %s (%o)", async (how, mode) => {
    const path = file(`mode-${mode}`);
    await openSealer(path);
    chmodSync(path, mode);
    await expect(openSealer(path)).rejects.toMatchObject({
      code: "file.unsafe",
      message: expect.stringContaining(how),
    });
  });

  it.each([
    ["nothing", ""],
    ["a short key", "bellhop-host-key-1 abc\n"],
    ["another line", `bellhop-host-key-1 ${"A".repeat(43)}\nmore\n`],
    ["a key of another kind", `bellhop-host-key-2 ${"A".repeat(43)}\n`],
    ["very much", "A".repeat(100_000)],
  ])("is refused, and left as it is, if it holds %s", async (what, content) => {
    const path = file(`holds-${what}`);
    writeFileSync(path, content, { mode: 0o600 });
    await expect(openSealer(path)).rejects.toMatchObject({
      code: "file.unsafe",
      message: expect.stringContaining("does not hold a key"),
    });
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  it("is refused if it is a link or a folder", async () => {
    await openSealer(file("real"));
    symlinkSync(file("real"), file("link"));
    await expect(openSealer(file("link"))).rejects.toMatchObject({ code: "file.unsafe" });
    await expect(openSealer(folder)).rejects.toMatchObject({ code: "file.unsafe" });
  });
});
