import { LIMITS } from "../../../core/message.ts";
import { requestToCamel } from "../../../wire/casing.ts";
import { parseJsonBytes } from "../../../wire/lines.ts";
import type { RequestOf } from "../../../wire/verbs/index.ts";
import type { Command } from "../../command.ts";

/** The agent waits while its hook runs. */
const ANSWER_MS = 2_000;
const TAKING = "hook-answers/";

/**
 * For the hook script if there is no curl, with the same paths: not in the help, never starts a daemon. Failures go to
 * the spool.
 */
export const hook: Command = {
  name: "hook",
  summary: "hand an event of an agent program to the daemon",
  usage: ["hook [hooks/EVENT | hook-answers/CODE] < REQUEST"],
  words: { least: 0, most: 1 },
  examples: [],
  run: async (context, { words: [where = ""] }) => {
    const said = requestToCamel(parseJsonBytes(await context.readStdin(LIMITS.requestBytes + 1))) as object;
    const client = await context.reach("never");
    if (where.startsWith(TAKING)) {
      const request = { code: where.slice(TAKING.length), ...said } as RequestOf<"hook_take">;
      const { output } = await client.call("hook_take", request, { timeoutMs: ANSWER_MS });
      if (output !== undefined) context.out.value(output);
      return undefined;
    }
    const request = { emittedAt: context.now(), ...said } as RequestOf<"hook_event">;
    const { output, take } = await client.call("hook_event", request, { timeoutMs: ANSWER_MS });
    if (take !== undefined) context.out.value({ take });
    else if (output !== undefined) context.out.value(output);
    return undefined;
  },
};
