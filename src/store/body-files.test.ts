import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BodyFiles } from "../ports/files.ts";
import { bodyFilesIn } from "./body-files.ts";

let outside: string;
let folder: string;
let files: BodyFiles;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), "bellhop-bodies-"));
  folder = join(outside, "messages");
  mkdirSync(folder, { mode: 0o700 });
  files = bodyFilesIn(folder);
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const NAME = "coder/20250115T021832123Z-0a1b2c3d.md";
const unsafe = { code: "file.unsafe" };

describe("the files of bodies", () => {
  it("are named by agent, moment and id", () => {
    const name = files.nameFor(
      "coder",
      Date.UTC(2025, 0, 15, 2, 18, 32, 123),
      "0a1b2c3d-4e5f-4a6b-8c7d-000000000000",
    );
    expect(name).toBe(NAME);
    expect(files.absolute(name)).toBe(join(folder, NAME));
  });

  it("are named by their own moment, whatever came before: the clock may be set back", () => {
    const id = "0a1b2c3d-4e5f-4a6b-8c7d-000000000000";
    for (const at of [1_999, 2_000, 2_001, 1_999, -1, Date.UTC(2038, 0, 19, 3, 14, 7, 9), 60_000]) {
      const moment = new Date(at).toISOString().replace(/[-:.]/g, "");
      expect(files.nameFor("coder", at, id)).toBe(`coder/${moment}-0a1b2c3d.md`);
    }
    expect(() => files.nameFor("coder", 253_402_300_800_000, id)).toThrow(expect.objectContaining(unsafe));
  });

  it("have names of their own, also if two ids of the same moment begin alike", () => {
    const name = (id: string, agent = "coder") => files.nameFor(agent, 7, id);
    const [one, two] = ["0a1b2c3d-4e5f-4a6b-8c7d-000000000000", "0a1b2c3d-4e5f-4a6b-8c7d-000000000001"];
    const first = name(one);
    expect(first).toBe("coder/19700101T000000007Z-0a1b2c3d.md");
    expect(name("0b1b2c3d-4e5f-4a6b-8c7d-000000000000", "other")).toContain("other/");
    expect(name(two)).toBe(`coder/19700101T000000007Z-${two}.md`);
    expect(name(one)).toBe(first);
    expect(files.absolute(name(two))).toBe(join(folder, name(two)));
  });

  it("hold the text exactly, private in a private folder, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      const path = await files.ensure(NAME, "one\r\ntwo \u{1f600}\0 漢字");
      expect(path).toBe(join(folder, NAME));
      expect(readFileSync(path, "utf8")).toBe("one\r\ntwo \u{1f600}\0 漢字");
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, "coder")).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
    expect(readdirSync(join(folder, "coder"))).toEqual([NAME.slice("coder/".length)]);
  });

  it("are left alone when they are right", async () => {
    const path = await files.ensure(NAME, "text");
    const { ino } = statSync(path);
    await files.ensure(NAME, "text");
    expect(statSync(path).ino).toBe(ino);
  });

  it.each([
    ["missing", (path: string) => rmSync(path)],
    ["cut off", (path: string) => truncateSync(path, 2)],
    ["emptied", (path: string) => truncateSync(path, 0)],
    ["changed", (path: string) => writeFileSync(path, "evil")],
    ["open to others", (path: string) => chmodSync(path, 0o644)],
  ])("are written again when they are %s", async (_, harm) => {
    const path = await files.ensure(NAME, "text");
    harm(path);
    await files.ensure(NAME, "text");
    expect(readFileSync(path, "utf8")).toBe("text");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("are whole for whoever reads them while many write", async () => {
    const texts = ["a".repeat(200_000), "b".repeat(200_000)];
    const path = await files.ensure(NAME, texts[0] ?? "");
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await files.ensure(NAME, texts[index % 2] ?? "");
        expect(texts).toContain(readFileSync(path, "utf8"));
      }),
    );
    expect(readdirSync(join(folder, "coder"))).toHaveLength(1);
  });

  it("make their folder when only the home is there", async () => {
    rmSync(folder, { recursive: true });
    await files.ensure(NAME, "text");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("are removed, and removing what is not there is fine", async () => {
    const path = await files.ensure(NAME, "text");
    await files.remove(NAME);
    expect(existsSync(path)).toBe(false);
    await files.remove(NAME);
    await files.remove("nobody/x.md");
  });

  it("are not hindered by what a crash left behind", async () => {
    mkdirSync(join(folder, "coder"), { mode: 0o700 });
    writeFileSync(join(folder, "coder", `.${process.pid}-1.new`), "half");
    const path = await files.ensure(NAME, "text");
    expect(readFileSync(path, "utf8")).toBe("text");
    expect(readdirSync(join(folder, "coder"))).toHaveLength(1);
  });
});

