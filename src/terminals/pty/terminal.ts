/** The terminal port over a host: the check and the keys are one step inside it. */
import type { GateOutcome, ScreenOutcome, Terminal, TerminalRef } from "../../ports/terminal.ts";
import type { HostLink } from "./host-link.ts";

export function hostedTerminal(ref: TerminalRef, link: HostLink): Terminal {
  return {
    ref,
    async read(above): Promise<ScreenOutcome> {
      const answer = await link.ask({ type: "read", ...(above === undefined ? {} : { above }) });
      if (answer === "unreachable") return { kind: "unreadable", cause: "its host cannot be reached" };
      if (answer === "lost") return { kind: "unreadable", cause: "its host did not answer" };
      if (answer.type !== "screen") return { kind: "unreadable", cause: `its host answered ${answer.type}` };
      if (answer.screen.dead) return { kind: "gone" };
      return {
        kind: "screen",
        screen: answer.screen,
        ...(answer.above === undefined ? {} : { above: answer.above }),
      };
    },
    async gate(expectation, strokes): Promise<GateOutcome> {
      const answer = await link.ask({ type: "gate", expectation, strokes });
      if (answer === "unreachable") return { kind: "refused", because: ["unavailable"] };
      if (answer === "lost") return { kind: "unknown", cause: "its host did not answer" };
      return answer.type === "gate"
        ? answer.outcome
        : { kind: "unknown", cause: `its host answered ${answer.type}` };
    },
    onChange: (listener) => link.onChange(listener),
    async announce(text) {
      const answer = await link.ask({ type: "announce", text });
      if (answer === "unreachable" || answer === "lost" || answer.type !== "announced")
        return { kind: "unknown", cause: "its host did not answer" };
      return answer.to === "nobody-left" ? { kind: "gone" } : { kind: "shown", to: answer.to };
    },
  };
}
