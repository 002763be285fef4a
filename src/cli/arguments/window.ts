/** Where a command is called: in a window that can be drawn in, one that only takes lines, or none at all. */
import { usage } from "../command.ts";
import type { CommandContext } from "../context.ts";

export type Window = "whole" | "lines-only" | "none";

export function windowOf({ env }: Pick<CommandContext, "env">): Window {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return "none";
  return ["", "dumb"].includes(env.TERM ?? "") ? "lines-only" : "whole";
}

/** A screen drawn inside itself redraws itself without end, and two windows of one size shrink each other. */
export function refuseInsideItself(
  { env }: Pick<CommandContext, "env">,
  { sessionId, agent }: { readonly sessionId: string; readonly agent: string },
): void {
  if (env.BELLHOP_SESSION_ID !== sessionId) return;
  throw usage(
    `This command runs inside the terminal of "${agent}", which cannot show itself.`,
    `Run it in another terminal. "bellhop peek ${agent}" prints the screen once, even from inside.`,
  );
}
