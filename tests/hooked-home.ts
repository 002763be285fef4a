/** A home in which to install hooks, new for each test, and all its files. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { HookedProgram, HookSetting } from "../src/hooks/hooked-program.ts";
import { applyPlan, planInstall, planRemove } from "../src/hooks/install.ts";
import { hooksStatus } from "../src/hooks/status.ts";
import { HOOKED_PROGRAMS } from "../src/programs/index.ts";

export const SETTINGS = {
  claude: ".claude/settings.json",
  codex: ".codex/hooks.json",
  opencode: ".config/opencode/tui.json",
  gemini: ".gemini/settings.json",
};

export type HookedName = keyof typeof SETTINGS;

export function hookedProgram(name: HookedName): HookedProgram {
  const program = HOOKED_PROGRAMS.find((each) => each.name === name);
  if (program === undefined) throw new Error(`nothing is hooked that is called ${name}`);
  return program;
}

export class HookedHome {
  root = "";
  setting: HookSetting = { bellhopHome: "", userHome: "", environment: {}, programs: HOOKED_PROGRAMS };

  constructor() {
    beforeEach(() => {
      this.root = realpathSync(mkdtempSync(join(tmpdir(), "bh-install-")));
      this.setting = {
        bellhopHome: this.at(".bellhop"),
        userHome: this.root,
        environment: {},
        programs: HOOKED_PROGRAMS,
      };
      for (const folder of [".bellhop", ".claude", ".codex", ".config/opencode", ".gemini"])
        mkdirSync(this.at(folder), { mode: 0o700, recursive: true });
    });
    afterEach(() => {
      rmSync(this.root, { recursive: true });
    });
  }

  at(name: string): string {
    return join(this.root, name);
  }

  /** Returns what was changed. */
  install(program: HookedName, rules: "with-rules" | "without-rules" = "with-rules"): readonly string[] {
    return this.#applied(
      planInstall(hookedProgram(program), this.setting, {
        allowRules: rules === "with-rules" ? "give" : "leave",
      }),
    );
  }

  remove(program: HookedName): readonly string[] {
    return this.#applied(planRemove(hookedProgram(program), this.setting));
  }

  #applied(plan: ReturnType<typeof planInstall>): readonly string[] {
    applyPlan(plan);
    return plan.changes.map(({ path }) => path.slice(this.root.length + 1));
  }

  put(name: string, text: string): void {
    writeFileSync(this.at(name), text);
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8");
  }

  /** Every file in it, with its text. */
  everything(): Readonly<Record<string, string>> {
    const files = readdirSync(this.root, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      files
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name))
        .toSorted()
        .map((path) => [path.slice(this.root.length + 1), readFileSync(path, "utf8")]),
    );
  }

  stateOf(program: HookedName): ReturnType<typeof hooksStatus>[number] {
    const found = hooksStatus(this.setting).find((each) => each.program === program);
    if (found === undefined) throw new Error("no status");
    return found;
  }
}
