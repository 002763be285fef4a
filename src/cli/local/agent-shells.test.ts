import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DiagnosedSession } from "../../wire/shapes/daemon.ts";
import { agentShellFindings, shellTools } from "./agent-shells.ts";

const session = (program: string, path?: string) =>
  ({ agent: "coder", program, ...(path === undefined ? {} : { path }) }) as DiagnosedSession;

async function findings(program: string, found: { onPath?: string; inLoginShell?: string }, path = "/bin") {
  const tools = {
    onPath: () => found.onPath,
    inLoginShell: async () => found.inLoginShell,
    running: "/opt/bellhop/bin/bellhop.cjs",
  };
  return agentShellFindings([session(program, path)], tools);
}

describe("an agent's own shell", () => {
  it("that finds bellhop is not spoken of, nor one whose PATH nobody knows", async () => {
    expect(await findings("claude", { onPath: "/usr/bin/bellhop" })).toEqual([]);
    expect(await findings("claude", { inLoginShell: "/usr/bin/bellhop" })).toEqual([]);
    expect(await findings("codex", { onPath: "/x/bellhop", inLoginShell: "/x/bellhop" })).toEqual([]);
    expect(await agentShellFindings([session("claude")], shellTools({}, undefined))).toEqual([]);
  });

  it("that does not find it is told of, with where it is", async () => {
    expect(await findings("claude", {})).toEqual([
      {
        name: "agent coder",
        verdict: "warn",
        detail: 'its own shell does not find "bellhop", so it cannot answer',
        next: 'Put /opt/bellhop/bin on the PATH in ~/.profile, or install it with "npm install -g"; then start the agent again.',
      },
    ]);
  });

  it("of Codex is a login shell, whatever the window's own PATH is", async () => {
    expect(await findings("codex", { onPath: "/x/bin/bellhop" })).toMatchObject([
      { detail: expect.stringContaining("login shell"), next: expect.stringContaining("Put /x/bin on") },
    ]);
  });

  it("is asked for real: by the PATH, and by a login shell", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-shell-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const put = (name: string, text: string) => {
      const file = join(folder, name);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o700);
      return file;
    };
    const bellhop = put("bellhop", "");
    // As a person's profile would: it may leave the PATH as it is, or set another.
    const plain = put("plain-shell", '[ "$1" = -lc ] && exec /bin/sh -c "$2"');
    const other = put("other-shell", `PATH=${folder}; [ "$1" = -lc ] && exec /bin/sh -c "$2"`);
    const tools = shellTools({ SHELL: plain }, undefined);
    expect(tools.onPath("/nowhere")).toBeUndefined();
    expect(tools.onPath(`/nowhere:${folder}`)).toBe(bellhop);
    expect(await tools.inLoginShell("/nowhere")).toBeUndefined();
    expect(await tools.inLoginShell(`/nowhere:${folder}`)).toBe(bellhop);
    expect(await shellTools({ SHELL: other }, undefined).inLoginShell("/nowhere")).toBe(bellhop);
    expect(await shellTools({ SHELL: "/nowhere/sh" }, undefined).inLoginShell("/nowhere")).toBeUndefined();
  });
});
