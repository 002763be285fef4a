/** Real releases that Bellhop does not list as proven: the careful way does what the other does, or waits. */
import { beforeAll } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { unprovenOf } from "../rig/programs.ts";
import { describeVersion } from "./cases.ts";
import { claudeDesk, codexDesk } from "./desks.ts";

beforeAll(assertInNamespace);

// In tmux a shell may be under the program, in a hosted terminal there is none: the careful way differs.
for (const where of ["tmux", "hosted"] as const) {
  for (const version of unprovenOf("claude"))
    describeVersion(
      `Claude Code ${version}, unproven, ${where}`,
      () => claudeDesk(version, where),
      "unproven",
    );
  for (const version of unprovenOf("codex"))
    describeVersion(`Codex ${version}, unproven, ${where}`, () => codexDesk(version, where), "unproven");
}
