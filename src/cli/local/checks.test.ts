import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DiagnosedSession } from "../../wire/shapes/daemon.ts";
import { checkBridge, checkCluster, checkServer, checkSession, checkVersion } from "./daemon-checks.ts";
import { checkCommand, checkNode, checkTmux } from "./machine-checks.ts";

const SESSION: DiagnosedSession = {
  id: "08bc57cf",
  agent: "coder",
  program: "claude",
  version: "2.1.325",
  hooked: true,
  transports: ["native", "paste"],
  closed: [],
  reading: "composer",
  readiness: "idle",
  because: "its turn has ended",
};

describe("doctor", () => {
  it.each([
    ["20.19.0", "ok"],
    ["24.1.0", "ok"],
    ["20.18.3", "fail"],
    ["18.20.0", "fail"],
  ])("finds Node %s %s", (version, verdict) => {
    expect(checkNode(version).verdict).toBe(verdict);
  });

  it.each([
    ["tmux 3.3a\n", "ok"],
    ["tmux 3.2\n", "warn"],
    ["tmux next-3.5\n", "warn"],
    ["tmux 3.6\n", "warn"],
    ["tmux 3.7b\n", "warn"],
    ["tmux 3.1c\n", "fail"],
    ["tmux master\n", "warn"],
    [undefined, "fail"],
  ])("finds %j %s", (output, verdict) => {
    expect(checkTmux(output).verdict).toBe(verdict);
  });

  it("says of an unproven release what is different there, and what to do", () => {
    const { verdict, detail, next } = checkSession({ ...SESSION, unproven: "9.9.9 is newer than 2.1.325" });
    expect(verdict).toBe("warn");
    expect(detail).toContain("9.9.9 is newer than 2.1.325, so Bellhop goes the careful way");
    expect(next).toContain("bellhop profile learn");
  });

  it("says in plain words whether terminals can be seen, those of tmux and its own", () => {
    const found = (name: string, state: string) => {
      const { verdict, name: what, detail } = checkServer(name, state);
      return `${verdict} ${what}: ${detail}`;
    };
    expect(found("/tmp/tmux-0/default", "scanned")).toBe("ok tmux server: /tmp/tmux-0/default: running");
    expect(found("/tmp/tmux-0/default", "absent")).toBe("ok tmux server: /tmp/tmux-0/default: not running");
    expect(found("/tmp/tmux-0/default", "unknown: no answer")).toBe(
      "warn tmux server: /tmp/tmux-0/default: unknown: no answer",
    );
    expect(found("pty", "scanned")).toBe("ok hosted terminals: ready");
    expect(found("pty", "absent")).toBe("ok hosted terminals: ready");
    expect(found("pty", "unknown: EACCES")).toBe("warn hosted terminals: unknown: EACCES");
    expect(checkServer("pty", "unknown: EACCES").next).not.toContain("tmux");
  });

  it("fails for a bridge that waits for a person, and only warns of one that keeps trying", () => {
    const bridge = { name: "telegram", since: 1, strangers: 0 };
    expect(checkBridge({ ...bridge, state: "up" }).verdict).toBe("ok");
    expect(checkBridge({ ...bridge, state: "starting" }).verdict).toBe("warn");
    const down = { ...bridge, state: "down", error: "Telegram cannot be reached." } as const;
    expect(checkBridge(down)).toMatchObject({ verdict: "warn", detail: "Telegram cannot be reached." });
    expect(checkBridge({ ...down, stuck: true }).verdict).toBe("fail");
    expect(checkBridge({ ...down, state: "up" }).verdict).toBe("warn");
  });

  it("warns of hosts that are silent and of NATS that is down, and fails for what only a person can mend", () => {
    const up = { host: "laptop", engine: { state: "up", since: 1 }, hosts: 2, up: 2, waiting: 0 } as const;
    const down = { state: "down", since: 1, reason: "cannot reach tls://a: connection refused" } as const;
    expect(checkCluster(up)).toMatchObject({
      verdict: "ok",
      detail: "this is laptop; 2 of 2 other hosts up",
    });
    expect(checkCluster({ ...up, up: 1 })).toMatchObject({
      verdict: "warn",
      next: expect.stringContaining("bellhop cluster hosts"),
    });
    expect(checkCluster({ ...up, doubts: ["b: its key differs"] })).toMatchObject({
      verdict: "warn",
      detail: "this is laptop; 2 of 2 other hosts up; b: its key differs",
    });
    expect(checkCluster({ ...up, hosts: 0, up: 0 })).toMatchObject({
      verdict: "warn",
      detail: expect.stringContaining("no other host is admitted"),
    });
    expect(checkCluster({ ...up, engine: down, waiting: 3 })).toMatchObject({
      verdict: "warn",
      detail: "cannot reach tls://a: connection refused; 3 for other hosts wait here",
    });
    expect(checkCluster({ ...up, engine: down, stuck: true }).verdict).toBe("fail");
  });

  it("tells how a session can be reached, and what would open more", () => {
    expect(checkSession(SESSION)).toMatchObject({
      verdict: "ok",
      detail: expect.stringContaining("native, paste"),
    });
    expect(checkSession({ ...SESSION, hooked: false })).toMatchObject({
      verdict: "warn",
      next: expect.stringContaining("bellhop hooks install claude"),
    });
    expect(checkSession({ ...SESSION, program: "codex", hooked: false }).next).toMatch(
      /^It reports from its first prompt on\. .*hooks install codex/,
    );
    expect(checkSession({ ...SESSION, transports: [] })).toMatchObject({
      verdict: "warn",
      next: expect.not.stringContaining("hooks"),
    });
    expect(checkSession({ ...SESSION, program: "opencode", hooked: false, transports: [] }).next).toContain(
      "bellhop hooks install opencode",
    );
  });

  it("tells of a suspended session how it is brought back, not what to install", () => {
    const because = "suspended: bring it back with fg";
    const found = checkSession({
      ...SESSION,
      hooked: false,
      transports: [],
      readiness: "unknown",
      because,
      suspended: true,
    });
    expect(found).toMatchObject({
      verdict: "warn",
      detail: "claude 2.1.325 is suspended: bring it back with fg",
      next: "Its messages wait until then.",
    });
  });

  it("tells of a daemon of another version how to restart it", () => {
    expect(checkVersion("9.9.9", 1)).toMatchObject({
      verdict: "warn",
      next: expect.stringContaining("bellhop down && bellhop up"),
    });
  });

  describe("looking for the command", () => {
    let folder: string;
    let file: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "bh-path-"));
      file = join(folder, "real.cjs");
      writeFileSync(file, "");
      chmodSync(file, 0o755);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("follows the link that npm makes, and notices another installation", () => {
      expect(checkCommand({ PATH: `/nowhere::${folder}` }, file).verdict).toBe("warn");
      symlinkSync(file, join(folder, "bellhop"));
      expect(checkCommand({ PATH: `/nowhere::${folder}` }, file).verdict).toBe("ok");
      expect(checkCommand({ PATH: folder }, "/elsewhere/bellhop.cjs")).toMatchObject({
        verdict: "warn",
        detail: expect.stringContaining("a different bellhop"),
      });
    });
  });
});
