/** The terminal port over a host, which performs the check and the keystrokes in one step. */
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import type { Standing } from "../../core/readiness/standing.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { GateOutcome, ScreenOutcome, Terminal, TerminalRef } from "../../ports/terminal.ts";
import { outcomeAfter, refusalOf } from "../in-front.ts";
import type { HostLink } from "./host-link.ts";
import { openHostView } from "./view.ts";

/** The request itself is wrong, so the caller is told; any other failure only means that the host cannot do it now. */
const WRONGLY_ASKED = ["usage.invalid", "request.too_large"] as const;
const TOO_COLOURFUL =
  "with all its colours it is too large for its host to send; a smaller window or fewer colours would help";

/** The agent for which this terminal was found, and how to ask the system whether it is in front. */
export interface HostedAgent {
  readonly identity: ProcessIdentity;
  standing(): Promise<Standing>;
}

export function hostedTerminal(ref: TerminalRef, link: HostLink, agent: HostedAgent): Terminal {
  return {
    ref,
    async read(above): Promise<ScreenOutcome> {
      const answer = await link.ask({ type: "read", packed: true, ...present({ above }) });
      if (answer === "unreachable") return { kind: "unreadable", cause: unreachable(link) };
      if (answer === "lost") return { kind: "unreadable", cause: "its host did not answer" };
      if (answer.type === "failed") {
        const cause = answer.code === "request.too_large" ? TOO_COLOURFUL : answer.message;
        return { kind: "unreadable", cause };
      }
      if (answer.type !== "screen") return { kind: "unreadable", cause: `its host answered ${answer.type}` };
      if (answer.screen.dead) return { kind: "gone" };
      const { screen, above: gone, quietForMs } = answer;
      return { kind: "screen", screen, ...present({ above: gone, quietForMs }) };
    },
    async gate(expectation, strokes): Promise<GateOutcome> {
      // A host asks within the step in which it types; one of an earlier release cannot.
      const suspended = link.asksStanding ? undefined : refusalOf(await agent.standing());
      if (suspended !== undefined) return suspended;
      const answer = await link.ask({ type: "gate", expectation, strokes, agent: agent.identity });
      if (answer === "unreachable")
        return refusalOf(await agent.standing()) ?? { kind: "refused", because: ["unavailable"] };
      if (answer === "lost") return { kind: "unknown", cause: "its host did not answer" };
      if (answer.type === "failed") {
        const code = WRONGLY_ASKED.find((one) => one === answer.code);
        // This failure happens before anything is typed.
        if (code === undefined) return { kind: "refused", because: ["unavailable"] };
        throw new BellhopError(code, { message: answer.message, next: "Correct the request." });
      }
      return answer.type === "gate"
        ? outcomeAfter(answer.outcome, await agent.standing(), strokes.length)
        : { kind: "unknown", cause: `its host answered ${answer.type}` };
    },
    onChange: (listener) => link.onChange(listener),
    async announce(text) {
      const answer = await link.ask({ type: "announce", text });
      if (answer === "unreachable" || answer === "lost")
        return { kind: "unknown", cause: "its host did not answer" };
      if (answer.type === "failed") return { kind: "unknown", cause: answer.message };
      if (answer.type !== "announced") return { kind: "unknown", cause: `its host answered ${answer.type}` };
      return answer.to === "nobody-left" ? { kind: "gone" } : { kind: "shown", to: answer.to };
    },
    view: (ear) => openHostView(link, ear),
  };
}

function unreachable({ obstacle }: HostLink): string {
  return `its host cannot be reached${obstacle === undefined ? "" : `: ${obstacle}`}`;
}
