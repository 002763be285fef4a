import { BellhopError, EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { limitOption, readLimit } from "../../arguments/given-count.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import { PREVIEW_CHARACTERS, printList } from "../../printing/table.ts";

const clear: Command = {
  name: "clear",
  summary: "delete all dead letters",
  usage: ["unmatched clear"],
  examples: [{ command: "bellhop unmatched clear", does: "they are gone for good" }],
  run: async ({ ask, out }) => {
    const answer = await ask("unmatched_clear", {});
    out.result(answer, `deleted ${letters(answer.cleared)}`);
  },
};

const reroute: Command = {
  name: "reroute",
  summary: "send dead letters again if they have a recipient now",
  usage: ["unmatched reroute [ID]"],
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop unmatched reroute", does: "try all of them; those without a recipient stay" },
    { command: "bellhop unmatched reroute m7k2q9", does: "only this one" },
  ],
  run: async ({ ask, out }, args) => {
    const [word] = args.words;
    const id = word === undefined ? undefined : messageIdFrom(word);
    const answer = await ask("unmatched_reroute", present({ id }));
    const { rerouted, left } = answer;
    if (id !== undefined && rerouted + left === 0) throw noDeadLetter(id);
    if (out.json) out.value(answer);
    else if (rerouted + left === 0) out.line("There are no dead letters.");
    else {
      if (rerouted > 0) out.line(`${letters(rerouted)} sent again`);
      if (left > 0) out.line(`${letters(left)} still without a recipient`);
    }
    // The same status as for a `send` without a recipient.
    return id !== undefined && left > 0 ? EXIT.unknownRecipient : EXIT.ok;
  },
};

export const unmatched: Command = {
  name: "unmatched",
  summary: "list, reroute or delete dead letters: messages that had no recipient",
  usage: ["unmatched [--limit N]", "unmatched clear", "unmatched reroute [ID]"],
  options: { limit: limitOption("newest") },
  examples: [
    { command: "bellhop unmatched", does: "the newest ones and their reasons, newest last" },
    { command: "bellhop unmatched reroute", does: "after someone has subscribed" },
  ],
  subcommands: [clear, reroute],
  run: async ({ ask, out }, args) => {
    const { messages } = await ask("unmatched", present({ limit: readLimit(args) }));
    printList(
      out,
      messages,
      "There are no dead letters.",
      {
        SENT: ({ timestamp }) => dateAndMinute(timestamp),
        ID: ({ shortId }) => `#${shortId}`,
        FROM: ({ from }) => from,
        PATH: ({ path }) => path,
        TEXT: ({ body }) => sanitiseLine(body, PREVIEW_CHARACTERS),
      },
      ({ reason }) => reason,
    );
  },
};

function letters(count: number): string {
  return `${count} dead letter${count === 1 ? "" : "s"}`;
}

function noDeadLetter(id: string): BellhopError {
  return new BellhopError("message.unknown", {
    message: `"${sanitiseLine(id)}" is not a dead letter.`,
    next: `See the dead letters with "bellhop unmatched", or what became of this message with "bellhop show ${sanitiseLine(id)}".`,
  });
}
