import { hostOfMailbox, recipientInWords } from "../../../core/cluster/hosts.ts";
import { BellhopError, EXIT } from "../../../core/errors.ts";
import type { DeliveryState, Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { requirePriority } from "../../../core/priority.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { QueuedDelivery, SentDelivery } from "../../../wire/shapes/messages.ts";
import type { RequestOf } from "../../../wire/verbs/index.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { age, until } from "../../printing/moments.ts";
import { Failures } from "../../printing/output.ts";
import { type Columns, printList } from "../../printing/table.ts";

const MOST_IDS = 500;

const change = (name: "now" | "hold" | "unhold", summary: string, done: string): Command => ({
  name,
  summary,
  usage: [`queue ${name} ID`],
  words: { least: 1, most: 1 },
  examples: [{ command: `bellhop queue ${name} m7k2q9`, does: summary }],
  run: (context, args) => changeQueue(context, { id: messageIdFrom(args.words[0]), change: name }, done),
});

const cancel: Command = {
  name: "cancel",
  summary: "cancel messages that wait",
  usage: ["queue cancel ID…"],
  words: { least: 1, most: MOST_IDS },
  examples: [
    { command: "bellhop queue cancel m7k2q9", does: "take one message back" },
    { command: "bellhop queue cancel m7k2q9 a1b2c3", does: "several at once" },
  ],
  run: cancelAll,
};

const clear: Command = {
  name: "clear",
  summary: "cancel everything that waits for one recipient",
  usage: ["queue clear WHO"],
  words: { least: 1, most: 1 },
  examples: [
    {
      command: "bellhop queue clear coder",
      does: "all of them, whoever sent them; a delivery under way goes on",
    },
  ],
  run: async ({ ask, out }, args) => {
    const answer = await ask("queue_clear", { who: args.words[0] ?? "" });
    out.result(answer, () => {
      for (const line of cleared(sanitiseLine(answer.who), answer.deliveries)) out.line(line);
    });
  },
};

const priority: Command = {
  name: "priority",
  summary: "give a waiting message another priority",
  usage: ["queue priority ID interrupt|normal|idle-first|idle"],
  words: { least: 2, most: 2 },
  examples: [
    { command: "bellhop queue priority m7k2q9 interrupt", does: "it is urgent after all" },
    { command: "bellhop queue priority m7k2q9 idle", does: "it can wait until the agent is idle" },
  ],
  run: (context, args) => {
    const id = messageIdFrom(args.words[0]);
    const wanted = requirePriority(args.words[1] ?? "");
    return changeQueue(context, { id, change: "priority", priority: wanted }, "changed", ` to ${wanted}`);
  },
};

const pausing = (name: "pause" | "unpause", summary: string): Command => ({
  name,
  summary,
  usage: [`queue ${name} WHO`],
  words: { least: 1, most: 1 },
  examples: [{ command: `bellhop queue ${name} coder`, does: summary }],
  run: async ({ ask, out }, args) => {
    const answer = await ask("pause", { who: args.words[0] ?? "", paused: name === "pause" });
    const how = answer.paused ? "paused: only interrupts get through" : "no longer paused";
    out.result(answer, `${sanitiseLine(answer.agent)} is ${how}`);
  },
});

const move: Command = {
  name: "move",
  summary: "move a waiting message before or after another; it takes on that one's priority",
  usage: ["queue move ID --before ID", "queue move ID --after ID"],
  options: {
    before: { kind: "value", value: "ID", summary: "the message that it should go before" },
    after: { kind: "value", value: "ID", summary: "the message that it should go after" },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop queue move m7k2q9 --before a1b2c3", does: "change the order" },
    { command: "bellhop queue move m7k2q9 --after a1b2c3", does: "it can wait a little longer" },
  ],
  run: (context, args) => {
    const [before, after] = [args.value("before"), args.value("after")];
    if ((before === undefined) === (after === undefined)) {
      throw new BellhopError("usage.invalid", {
        message: "Say where it should go: --before or --after another message.",
        next: 'See the messages that wait with "bellhop queue".',
      });
    }
    const id = messageIdFrom(args.words[0]);
    const place = before === undefined ? { after: messageIdFrom(after) } : { before: messageIdFrom(before) };
    return changeQueue(context, { id, change: "move", ...place }, "moved");
  },
};

export const queue: Command = {
  name: "queue",
  summary: "see what waits and why; cancel, release, hold, reorder, pause",
  usage: [
    "queue [WHO]",
    "queue cancel ID…",
    "queue clear WHO",
    "queue now|hold|unhold ID",
    "queue priority ID PRIORITY",
    "queue move ID --before|--after ID",
    "queue pause|unpause WHO",
  ],
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop queue", does: "everything that waits" },
    { command: "bellhop queue coder", does: "what waits for one agent" },
    { command: "bellhop queue now m7k2q9", does: "do not wait for the agent to be ready" },
  ],
  subcommands: [
    cancel,
    clear,
    change("now", "deliver now, without waiting for the agent to be ready", "released"),
    change("hold", "hold a message back until you release it", "held back"),
    change("unhold", "let a message wait by the rules again, after hold or now", "no longer held back:"),
    priority,
    move,
    pausing("pause", "deliver only interrupts to an agent"),
    pausing("unpause", "end a pause and deliver everything again"),
  ],
  run: list,
};

