/** Every agent program that Bellhop knows by itself. What the owner taught it in config.yaml comes to these. */
import type { HookedProgram } from "../hooks/hooked-program.ts";
import { claude } from "./claude/program.ts";
import { codex } from "./codex/program.ts";
import type { Program } from "./program.ts";

export const PROGRAMS: readonly Program[] = [claude, codex];

export const HOOKED_PROGRAMS: readonly HookedProgram[] = PROGRAMS.flatMap(({ hooks }) => hooks ?? []);
