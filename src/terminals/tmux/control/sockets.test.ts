import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeSocket, tmuxSockets } from "./sockets.ts";
import { isSupportedVersion, runTmux, tmuxProgram, tmuxVersion } from "./tmux-program.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-sock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the sockets of tmux", () => {
  it("are the default one, the one we run in, and the configured ones, each once", () => {
    expect(
      tmuxSockets({
        servers: ["work", "/elsewhere/sock", "default"],
        environment: { TMUX: "/elsewhere/mine,123,0", TMUX_TMPDIR: folder },
        userId: 501,
      }),
    ).toEqual([
      `${folder}/tmux-501/default`,
      "/elsewhere/mine",
      `${folder}/tmux-501/work`,
      "/elsewhere/sock",
    ]);
  });

  it("are the same behind a link", () => {
    symlinkSync(folder, join(folder, "link"));
    writeFileSync(join(folder, "sock"), "");
    const servers = [join(folder, "sock"), join(folder, "link/sock")];
    expect(tmuxSockets({ servers, environment: { TMUX_TMPDIR: folder }, userId: 1 })).toHaveLength(2);
  });
});

describe("a socket", () => {
  it("without a server behind it is absent, also when its file is left over", async () => {
    expect(await probeSocket(join(folder, "none"), 1_000)).toEqual({ kind: "absent" });
    const path = join(folder, "file");
    writeFileSync(path, "");
    expect(await probeSocket(path, 1_000)).toEqual({ kind: "absent" });
  });

  it("with a server is listening", async () => {
    const path = join(folder, "sock");
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await probeSocket(path, 1_000)).toEqual({ kind: "listening" });
    await new Promise((resolve) => server.close(resolve));
  });

  it("whose path is too long is unknown, not absent", async () => {
    expect(await probeSocket(join(folder, "x".repeat(200)), 1_000)).toMatchObject({
      kind: "unknown",
      cause: expect.stringContaining("too long"),
    });
  });
});

describe("the tmux program", () => {
  it("gets only what it needs of the environment", () => {
    const environment = { PATH: "/bin", HOME: "/h", TMUX: "x", SSH_AUTH_SOCK: "y", TOKEN: "z" };
    expect(tmuxProgram(environment).environment).toEqual({
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C.UTF-8",
      TERM: "dumb",
    });
  });

  it("that is missing is said to be missing, with what to do", async () => {
    const program = { path: join(folder, "tmux"), environment: {} };
    await expect(tmuxVersion(program)).rejects.toMatchObject({ code: "tmux.missing" });
    await expect(runTmux(program, ["-V"], 1_000)).rejects.toMatchObject({
      next: expect.stringContaining("Install tmux 3.2"),
    });
  });

  it.each([
    ["3.3a", true],
    ["3.2", true],
    ["next-3.6", true],
    ["openbsd-7.4", true],
    ["3.1c", false],
    ["2.9", false],
    ["4.0", true],
  ])("of version %s is supported: %s", (version, supported) => {
    expect(isSupportedVersion(version)).toBe(supported);
  });
});
