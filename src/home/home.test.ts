import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LONGEST_SOCKET_PATH_BYTES, openHome } from "./home.ts";

let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-home-"));
  root = join(folder, "home");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const opened = (create = true) => openHome({ BELLHOP_HOME: root }, { create });
const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe("the home", () => {
  it("lies where BELLHOP_HOME says, else in the user's home", () => {
    expect(opened(false).root).toBe(root);
    expect(openHome({ HOME: folder }, { create: false }).root).toBe(join(folder, ".bellhop"));
    expect(openHome({ BELLHOP_HOME: "", HOME: folder }, { create: false }).root).toBe(
      join(folder, ".bellhop"),
    );
    expect(openHome({}, { create: false }).root).toBe(join(homedir(), ".bellhop"));
    expect(openHome({ BELLHOP_HOME: relative(process.cwd(), root) }, { create: false }).root).toBe(root);
    expect(openHome({ BELLHOP_HOME: `${root}/` }, { create: false }).root).toBe(root);
  });

  it("names every path inside it", () => {
    const { state, ...paths } = opened(false);
    expect(state).toBe("absent");
    for (const path of Object.values(paths)) expect(path.startsWith(root)).toBe(true);
    expect(paths.socket).toBe(join(root, "run", "bellhop.sock"));
    expect(paths.httpSocket).toBe(join(root, "run", "http.sock"));
  });

  it("creates nothing unless it is told to", () => {
    opened(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is made private with its folders, whatever the umask, and opened again", () => {
    const before = process.umask(0);
    try {
      expect(opened().state).toBe("ready");
    } finally {
      process.umask(before);
    }
    for (const name of ["", "run", "messages", "spool", "logs"]) expect(modeOf(join(root, name))).toBe(0o700);
    expect(opened(false).state).toBe("ready");
    expect(opened(true).state).toBe("ready");
  });

  it.each([true, false])("refuses a symbolic link in its place (create: %s)", (create) => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, root);
    expect(() => opened(create)).toThrow(expect.objectContaining({ code: "home.unsafe" }));
    expect(() => openHome({ BELLHOP_HOME: `${root}/` }, { create })).toThrow(
      expect.objectContaining({ code: "home.unsafe" }),
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("refuses a link that leads nowhere, and makes nothing there", () => {
    symlinkSync(join(folder, "nowhere"), root);
    expect(() => opened()).toThrow(expect.objectContaining({ code: "home.unsafe" }));
    expect(readdirSync(folder)).toEqual(["home"]);
  });

  it.each(["run", "messages", "spool", "logs"])(
    "refuses a symbolic link in place of its %s folder",
    (name) => {
      opened();
      rmSync(join(root, name), { recursive: true });
      symlinkSync(folder, join(root, name));
      for (const create of [true, false]) {
        expect(() => opened(create)).toThrow(expect.objectContaining({ code: "home.unsafe" }));
      }
    },
  );

  it("refuses a file in its place", () => {
    writeFileSync(root, "");
    expect(() => opened()).toThrow(expect.objectContaining({ code: "home.unsafe" }));
  });

  it("refuses a file in the way to it", () => {
    writeFileSync(join(folder, "file"), "");
    for (const create of [true, false]) {
      expect(() => openHome({ BELLHOP_HOME: join(folder, "file", "home") }, { create })).toThrow(
        expect.objectContaining({ code: "home.unsafe" }),
      );
    }
  });

  it.each([0o750, 0o705, 0o755, 0o777])(
    "refuses to be open to others (%o), and says how to close it",
    (mode) => {
      mkdirSync(root);
      chmodSync(root, mode);
      expect(() => opened()).toThrow(
        expect.objectContaining({ code: "home.unsafe", next: expect.stringContaining(`chmod 700 ${root}`) }),
      );
      chmodSync(root, 0o700);
      expect(opened().state).toBe("ready");
    },
  );

  it("refuses another user's folder", () => {
    opened();
    const uid = process.getuid?.() ?? 0;
    vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    expect(() => opened()).toThrow(
      expect.objectContaining({ code: "home.unsafe", message: expect.stringContaining("another user") }),
    );
  });

  it("takes socket paths up to the limit and no longer, before anything is made", () => {
    const rest = "/run/bellhop.sock".length;
    const ofLength = (bytes: number) => join(folder, "h".repeat(bytes - rest - folder.length - 1));
    const longest = ofLength(LONGEST_SOCKET_PATH_BYTES);
    const home = openHome({ BELLHOP_HOME: longest }, { create: true });
    expect(Buffer.byteLength(home.socket)).toBe(LONGEST_SOCKET_PATH_BYTES);
    for (const create of [true, false]) {
      expect(() => openHome({ BELLHOP_HOME: `${longest}h` }, { create })).toThrow(
        expect.objectContaining({
          code: "home.path_too_long",
          next: expect.stringContaining("BELLHOP_HOME"),
        }),
      );
    }
    const inBytes = ofLength(LONGEST_SOCKET_PATH_BYTES).replace(/h$/, "é");
    expect(() => openHome({ BELLHOP_HOME: inBytes }, { create: true })).toThrow(
      expect.objectContaining({ code: "home.path_too_long" }),
    );
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
