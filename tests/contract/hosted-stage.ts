/** The built command line and a real daemon that hosts small programs; each test has its own, and a folder for them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE } from "../rig/scripted-agent.ts";

export interface HostedStage {
  readonly bellhop: Bellhop;
  readonly folder: string;
  listed(...options: readonly string[]): Promise<readonly ListedSession[]>;
}

export function hostedStage(): HostedStage {
  let bellhop: Bellhop;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "bh-hosted-"));
    bellhop = new Bellhop({ config: SCRIPTED_PROFILE, env: { TMUX_TMPDIR: folder } });
    await bellhop.start();
  });
  afterEach(async () => {
    await bellhop.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    get bellhop() {
      return bellhop;
    },
    get folder() {
      return folder;
    },
    listed: (...options) => bellhop.json<readonly ListedSession[]>(["ls", ...options]),
  };
}

/** What was refused, as a program reads it; nothing stands beside it. */
export function errorOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) {
  expect(stdout).toBe("");
  return (JSON.parse(stderr) as { error: { code: string; message: string; next: string } }).error;
}
