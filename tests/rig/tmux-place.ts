import type { AgentTerminal, Place } from "./agent-terminal.ts";
import { until } from "./scripted-agent.ts";
import type { TmuxServer } from "./tmux-server.ts";
import { attachTypist } from "./typist.ts";

/** tmux counts whole seconds, so two seconds without a key may take three. */
const GATE_OPENS_AFTER_S = 3;
const QUIET_MS = 60_000;

/** One pane for every program. */
export function tmuxPlace(tmux: TmuxServer): Place {
  return {
    kind: "tmux",
    open: async (program) => paneOf(tmux, await tmux.newSession(program)),
  };
}

export function paneOf(tmux: TmuxServer, pane: string): AgentTerminal {
  return {
    pane,
    screen: () => tmux.capture(pane),
    waitForScreen: (matches, options) => tmux.waitForScreen(pane, matches, options),
    typist: () => attachTypist({ tmux, pane }),
    async program() {
      const [dead, pid] = (await tmux.ask(pane, "#{pane_dead} #{pane_pid}")).split(" ");
      return dead === "0" ? Number(pid) : "ended";
    },
    /** Attaching counts as a key. */
    async untilQuiet() {
      const silence = async () => Date.now() / 1000 - Number(await tmux.ask(pane, "#{session_activity}"));
      await until(async () => (await silence()) > GATE_OPENS_AFTER_S, "a quiet keyboard", QUIET_MS);
    },
    async occupy() {
      await tmux.run("copy-mode", "-t", pane);
      return {
        hold: "typing",
        end: async () => {
          await tmux.run("send-keys", "-t", pane, "-X", "cancel");
        },
      };
    },
  };
}
