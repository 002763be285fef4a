import { present } from "../../../core/present.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import { type Command, usage } from "../../command.ts";
import { finishSending, readSaying, readWaiting, SENDING_OPTIONS } from "../../sending.ts";

export const send: Command = {
  name: "send",
  summary: "send a message to an agent, a session, a person or a path",
  usage: [
    'send WHO "TEXT" [options]',
    "send WHO - [options]",
    "send WHO --file F [options]",
    "send WHO --payload JSON [--command C] [options]",
  ],
  options: {
    ...SENDING_OPTIONS,
    re: { kind: "value", value: "ID", summary: "mark it as the answer to this message" },
    dialog: {
      kind: "value",
      value: "CODE",
      summary: "with --raw: answer this dialog of an agent on another host, and no other",
    },
    source: { kind: "value", value: "S", summary: "the outside system it came from (slack, email)" },
    "external-id": { kind: "value", value: "ID", summary: "its id in that system" },
  },
  words: { least: 1, most: 2 },
  examples: [
    { command: 'bellhop send coder "the tests are red"', does: "it arrives when the agent is ready" },
    { command: "git diff | bellhop send reviewer -", does: "take the text from stdin" },
    { command: 'bellhop send coder "stop, wrong branch" --urgent', does: "interrupt it" },
    {
      command: 'bellhop send coder "done?" --wait replied --wait-timeout 10m',
      does: "wait for its answer, and show it",
    },
    {
      command: 'bellhop send coder "merge by noon" --timeout 2h',
      does: "drop it if it still waits after two hours",
    },
    { command: 'bellhop send coder "do task X" --notify-on-delivery', does: "be told when it is delivered" },
    {
      command: 'bellhop send coder "do task X" --notify-on-delivery --notify-after 5m',
      does: "and again 5m after that",
    },
    { command: "bellhop send coder --raw --key Enter", does: "press a key, to answer a dialog" },
    { command: 'bellhop send "slack/team/#general" "deployed"', does: "to whoever subscribes to the path" },
    {
      command: 'bellhop send coder --command analyse --payload \'{"topic":"login"}\'',
      does: "for a program that reads data",
    },
    { command: 'bellhop send coder -- "-v is a flag"', does: 'a text that starts with "-"' },
  ],
  run: async (context, args) => {
    const [to = ""] = args.words;
    const re = args.value("re");
    const channel = args.value("source");
    const externalId = args.value("external-id");
    const dialog = args.value("dialog");
    if (dialog !== undefined && !args.flag("raw")) throw usage("--dialog goes with --raw.", "Add --raw.");
    const waiting = await readWaiting(args);
    const saying = await readSaying(context, args, 1);
    const sent = await context.ask("send", {
      ...saying,
      to,
      ...(re === undefined ? {} : { re: messageIdFrom(re) }),
      ...present({ channel, externalId, dialog }),
    });
    return finishSending(context, sent, saying, waiting);
  },
};
