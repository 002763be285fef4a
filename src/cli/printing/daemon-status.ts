/** How the daemon's own state is shown, by `up` and `status`. */
import { sanitiseText } from "../../core/text/sanitise.ts";
import type { StatusResponse } from "../../wire/shapes/daemon.ts";
import type { CommandContext } from "../context.ts";
import { age } from "./moments.ts";
import { printPairs } from "./table.ts";
import { printWants } from "./wants.ts";

export function printStatus({ out, now }: CommandContext, status: StatusResponse): void {
  printPairs(out, [
    [
      "daemon",
      `running for ${age(status.startedAt, now())}, process ${status.pid}, version ${status.version}`,
    ],
    ["home", status.home],
    ["http", `${status.http.host}:${status.http.port}`],
    ["sessions", String(status.sessions)],
    ["queued", String(status.queued)],
  ]);
  printWants(out, status);
  // A daemon of an older version knows of none.
  for (const { message, next } of status.trouble ?? []) {
    out.line(out.paint("red", `! ${sanitiseText(message)}`));
    out.line(`  ${sanitiseText(next)}`);
  }
  for (const warning of status.warnings) out.line(out.paint("yellow", `! ${sanitiseText(warning)}`));
}
