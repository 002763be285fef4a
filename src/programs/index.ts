/** Every agent program that Bellhop knows by itself; config.yaml may add programs that the owner taught it. */
import type { HookedProgram } from "../hooks/hooked-program.ts";
import { claude } from "./claude/program.ts";
import { codex } from "./codex/program.ts";
import type { HeadlessProgram } from "./headless.ts";
import { opencodeHeadless } from "./opencode/headless.ts";
import type { Program } from "./program.ts";

export const PROGRAMS: readonly Program[] = [claude, codex];

export const HOOKED_PROGRAMS: readonly HookedProgram[] = PROGRAMS.flatMap(({ hooks }) => hooks ?? []);

/** Those that take turns without a terminal. OpenCode does nothing else here yet. */
export const HEADLESS_PROGRAMS: readonly HeadlessProgram[] = [
  ...PROGRAMS.flatMap(({ name, headless }) => (headless === undefined ? [] : [{ name, headless }])),
  { name: "opencode", headless: opencodeHeadless },
];
