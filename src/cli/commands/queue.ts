import { EXIT } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { sanitiseLine } from "../../core/sanitise.ts";
import type { QueuedDelivery } from "../../wire/shapes/messages.ts";
import type { RequestOf } from "../../wire/shapes.ts";
import type { Arguments, Command } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { messageIdFrom } from "../message-id.ts";
import { age, until } from "../moments.ts";
import { type Column, printTable } from "../table.ts";

const change = (name: "cancel" | "now" | "hold", summary: string, done: string): Command => ({
  name,
  summary,
  usage: [`queue ${name} ID`],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: `bellhop queue ${name} m7k2q9`, does: summary }],
  run: (context, args) => changeQueue(context, { id: messageIdFrom(args.words[0]), change: name }, done),
});

const pausing = (name: "pause" | "unpause", summary: string): Command => ({
  name,
  summary,
  usage: [`queue ${name} WHO`],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: `bellhop queue ${name} coder`, does: summary }],
  run: async ({ ask, out }, args) => {
    const answer = await ask("pause", { who: args.words[0] ?? "", paused: name === "pause" });
    if (out.json) out.value(answer);
    else
      out.line(
        `${sanitiseLine(answer.agent)} is ${answer.paused ? "paused: only interrupts get through" : "open again"}`,
      );
    return EXIT.ok;
  },
});

const move: Command = {
  name: "move",
  summary: "put a waiting message before another",
  usage: ["queue move ID --before ID"],
  options: { before: { kind: "value", value: "ID", summary: "the message that it is to go before" } },
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop queue move m7k2q9 --before a1b2c3", does: "change the order" }],
  run: (context, args) => {
    const before = messageIdFrom(args.value("before"));
    const id = messageIdFrom(args.words[0]);
    return changeQueue(context, { id, change: "move", before }, "moved");
  },
  required: ["before"],
};

export const queue: Command = {
  name: "queue",
  summary: "see what waits and why; cancel, release, hold, reorder, pause",
  usage: ["queue [WHO]", "queue cancel|now|hold ID", "queue move ID --before ID", "queue pause|unpause WHO"],
  options: {},
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop queue", does: "everything that waits" },
    { command: "bellhop queue coder", does: "what waits for one agent" },
    { command: "bellhop queue now m7k2q9", does: "do not wait for the agent to be ready" },
  ],
  subcommands: [
    change("cancel", "do not deliver it", "cancelled"),
    change("now", "deliver without waiting for readiness or a stale draft", "released"),
    change("hold", "keep it back until released", "kept back"),
    move,
    pausing("pause", "deliver nothing but interrupts"),
    pausing("unpause", "deliver again"),
  ],
  run: list,
};

async function list({ ask, out, now }: CommandContext, args: Arguments): Promise<number> {
  const [who] = args.words;
  const { deliveries, drafts } = await ask("queue", who === undefined ? {} : { who });
  if (out.json) {
    out.value(deliveries);
    return EXIT.ok;
  }
  if (deliveries.length === 0) out.line("Nothing waits.");
  else {
    printTable<QueuedDelivery>(
      out,
      [
        { title: "ID", cell: ({ shortId }) => `#${shortId}` },
        { title: "TO", cell: ({ to }) => to },
        { title: "FROM", cell: ({ from }) => from },
        { title: "PRIORITY", cell: ({ priority }) => priority },
        {
          title: "STATE",
          cell: ({ state, release }) => (release === undefined ? state : `${state}, ${RELEASE[release]}`),
        },
        { title: "SINCE", cell: ({ queuedAt }) => age(queuedAt, now()) },
        ...(deliveries.some(({ timeoutAt }) => timeoutAt !== undefined) ? [expires(now())] : []),
        { title: "TEXT", cell: ({ preview }) => preview },
      ],
      deliveries,
      ({ hold }) => (hold === undefined ? "" : `held: ${hold.reason} — ${hold.release}`),
    );
  }
  for (const draft of drafts) {
    out.line(
      out.paint(
        "yellow",
        `draft of ${sanitiseLine(draft.agent)} (${draft.state}): ${sanitiseLine(draft.text, 60)}`,
      ),
    );
  }
  return EXIT.ok;
}

function expires(now: Instant): Column<QueuedDelivery> {
  return {
    title: "EXPIRES",
    cell: ({ timeoutAt }) => (timeoutAt === undefined ? "" : until(timeoutAt, now)),
  };
}

const RELEASE = { now: "released", withheld: "kept back" } as const;

async function changeQueue(
  { ask, out }: CommandContext,
  request: RequestOf<"queue_change">,
  done: string,
): Promise<number> {
  const { deliveries } = await ask("queue_change", request);
  if (out.json) out.value({ deliveries });
  else
    for (const { to, state } of deliveries)
      out.line(`${done} #${request.id} for ${sanitiseLine(to)} (${state})`);
  return EXIT.ok;
}
