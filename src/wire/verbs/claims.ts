/** Who makes a request. */
import { z } from "zod";
import { address, id, line, name, REQUEST_LIMITS } from "./fields.ts";
import type { Checked } from "./verb.ts";

const word = z.string().max(REQUEST_LIMITS.nameCharacters);

const said = z.strictObject({
  user: name,
  /** `BELLHOP_SESSION_ID`. */
  session: id.exactOptional(),
  /** Those of the programs' own session variables that are set, by name. */
  programSessions: z
    .record(word, word)
    .refine(
      (sessions) => Object.keys(sessions).length <= REQUEST_LIMITS.programSessions,
      "has too many entries",
    )
    .exactOptional(),
  /** Set by the door for an agent's own token, whatever the caller says: it speaks only for this agent. */
  agent: name.exactOptional(),
  /** The calling process: its ancestors show which agent it works for, whatever its variables say. */
  pid: z.int().min(1).exactOptional(),
  tmux: z.strictObject({ socket: address, pane: line(REQUEST_LIMITS.idCharacters) }).exactOptional(),
});

/** What a process says about itself; the daemon decides how far to believe it. */
export interface Claims extends Checked<typeof said> {
  /** Set by the office, never on the wire: the person is at that terminal, and its agent did not start this process. */
  readonly besideAgent?: true;
}

export const claims: z.ZodType<Claims> = said;
