/** The contract of every program in the list, checked on its folder and on the program as the daemon composes it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AGENT_PROGRAMS } from "../../src/core/rights/agent-programs.ts";
import type { Program } from "../../src/programs/program.ts";
import { programHookAnswersContract } from "./program-hook-answers.ts";
import { programHooksContract } from "./program-hooks.ts";
import { programProcessContract } from "./program-process.ts";
import { programScreensContract } from "./program-screens.ts";
import { programTranscriptContract } from "./program-transcript.ts";

const source = new URL("../../src/programs/", import.meta.url);
const matrix: Readonly<Record<string, { readonly versions: readonly string[] }>> = JSON.parse(
  readFileSync(new URL("../rig/program-versions.json", import.meta.url), "utf8"),
);

export function programContract(program: Program): void {
  const { name, profile, proven } = program;

  describe("what it says of itself", () => {
    it("stands in a folder of its name, with a page that names the releases it was proven on", () => {
      const page = readFileSync(new URL(`${name}/README.md`, source), "utf8");
      expect(page.startsWith(`# ${AGENT_PROGRAMS[name]?.title}\n`)).toBe(true);
      for (const version of proven) expect(page).toContain(version);
    });

    it("names the releases that the version matrix runs", () => {
      expect(proven).toEqual(matrix[name]?.versions ?? []);
    });

    it("has one name, and its profile knows what else it has", () => {
      expect(profile.name).toBe(name);
      expect(program.profileForVim?.name ?? name).toBe(name);
      expect(program.hooks?.name ?? name).toBe(name);
      expect(profile.inbox).toBe(program.inbox !== undefined);
      expect(profile.hookable).toBe(program.hooks !== undefined);
    });

    it("has no room over about a dozen files", () => {
      const folder = fileURLToPath(new URL(name, source));
      const rooms = [folder, ...folders(folder)];
      for (const room of rooms)
        expect(
          readdirSync(room).filter((file) => /(?<!\.test)\.ts$/.test(file)).length,
          room,
        ).toBeLessThanOrEqual(14);
    });
  });

  describe("its screens", () => programScreensContract(profile));
  describe("its processes", () => programProcessContract(program));
  describe("its hooks", () => programHooksContract(program));
  describe("the answers to its hooks", () => programHookAnswersContract(program));
  describe("its session files", () => programTranscriptContract(program));
}

function folders(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}
