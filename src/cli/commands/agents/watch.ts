import { present } from "../../../core/present.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { WATCH_EVENTS, type WatchEvent } from "../../../core/watch.ts";
import { type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import { printList } from "../../printing/table.ts";

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
      if (args.value("on") === undefined && !args.flag("once")) return list(context);
      throw usage(
        "No agent to watch was given.",
        "Name an agent: bellhop watch WHO. To list the watches: bellhop watch",
      );
    }
    const on = eventsIn(args.value("on"));
    const set = await ask("watch", { who, ...present({ on, once: args.given("once") }), claims: claims() });
    const whom = `${sanitiseLine(set.agent)} (${set.session}), ${set.on.join(", ")}`;
    out.result(set, `You are told ${set.once ? "the next time" : "each time"}: ${whom}`);
  },
};

export const unwatch: Command = {
  name: "unwatch",
  summary: "end a watch",
  usage: ["unwatch WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop unwatch api", does: "get no more messages about it" }],
  run: async ({ ask, out, claims }, args) => {
    const { ended } = await ask("unwatch", { who: args.words[0] ?? "", claims: claims() });
    out.result(ended, () => {
      for (const { agent, session } of ended)
        out.line(`You no longer watch ${sanitiseLine(agent)} (${session})`);
    });
  },
};

async function list({ ask, out, claims }: CommandContext): Promise<undefined> {
  const { watches } = await ask("watches", { claims: claims() });
  printList(out, watches, "Nobody watches anybody.", {
    WATCHER: ({ watcher }) => watcher,
    WATCHES: ({ agent }) => agent,
    SESSION: ({ session }) => session,
    SINCE: ({ since }) => dateAndMinute(since),
    ON: ({ on, once }) => `${on.join(", ")}${once ? " (once)" : ""}`,
  });
}

function eventsIn(text: string | undefined): readonly WatchEvent[] | undefined {
  return text?.split(",").map((word) => {
    const meant = word.trim();
    const event = WATCH_EVENTS.find((known) => known === meant);
    if (event !== undefined) return event;
    const near = nearest(meant, WATCH_EVENTS);
    throw usage(
      `There is no event "${sanitiseLine(meant, 64)}".`,
      near === undefined ? `Use some of: ${WATCH_EVENTS.join(", ")}.` : `Did you mean "${near}"?`,
    );
  });
}
