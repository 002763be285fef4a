import { pathToFileURL } from "node:url";
import { BellhopError, EXIT } from "../../../core/errors.ts";
import { sanitiseText } from "../../../core/text/sanitise.ts";
import type { StatusResponse } from "../../../wire/shapes/daemon.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { reachIfRunning } from "../../local/unreached-daemon.ts";
import { printBridges } from "../../printing/bridges.ts";
import { printClusterBriefly } from "../../printing/cluster.ts";
import { age } from "../../printing/moments.ts";
import { printPairs } from "../../printing/table.ts";
import { printWants } from "../../printing/wants.ts";

export const up: Command = {
  name: "up",
  summary: "start the daemon (it also starts itself on first use)",
  usage: ["up [--foreground]"],
  options: { foreground: { kind: "flag", summary: "stay in the foreground until Ctrl+C" } },
  examples: [
    { command: "bellhop up", does: "returns when the daemon answers" },
    { command: "bellhop up --foreground", does: "for a service manager" },
  ],
  run: async (context, args) => {
    if (args.flag("foreground")) {
      // This process itself becomes the daemon, so that its parent has the right pid.
      await import(pathToFileURL(context.daemonEntry).href);
      return Number(process.exitCode ?? EXIT.ok);
    }
    const found = await context.ask("status", {});
    tellStatus(context, found);
  },
};

export const status: Command = {
  name: "status",
  summary: "show whether the daemon is running, and where",
  usage: ["status"],
  examples: [{ command: "bellhop status --json", does: "paths and port, for scripts" }],
  run: async (context) => {
    const home = context.home().root;
    try {
      const client = await reachIfRunning(context);
      tellStatus(context, await client.call("status", {}, { timeoutMs: 4_000 }));
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "daemon.not_running") throw error;
      context.out.result({ running: false, home }, `not running (home ${home}). Start it with: bellhop up`);
      return EXIT.unreachable;
    }
  },
};

function tellStatus({ out, now }: CommandContext, found: StatusResponse): void {
  if (out.json) {
    out.value(found);
    return;
  }
  printPairs(out, [
    ["daemon", `running for ${age(found.startedAt, now())}, process ${found.pid}, version ${found.version}`],
    ["home", found.home],
    ["http", `${found.http.host}:${found.http.port}`],
    ["sessions", String(found.sessions)],
    ["queued", String(found.queued)],
  ]);
  printWants(out, found);
  // A daemon of an older version reports none.
  printBridges(out, found.bridges ?? [], now());
  printClusterBriefly(out, found.cluster, now());
  // A daemon of an older version does not report trouble.
  for (const { message, next } of found.trouble ?? []) {
    out.line(out.paint("red", `! ${sanitiseText(message)}`));
    out.line(`  ${sanitiseText(next)}`);
  }
  for (const warning of found.warnings) out.line(out.paint("yellow", `! ${sanitiseText(warning)}`));
}
