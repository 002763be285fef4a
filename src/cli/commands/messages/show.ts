import { recipientInWords } from "../../../core/cluster/hosts.ts";
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
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop show m7k2q9", does: "by its short id" },
    { command: "bellhop show m7k2q9 --json", does: "for scripts" },
  ],
  run: async ({ ask, out, now }, args) => {
    const shown = await ask("show", { id: messageIdFrom(args.words[0]) });
    out.result(shown, () => print(out, shown, now()));
  },
};

export const read: Command = {
  name: "read",
  summary: "print the full text of a message",
  usage: ["read ID"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop read m7k2q9", does: "the text behind a short reference" }],
  run: async ({ ask, claims, out }, args) => {
    const answer = await ask("read", { id: messageIdFrom(args.words[0]), claims: claims() });
    out.result(answer, sanitiseText(answer.message.body));
  },
};

export const explain: Command = {
  name: "explain",
  summary: "say why a message waits and what would release it",
  usage: ["explain ID"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop explain m7k2q9", does: "why is it not there yet?" }],
  run: async ({ ask, out }, args) => {
    const explained = await ask("explain", { id: messageIdFrom(args.words[0]) });
    const { shortId, deliveries } = explained;
    out.result(explained, () => {
      for (const delivery of deliveries) {
        const whom = sanitiseLine(recipientInWords(delivery));
        out.line(`#${shortId} for ${whom}: ${out.paint("bold", delivery.state)}`);
        for (const sentence of delivery.because) out.line(`  ${sanitiseLine(sentence)}`);
      }
      if (deliveries.length === 0) out.line(`#${shortId} has no recipient.`);
    });
  },
};

function print(out: Output, { message, deliveries }: ShowResponse, now: Instant): void {
  const { replyTo, channel } = message;
  printPairs(out, [
    ["message", `#${message.shortId} (${message.id})`],
    ["from", `${message.from} (${message.source})`],
    ["to", message.to],
    ["priority", message.priority],
    ["sent", dateAndTime(message.createdAt)],
    ["answers", replyTo && `${replyTo}${message.bound === "implicit" ? " (assumed: it came next)" : ""}`],
    ["command", message.command],
    ["payload", message.payload === undefined ? undefined : JSON.stringify(message.payload)],
    ["came from", channel && [channel, message.externalId ?? ""].join(" ").trimEnd()],
    ["file", message.file],
  ]);
  out.line("");
  out.line(sanitiseText(message.body));
  for (const delivery of deliveries) printDelivery(out, delivery, now);
}

function printDelivery(out: Output, delivery: ShownDelivery, now: Instant): void {
  const { state, hold, transport, evidence, attempts, possibleDuplicate, timeoutAt, receipts } = delivery;
  const whom = sanitiseLine(recipientInWords(delivery));
  const facts = [
    transport === undefined ? undefined : `by ${transport}`,
    evidence === undefined ? undefined : `proven by ${evidence}`,
    attempts > 1 ? `${attempts} attempts` : undefined,
    possibleDuplicate === true ? "possibly delivered twice" : undefined,
    timeoutAt === undefined || state !== "queued" ? undefined : `expires ${until(timeoutAt, now)}`,
    hold === undefined ? undefined : `held: ${hold.reason} — ${sanitiseLine(hold.release)}`,
  ].filter((fact) => fact !== undefined);
  out.line("");
  out.line(`${whom}  ${out.paint("bold", state)}${facts.length === 0 ? "" : `  (${facts.join(", ")})`}`);
  for (const receipt of receipts) {
    const proof = receipt.evidence === undefined ? "" : ` (${receipt.evidence})`;
    const note = receipt.note === undefined ? "" : ` — ${sanitiseLine(receipt.note)}`;
    out.line(out.paint("dim", `  ${clockTime(receipt.at)}  ${receipt.state}${proof}${note}`));
  }
}
