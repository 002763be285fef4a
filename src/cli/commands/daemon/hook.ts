import { LIMITS } from "../../../core/message.ts";
import { requestToCamel } from "../../../wire/casing.ts";
import { parseJsonBytes } from "../../../wire/lines.ts";
import type { RequestOf } from "../../../wire/verbs/index.ts";
import type { Command } from "../../command.ts";

/** The agent waits while its hook runs. */
const ANSWER_MS = 2_000;

/** For the hook script if there is no curl: not in the help, never starts a daemon. Failures go to the spool. */
export const hook: Command = {
  name: "hook",
  summary: "hand an event of an agent program to the daemon",
  usage: ["hook < EVENT"],
  examples: [],
  run: async (context) => {
    const event = requestToCamel(parseJsonBytes(await context.readStdin(LIMITS.requestBytes + 1)));
    const client = await context.reach("never");
    const request = { emittedAt: context.now(), ...(event as object) } as RequestOf<"hook_event">;
    const { output } = await client.call("hook_event", request, { timeoutMs: ANSWER_MS });
    if (output !== undefined) context.out.value(output);
  },
};
