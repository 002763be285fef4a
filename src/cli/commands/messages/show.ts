import { EXIT } from "../../../core/errors.ts";
import type { Instant } from "../../../core/message.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { ShownDelivery, ShowResponse } from "../../../wire/shapes/messages.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";
import { clockTime, dateAndTime, until } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";
import { printPairs } from "../../printing/table.ts";

export const show: Command = {
  name: "show",
  summary: "show a message and what became of it",
  usage: ["show ID"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop show m7k2q9", does: "by its short id" },
    { command: "bellhop show m7k2q9 --json", does: "for scripts" },
  ],
  run: async ({ ask, out, now }, args) => {
    const shown = await ask("show", { id: messageIdFrom(args.words[0]) });
    if (out.json) out.value(shown);
    else print(out, shown, now());
    return EXIT.ok;
  },
};

function print(out: Output, { message, deliveries }: ShowResponse, now: Instant): void {
  printPairs(out, [
    ["message", `#${message.shortId} (${message.id})`],
    ["from", `${message.from} (${message.source})`],
    ["to", message.to],
    ["priority", message.priority],
    ["sent", dateAndTime(message.createdAt)],
    ...(message.replyTo === undefined
      ? []
      : ([
          ["answers", `${message.replyTo}${message.bound === "implicit" ? " (assumed: it came next)" : ""}`],
        ] as const)),
    ...(message.command === undefined ? [] : ([["command", message.command]] as const)),
    ...(message.payload === undefined ? [] : ([["payload", JSON.stringify(message.payload)]] as const)),
    ...(message.channel === undefined
      ? []
      : ([["came from", [message.channel, message.externalId ?? ""].join(" ").trimEnd()]] as const)),
    ["file", message.file],
  ]);
  out.line("");
  out.line(sanitiseText(message.body));
  for (const delivery of deliveries) printDelivery(out, delivery, now);
}

function printDelivery(out: Output, delivery: ShownDelivery, now: Instant): void {
  const { to, state, hold, transport, evidence, attempts, possibleDuplicate, timeoutAt, receipts } = delivery;
  const facts = [
    transport === undefined ? undefined : `by ${transport}`,
    evidence === undefined ? undefined : `proven by ${evidence}`,
    attempts > 1 ? `${attempts} attempts` : undefined,
    possibleDuplicate === true ? "possibly delivered twice" : undefined,
    timeoutAt === undefined || state !== "queued" ? undefined : `expires ${until(timeoutAt, now)}`,
    hold === undefined ? undefined : `held: ${hold.reason} — ${sanitiseLine(hold.release)}`,
  ].filter((fact) => fact !== undefined);
  out.line("");
  out.line(
    `${sanitiseLine(to)}  ${out.paint("bold", state)}${facts.length === 0 ? "" : `  (${facts.join(", ")})`}`,
  );
  for (const receipt of receipts) {
    const proof = receipt.evidence === undefined ? "" : ` (${receipt.evidence})`;
    const note = receipt.note === undefined ? "" : ` — ${sanitiseLine(receipt.note)}`;
    out.line(out.paint("dim", `  ${clockTime(receipt.at)}  ${receipt.state}${proof}${note}`));
  }
}
