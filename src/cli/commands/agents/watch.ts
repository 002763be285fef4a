import { BellhopError, EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { WATCH_EVENTS, type WatchEvent } from "../../../core/watch.ts";
import type { ShownWatch } from "../../../wire/shapes/watches.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import { printTable } from "../../printing/table.ts";

export const watch: Command = {
  name: "watch",
  summary: "get a message when an agent's turn ends, it waits for its person, or it is gone",
  usage: ["watch WHO [--on EVENT,…] [--once]", "watch"],
  options: {
    on: {
      kind: "value",
      value: "EVENT,…",
      summary: `only some of the events: ${WATCH_EVENTS.join(", ")} (default: all)`,
    },
    once: { kind: "flag", summary: "only the next event, then end the watch" },
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop watch api", does: "each event comes as a message" },
    { command: "bellhop watch api --on turn-end --once", does: "be told when it is done, once" },
    { command: "bellhop watch", does: "list who watches whom" },
  ],
  run: async (context, args) => {
    const { ask, out, claims } = context;
    const [who] = args.words;
    if (who === undefined) {
      if (args.value("on") !== undefined || args.flag("once")) throw whom();
      return list(context);
    }
    const on = eventsIn(args.value("on"));
    const set = await ask("watch", {
      who,
      ...present({ on }),
      ...(args.flag("once") ? { once: true } : {}),
      claims: claims(),
    });
    if (out.json) out.value(set);
    else {
      const how = set.once ? "the next time" : "each time";
      out.line(`You are told ${how}: ${sanitiseLine(set.agent)} (${set.session}), ${set.on.join(", ")}`);
    }
    return EXIT.ok;
  },
};

export const unwatch: Command = {
  name: "unwatch",
  summary: "end a watch",
  usage: ["unwatch WHO"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop unwatch api", does: "get no more messages about it" }],
  run: async ({ ask, out, claims }, args) => {
    const { ended } = await ask("unwatch", { who: args.words[0] ?? "", claims: claims() });
    if (out.json) out.value(ended);
    else
      for (const { agent, session } of ended)
        out.line(`You no longer watch ${sanitiseLine(agent)} (${session})`);
    return EXIT.ok;
  },
};

async function list({ ask, out, claims }: CommandContext): Promise<number> {
  const { watches } = await ask("watches", { claims: claims() });
  if (out.json) out.value(watches);
  else if (watches.length === 0) out.line("Nobody watches anybody.");
  else {
    printTable<ShownWatch>(
      out,
      [
        { title: "WATCHER", cell: ({ watcher }) => watcher },
        { title: "WATCHES", cell: ({ agent }) => agent },
        { title: "SESSION", cell: ({ session }) => session },
        { title: "SINCE", cell: ({ since }) => dateAndMinute(since) },
        { title: "ON", cell: ({ on, once }) => `${on.join(", ")}${once ? " (once)" : ""}` },
      ],
      watches,
    );
  }
  return EXIT.ok;
}

function eventsIn(text: string | undefined): readonly WatchEvent[] | undefined {
  return text?.split(",").map((word) => {
    const meant = word.trim();
    const event = WATCH_EVENTS.find((known) => known === meant);
    if (event !== undefined) return event;
    const near = nearest(meant, WATCH_EVENTS);
    throw new BellhopError("usage.invalid", {
      message: `There is no event "${sanitiseLine(meant, 64)}".`,
      next: near === undefined ? `Use some of: ${WATCH_EVENTS.join(", ")}.` : `Did you mean "${near}"?`,
    });
  });
}

function whom(): BellhopError {
  return new BellhopError("usage.invalid", {
    message: "No agent to watch was given.",
    next: "Name an agent: bellhop watch WHO. To list the watches: bellhop watch",
  });
}
