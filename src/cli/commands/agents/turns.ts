import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { limitOption, readLimit } from "../../arguments/given-count.ts";
import type { Command, OptionSpec } from "../../command.ts";
import { printTurn, printTurns } from "../../printing/turns.ts";

export const sessionOption: OptionSpec = {
  kind: "value",
  value: "SESSION",
  summary: "one of its sessions, by name or id",
};

const switching = (name: "stop" | "start", summary: string, example: string): Command => ({
  name,
  summary,
  usage: [`turns ${name}`],
  examples: [{ command: `bellhop turns ${name}`, does: example }],
  run: async ({ ask, out, claims }) => {
    const turned = await ask("turns_switch", { on: name === "start", claims: claims() });
    const { off, stopped } = turned;
    const ended = stopped === 0 ? "" : `; ${stopped} ${stopped === 1 ? "was" : "were"} stopped`;
    out.result(turned, off ? `No automatic turn starts${ended}` : "Automatic turns start again");
  },
});

export const turns: Command = {
  name: "turns",
  summary: "see the automatic turns: what they do, what they cost, what waits; stop or start them all",
  usage: ["turns [AGENT] [--session SESSION] [--limit N]", "turns stop|start"],
  options: { session: sessionOption, limit: limitOption("newest") },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop turns", does: "open turns first, then the newest; budgets; what waits" },
    { command: "bellhop turns night --limit 5", does: "the last five of one agent" },
    { command: "bellhop turns stop", does: "the kill switch: nothing starts, what runs is ended" },
  ],
  subcommands: [
    switching("stop", "end the turns that run, and let none start", "until you start them again"),
    switching("start", "let turns start again", "what waited begins"),
  ],
  run: async ({ ask, out, now }, args) => {
    const [agent] = args.words;
    const found = await ask(
      "turns",
      present({ agent, session: args.value("session"), limit: readLimit(args) }),
    );
    out.result(found, () => printTurns(out, found, now()));
  },
};

const MOST_MESSAGES = 20;

const trigger: Command = {
  name: "trigger",
  summary: "start a turn now, without triage; it waits while another turn of the session runs",
  usage: ["turn trigger AGENT [SESSION] [--message TEXT]…"],
  options: {
    message: {
      kind: "value",
      value: "TEXT",
      repeatable: "yes",
      summary: `what the turn is about, at most ${MOST_MESSAGES} times (default: what waits)`,
    },
  },
  words: { least: 1, most: 2 },
  examples: [
    { command: "bellhop turn trigger night", does: "about what waits for it" },
    {
      command: 'bellhop turn trigger night main --message "Look at the new issues."',
      does: "about something new",
    },
  ],
  run: async ({ ask, out, claims }, args) => {
    const [agent = "", session] = args.words;
    const given = args.values("message");
    const messages = given.length === 0 ? undefined : given;
    const started = await ask("turn_trigger", {
      agent,
      ...present({ session, messages }),
      claims: claims(),
    });
    const { length } = started.messages;
    const about = `${length} ${length === 1 ? "message" : "messages"}`;
    out.result(
      started,
      `A turn of ${sanitiseLine(started.agent)} (session ${sanitiseLine(started.sessionId)}) begins, about ${about}`,
    );
  },
};

const show: Command = {
  name: "show",
  summary: "show one turn, its answer and its cost",
  usage: ["turn show TURN"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop turn show t4k9p2", does: 'an id that "bellhop turns" lists' }],
  run: async ({ ask, out }, args) => {
    const found = await ask("turn_show", { id: args.words[0] ?? "" });
    out.result(found, () => printTurn(out, found));
  },
};

export const turn: Command = {
  name: "turn",
  summary: "start an automatic turn, or show one",
  usage: ["turn trigger AGENT [SESSION] [--message TEXT]…", "turn show TURN"],
  examples: [{ command: "bellhop turn trigger night", does: "now, about what waits for it" }],
  subcommands: [trigger, show],
};
