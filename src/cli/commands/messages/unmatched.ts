import { BellhopError, EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ResponseOf } from "../../../wire/verbs/index.ts";
import { limitOption, readLimit } from "../../arguments/given-limit.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import { printTable } from "../../printing/table.ts";

const PREVIEW_CHARACTERS = 80;

type DeadLetter = ResponseOf<"unmatched">["messages"][number];

const clear: Command = {
  name: "clear",
  summary: "delete all dead letters",
  usage: ["unmatched clear"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop unmatched clear", does: "they are gone for good" }],
  run: async ({ ask, out }) => {
    const answer = await ask("unmatched_clear", {});
    if (out.json) out.value(answer);
    else out.line(`deleted ${letters(answer.cleared)}`);
    return EXIT.ok;
  },
};

const reroute: Command = {
  name: "reroute",
  summary: "send dead letters again if they have a recipient now",
  usage: ["unmatched reroute [ID]"],
  options: {},
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop unmatched reroute", does: "try all of them; those without a recipient stay" },
    { command: "bellhop unmatched reroute m7k2q9", does: "only this one" },
  ],
  run: async ({ ask, out }, args) => {
    const [word] = args.words;
    const id = word === undefined ? undefined : messageIdFrom(word);
    const answer = await ask("unmatched_reroute", id === undefined ? {} : { id });
    const { rerouted, left } = answer;
    if (id !== undefined && rerouted + left === 0) throw noDeadLetter(id);
    if (out.json) out.value(answer);
    else if (rerouted + left === 0) out.line("There are no dead letters.");
    else {
      if (rerouted > 0) out.line(`${letters(rerouted)} sent again`);
      if (left > 0) out.line(`${letters(left)} still without a recipient`);
    }
    // The same as a `send` that nobody takes.
    return id !== undefined && left > 0 ? EXIT.unknownRecipient : EXIT.ok;
  },
};

export const unmatched: Command = {
  name: "unmatched",
  summary: "list, reroute or delete dead letters: messages that had no recipient",
  usage: ["unmatched [--limit N]", "unmatched clear", "unmatched reroute [ID]"],
  options: { limit: limitOption("newest") },
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop unmatched", does: "the newest ones and their reasons, newest last" },
    { command: "bellhop unmatched reroute", does: "after someone has subscribed" },
  ],
  subcommands: [clear, reroute],
  run: async ({ ask, out }, args) => {
    const { messages } = await ask("unmatched", readLimit(args));
    if (out.json) out.value(messages);
    else if (messages.length === 0) out.line("There are no dead letters.");
    else {
      printTable<DeadLetter>(
        out,
        [
          { title: "SENT", cell: ({ timestamp }) => dateAndMinute(timestamp) },
          { title: "ID", cell: ({ shortId }) => `#${shortId}` },
          { title: "FROM", cell: ({ from }) => from },
          { title: "PATH", cell: ({ path }) => path },
          { title: "TEXT", cell: ({ body }) => sanitiseLine(body, PREVIEW_CHARACTERS) },
        ],
        messages,
        ({ reason }) => reason,
      );
    }
    return EXIT.ok;
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
