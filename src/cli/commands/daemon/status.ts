import { BellhopError, EXIT } from "../../../core/errors.ts";
import type { Command } from "../../command.ts";
import { reachIfRunning } from "../../local/unreached-daemon.ts";
import { printStatus } from "../../printing/daemon-status.ts";

export const status: Command = {
  name: "status",
  summary: "show whether the daemon is running, and where",
  usage: ["status"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop status --json", does: "paths and port, for scripts" }],
  run: async (context) => {
    const { out } = context;
    const home = context.home().root;
    try {
      const client = await reachIfRunning(context);
      const answer = await client.call("status", {}, { timeoutMs: 4_000 });
      if (out.json) out.value(answer);
      else printStatus(context, answer);
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "daemon.not_running") throw error;
      if (out.json) out.value({ running: false, home });
      else out.line(`not running (home ${home}). Start it with: bellhop up`);
      return EXIT.unreachable;
    }
  },
};