describe("hostile names of bodies", () => {
  it.each([
    "",
    "coder",
    "coder/",
    "/coder/x.md",
    "/etc/passwd",
    "../x.md",
    "../../x.md",
    "coder/../x.md",
    "coder/../../x.md",
    "./x.md",
    "../x/y.md",
    "..",
    "coder/..",
    "coder/.hidden.md",
    "coder/a/b.md",
    "coder//x.md",
    "coder/x.md\0.txt",
    "co\0der/x.md",
    "coder/x",
    "coder/x.md\n",
    "Coder/x.md",
    "coder\\..\\x.md",
    "coder/x y.md",
    `coder/${"x".repeat(200)}.md`,
    `${"a".repeat(65)}/x.md`,
  ])("are refused: %j", async (name) => {
    await expect(files.ensure(name, "text")).rejects.toMatchObject(unsafe);
    await expect(files.remove(name)).rejects.toMatchObject(unsafe);
    expect(() => files.absolute(name)).toThrow(expect.objectContaining(unsafe));
    expect(readdirSync(outside)).toEqual(["messages"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["../x", "0a1b2c3d"],
    ["", "0a1b2c3d"],
    ["a/b", "0a1b2c3d"],
    ["A", "0a1b2c3d"],
    ["coder", ""],
    ["coder", "../../../x"],
    ["coder", "/etc"],
    ["coder", "\0"],
  ])("are never made, from agent %j and id %j", (agent, id) => {
    expect(() => files.nameFor(agent, 0, id)).toThrow(expect.objectContaining(unsafe));
  });

  it("never lead out of the folder, whatever they are", () => {
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "", "/", "coder", "x.md", "\0", "\\", "%2e%2e", "~"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom("", "/"), (pieces, joint) => {
        let path: string;
        try {
          path = files.absolute(pieces.join(joint));
        } catch {
          return;
        }
        expect(resolve(path)).toBe(path);
        expect(path.startsWith(`${folder}${sep}`)).toBe(true);
      }),
    );
  });
});

describe("hostile links in the folder of bodies", () => {
  it("do not lead a write, a read or a removal elsewhere when the agent's folder is one", async () => {
    const target = join(outside, "target");
    mkdirSync(target);
    const victim = join(target, NAME.slice("coder/".length));
    writeFileSync(victim, "mine");
    symlinkSync(target, join(folder, "coder"));
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
    await expect(files.remove(NAME)).rejects.toMatchObject(unsafe);
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(readdirSync(target)).toHaveLength(1);
  });

  it("are refused in place of the messages folder itself", async () => {
    const target = join(outside, "target");
    mkdirSync(target);
    rmSync(folder, { recursive: true });
    symlinkSync(target, folder);
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
    expect(readdirSync(target)).toEqual([]);
  });

  it("are refused in place of a body, also when they lead nowhere", async () => {
    const target = join(outside, "target.md");
    mkdirSync(join(folder, "coder"), { mode: 0o700 });
    symlinkSync(target, join(folder, NAME));
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, "text");
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
    await files.remove(NAME);
    expect(readFileSync(target, "utf8")).toBe("text");
    expect(lstatSync(target).isFile()).toBe(true);
  });

  it("are no worse than a pipe or a folder in place of a body", async () => {
    mkdirSync(join(folder, "coder"), { mode: 0o700 });
    execFileSync("mkfifo", [join(folder, NAME)], { timeout: 5_000 });
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
    rmSync(join(folder, NAME));
    mkdirSync(join(folder, NAME));
    await expect(files.ensure(NAME, "text")).rejects.toMatchObject(unsafe);
  });
});
