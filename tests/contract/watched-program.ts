/** Any program as an agent of a taught kind. Bellhop takes no editor, pager or shell for an agent by its own name. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "watched-program";

/** To be added to a list of profiles. */
export const WATCHED_PROFILE = `  - { name: watched, match: { command: ${NAME} }, composer: { prompt: "^never " } }\n`;

/** The command runs in front, under a script that Bellhop knows. */
export function watchedCommand(folder: string, command: readonly string[]): readonly string[] {
  const script = join(folder, NAME);
  writeFileSync(script, '"$@"\n');
  return ["/bin/sh", script, ...command];
}
