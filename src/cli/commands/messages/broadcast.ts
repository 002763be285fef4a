import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { SendResponse } from "../../../wire/shapes/messages.ts";
import type { Command } from "../../command.ts";
import type { Output } from "../../printing/output.ts";
import { finishSending, readSaying, sendingOptions } from "../../sending.ts";

export const broadcast: Command = {
  name: "broadcast",
  summary: "send a message to every other agent",
  usage: ['broadcast "TEXT" [options]', "broadcast - [options]"],
  // Without options that concern one terminal, or wait for one recipient.
  options: sendingOptions(
    "priority",
    "important",
    "urgent",
    "file",
    "command",
    "payload",
    "timeout",
    "from",
    "idempotency-key",
  ),
  words: { least: 0, most: 1 },
  examples: [
    { command: 'bellhop broadcast "main is frozen until noon"', does: "the same as send agent/**" },
    { command: 'bellhop broadcast "stop: the build is broken" --urgent', does: "interrupt them all" },
    {
      command: 'bellhop broadcast "rebased" --from api --priority idle',
      does: "under the name of an agent; each gets it when idle",
    },
  ],
  run: async (context, args) => {
    const saying = await readSaying(context, args, 0);
    const sent = await context.ask("send", { ...saying, to: "agent/**" });
    if (sent.unmatched || context.out.json) return finishSending(context, sent, saying, undefined);
    printReached(context.out, sent);
  },
};

function printReached(out: Output, { shortId, deliveries }: SendResponse): void {
  const reached = (root: string) =>
    deliveries.flatMap(({ to }) => (to.startsWith(root) ? [sanitiseLine(to.slice(root.length))] : []));
  const agents = reached("agent/");
  const sessions = reached("session/");
  const also = sessions.length === 0 ? "" : `; and ${counted(sessions, "session")}`;
  out.line(`sent #${shortId} to ${counted(agents, "agent")}${also}`);
}

function counted(names: readonly string[], kind: string): string {
  return `${names.length} ${kind}${names.length === 1 ? "" : "s"}: ${names.join(", ")}`;
}