async function list({ ask, out, now }: CommandContext, args: Arguments): Promise<undefined> {
  const [who] = args.words;
  const { deliveries, drafts } = await ask("queue", present({ who }));
  const expires = (at: Instant | undefined) => (at === undefined ? "" : until(at, now()));
  const somethingExpires = deliveries.some(({ timeoutAt }) => timeoutAt !== undefined);
  const columns: Columns<QueuedDelivery> = {
    ID: ({ shortId }) => `#${shortId}`,
    TO: recipientInWords,
    FROM: ({ from }) => from,
    PRIORITY: ({ priority }) => priority,
    STATE: ({ state, release }) => (release === undefined ? state : `${state}, ${RELEASE[release]}`),
    SINCE: ({ queuedAt }) => age(queuedAt, now()),
    ...(somethingExpires ? { EXPIRES: ({ timeoutAt }) => expires(timeoutAt) } : {}),
    TEXT: ({ preview }) => preview,
  };
  printList(out, deliveries, "Nothing waits.", columns, ({ hold }) =>
    hold === undefined ? "" : `held: ${hold.reason} — ${hold.release}`,
  );
  if (out.json) return;
  for (const { agent, state, text } of drafts)
    out.line(out.paint("yellow", `draft of ${sanitiseLine(agent)} (${state}): ${sanitiseLine(text, 60)}`));
}

const RELEASE = { now: "released", withheld: "held back" } as const;

/** One by one: a message that is already delivered does not keep the others from being cancelled. */
async function cancelAll({ ask, out }: CommandContext, args: Arguments): Promise<undefined> {
  const gone: SentDelivery[] = [];
  const failures: unknown[] = [];
  for (const id of new Set(args.words.map(messageIdFrom))) {
    try {
      const { deliveries } = await ask("queue_change", { id, change: "cancel" });
      gone.push(...deliveries);
      if (!out.json) for (const one of deliveries) out.line(cancelled(id, one));
    } catch (error) {
      failures.push(error);
      if (!(error instanceof BellhopError) || error.exitCode === EXIT.unreachable) break;
    }
  }
  if (out.json && (gone.length > 0 || failures.length === 0)) out.value({ deliveries: gone });
  if (failures.length > 0) throw new Failures(failures);
}

function cleared(who: string, deliveries: readonly SentDelivery[]): readonly string[] {
  if (deliveries.length === 0) return [`Nothing waits for ${who}.`];
  const host = hostOfMailbox(who) ?? who;
  const counted = (state: DeliveryState, said: (messages: string, them: string) => string) => {
    const { length } = deliveries.filter((one) => one.state === state);
    if (length === 0) return [];
    return [length === 1 ? said("1 message", "it") : said(`${length} messages`, "them")];
  };
  return [
    ...counted("cancelled", (messages) => `cancelled ${messages} for ${who}`),
    ...counted(
      "delivering",
      (messages, them) => `cancelling ${messages}: ${host} says what became of ${them}`,
    ),
    ...counted("unconfirmed", (messages, them) => `given up ${messages}: ${host} may have ${them}`),
  ];
}

/** What another host may have is only asked back, or given up. */
function cancelled(id: string, delivery: SentDelivery): string {
  const { state, hold, to } = delivery;
  if (state === "unconfirmed") return `given up #${id}: ${sanitiseLine(hostOfMailbox(to) ?? to)} may have it`;
  return state === "cancelled" || hold === undefined
    ? `cancelled #${id} for ${sanitiseLine(recipientInWords(delivery))}`
    : `cancelling #${id}: ${sanitiseLine(hold.release)}`;
}

async function changeQueue(
  { ask, out }: CommandContext,
  request: RequestOf<"queue_change">,
  done: string,
  how = "",
): Promise<undefined> {
  const { deliveries } = await ask("queue_change", request);
  out.result({ deliveries }, () => {
    for (const delivery of deliveries)
      out.line(`${done} #${request.id} for ${sanitiseLine(recipientInWords(delivery))}${how}`);
  });
}
