/** What this process says about itself. The daemon decides how far to believe it. */

import { present } from "../core/present.ts";
import { CONVERSATION_VARIABLES } from "../core/rights/agent-programs.ts";
import type { Claims } from "../wire/verbs/claims.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `pid`: of this process, so that the daemon can see which agent it descends from. */
export function claimsFrom(env: Environment, pid?: number): Claims {
  const session = env.BELLHOP_SESSION_ID;
  const programSessions = Object.fromEntries(
    CONVERSATION_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
  const tmux = tmuxFrom(env);
  return {
    // Informative only: anyone who can open the socket is its owner, and the door fills that in.
    user: env.USER || env.LOGNAME || "unknown",
    ...(session === undefined || session === "" ? {} : { session }),
    ...(Object.keys(programSessions).length === 0 ? {} : { programSessions }),
    ...present({ tmux, pid }),
  };
}

/** `TMUX` is `<socket>,<server pid>,<session>`; only the socket may hold a comma. */
function tmuxFrom(env: Environment): Claims["tmux"] {
  const pane = env.TMUX_PANE;
  const socket = /^(.+),\d+,\d+$/.exec(env.TMUX ?? "")?.[1];
  return socket === undefined || pane === undefined || pane === "" ? undefined : { socket, pane };
}
