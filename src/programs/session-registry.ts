/** What programs record, or can be asked, about their running instances. */
import type { ProgramRegistry } from "../ports/program.ts";
import type { Program, ProgramTools } from "./program.ts";

export function programRegistry(
  programs: readonly Pick<Program, "name" | "sessions">[],
  tools: ProgramTools,
): ProgramRegistry {
  const sessions = new Map(programs.map(({ name, sessions }) => [name, sessions?.(tools)] as const));
  const nothing = () => undefined;
  return {
    lookUp: async (program, agent) => sessions.get(program)?.lookUp(agent).catch(nothing),
    note: async (program, agent) => sessions.get(program)?.note?.(agent).catch(nothing),
  };
}
