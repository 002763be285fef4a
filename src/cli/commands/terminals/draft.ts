import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { ShownDraft } from "../../../wire/shapes/sessions.ts";
import type { Command } from "../../command.ts";
import { dateAndTime } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";

const showDraft: Command = {
  name: "show",
  summary: "show the unsent text that Bellhop keeps",
  usage: ["draft show WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop draft show coder", does: "what was I typing?" }],
  run: async ({ ask, out }, args) => {
    const { drafts } = await ask("draft_show", { who: args.words[0] ?? "" });
    if (out.json) out.value(drafts);
    else if (drafts.length === 0) out.line("No text is set aside.");
    else for (const draft of drafts) print(out, draft);
  },
};

const restore: Command = {
  name: "restore",
  summary: "put the text back into an empty composer",
  usage: ["draft restore WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop draft restore coder", does: "put my text back" }],
  run: async ({ ask, out }, args) => {
    const { draft } = await ask("draft_restore", { who: args.words[0] ?? "" });
    out.result({ draft }, () => print(out, draft));
  },
};

const discard: Command = {
  name: "discard",
  summary: "give up the text that Bellhop could not put back",
  usage: ["draft discard WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop draft discard coder", does: "I no longer need my text" }],
  run: async ({ ask, out }, args) => {
    const { drafts } = await ask("draft_discard", { who: args.words[0] ?? "" });
    out.result({ drafts }, () => {
      for (const one of drafts) print(out, one);
    });
  },
};

export const draft: Command = {
  name: "draft",
  summary: "see, restore or discard unsent text that Bellhop set aside for you",
  usage: ["draft show WHO", "draft restore WHO", "draft discard WHO"],
  examples: [{ command: "bellhop draft show coder", does: "what was I typing?" }],
  subcommands: [showDraft, restore, discard],
};

function print(out: Output, { agent, sessionId, state, keptAt, text, exact, note }: ShownDraft): void {
  const care = exact ? "" : ", as far as the screen showed it";
  out.line(
    out.paint("dim", `${sanitiseLine(agent)} (${sessionId}) ${state}, kept ${dateAndTime(keptAt)}${care}`),
  );
  out.line(sanitiseText(text));
  if (note !== undefined) out.line(out.paint("dim", sanitiseLine(note)));
}
