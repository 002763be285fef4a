import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { desktopOn } from "./desktop.ts";

function pathWith(program: string, script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-desktop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, program), `#!/bin/sh\ncd ${folder}\n${script}\n`);
  chmodSync(join(folder, program), 0o755);
  return folder;
}

const HOSTILE = `--help; $(touch x) "' <b>bold</b> & \\`;

describe("a notification of the desktop", () => {
  it("is one argument of notify-send, whatever it says", async () => {
    const folder = pathWith("notify-send", `printf '%s\\n' "$@" > said`);
    const desktop = desktopOn("linux", { PATH: folder });
    expect(desktop.obstacle()).toBeUndefined();
    await desktop.notify(HOSTILE);
    expect(readFileSync(join(folder, "said"), "utf8").trimEnd().split("\n")).toEqual([
      "--app-name=Bellhop",
      "--expire-time=10000",
      "--",
      "Bellhop",
      `--help; $(touch x) "' &lt;b&gt;bold&lt;/b&gt; &amp; \\`,
    ]);
  });

  it("is an argument of a fixed script on macOS", async () => {
    const folder = pathWith("osascript", `printf '%s\\n' "$@" > said`);
    await desktopOn("darwin", { PATH: folder }).notify(HOSTILE);
    const said = readFileSync(join(folder, "said"), "utf8").trimEnd().split("\n");
    expect(said.slice(-3)).toEqual(["--", "Bellhop", HOSTILE]);
    expect(said.slice(0, -3).join("\n")).not.toContain("bold");
  });

  it("says why it cannot be shown", async () => {
    const missing = desktopOn("linux", { PATH: "/nonexistent" });
    expect(missing.obstacle()).toContain("notify-send is not on the PATH");
    await expect(missing.notify("x")).rejects.toThrow("notify-send is not on the PATH");
    const failing = pathWith("notify-send", "echo 'Cannot autolaunch D-Bus' >&2; exit 1");
    await expect(desktopOn("linux", { PATH: failing }).notify("x")).rejects.toThrow(
      "Cannot autolaunch D-Bus",
    );
  });
});
