import { isAgentName } from "../../../core/address.ts";
import { BellhopError } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { parsePattern } from "../../../core/routing/pattern.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { agentToken, readToken } from "../../../home/token.ts";
import type { ShownAgent } from "../../../wire/shapes/sessions.ts";
import type { ShownAutoRun } from "../../../wire/shapes/turns.ts";
import { asGiven } from "../../arguments/given-duration.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { requireOwner } from "../../local/owner-only.ts";
import { dateAndTime } from "../../printing/moments.ts";
import { printList, printPairs } from "../../printing/table.ts";
import { printAutoRun } from "../../printing/turns.ts";
import { ANSWER_GRACE_MS } from "../../sending.ts";
import { autoRun } from "./auto-run.ts";

const add: Command = {
  name: "add",
  summary: "create an agent's mailbox before the agent runs",
  usage: ["agent add NAME [--subscribe PATTERN]… [--session NAME]… [--auto-run]"],
  options: {
    subscribe: {
      kind: "value",
      value: "PATTERN",
      repeatable: "yes",
      summary: "subscribe it to this path (slack/**)",
    },
    session: {
      kind: "value",
      value: "NAME",
      repeatable: "yes",
      summary: "create a session of this name, with a mailbox of its own",
    },
    "auto-run": { kind: "flag", summary: "let it take turns by itself when messages come" },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop agent add reviewer", does: "messages wait until it runs" },
    {
      command: 'bellhop agent add reviewer --subscribe "slack/**" --subscribe "email/**"',
      does: "with two subscriptions",
    },
    {
      command: "bellhop agent add reviewer --session slack-monitor",
      does: "with a second session beside its main one",
    },
    { command: "bellhop agent add night --auto-run", does: "a message starts a turn, without a terminal" },
  ],
  run: async (context, args) => {
    const agent = await addAgent(context, args);
    context.out.result(agent, `agent/${sanitiseLine(agent.name)} has a mailbox`);
  },
};

const list: Command = {
  name: "list",
  summary: "list all agents, running or not",
  usage: ["agent list"],
  examples: [{ command: "bellhop agent list", does: "every agent, its state and its queue" }],
  run: async ({ ask, out }) => {
    const { agents } = await ask("agent_list", {});
    printList(out, agents, "No agents yet.", {
      AGENT: (agent) => agent.name,
      QUEUED: ({ queued }) => String(queued),
      STATE: stateOf,
      SESSIONS: ({ sessions }) => sessions.map(({ name, id }) => name ?? id).join(" "),
    });
  },
};

const show: Command = {
  name: "show",
  summary: "show one agent and its sessions",
  usage: ["agent show NAME"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop agent show coder", does: "its sessions and its queue" }],
  run: async ({ ask, out }, args) => {
    const agent = await ask("agent_show", { name: args.words[0] ?? "" });
    const shown = await turnsShown(ask, agent.name);
    out.result({ ...agent, ...present({ autoRun: shown }) }, () => {
      printPairs(out, [
        ["agent", agent.name],
        ["state", stateOf(agent)],
        ["queued", String(agent.queued)],
        ["receives", [`agent/${agent.name}`, ...patternsOf(agent)].join(", ")],
        ["may", agent.rights.join(", ")],
        ["since", `${dateAndTime(agent.createdAt)} (${agent.origin})`],
        ["turns", shown && turnsOf(agent.name, shown)],
      ]);
      for (const session of agent.sessions) out.line(sanitiseLine(`  ${describe(session)}`));
      if (shown !== undefined) printAutoRun(out, shown);
    });
  },
};

/** Undefined: it takes none by itself, or the caller may not see how. */
async function turnsShown(ask: CommandContext["ask"], agent: string): Promise<ShownAutoRun | undefined> {
  try {
    const shown = await ask("auto_run_show", { agent });
    return shown.values.enabled === true ? shown : undefined;
  } catch (error) {
    if (error instanceof BellhopError && error.code === "rights.missing") return undefined;
    throw error;
  }
}

const remove: Command = {
  name: "remove",
  summary: "remove an agent that is not running",
  usage: ["agent remove NAME [--force]"],
  options: { force: { kind: "flag", summary: "also cancel the messages and reminders that wait for it" } },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop agent remove reviewer --force", does: "cancel its messages and reminders too" },
  ],
  run: async ({ ask, out }, args) => {
    const force = args.given("force");
    const answer = await ask("agent_remove", { name: args.words[0] ?? "", ...present({ force }) });
    const gone = `${count(answer.cancelled, "message")} and ${count(answer.reminders, "reminder")}`;
    out.result(answer, `agent/${sanitiseLine(answer.name)} is removed; ${gone} cancelled`);
  },
};

const move: Command = {
  name: "move",
  summary: "move an agent that is not running to another host, with its subscriptions and its mail",
  usage: ["agent move NAME HOST"],
  words: { least: 2, most: 2 },
  examples: [
    {
      command: "bellhop agent move coder workstation",
      does: "then start it there; workstation must let this host move agents (cluster admit --rights, with move added to those that it has)",
    },
  ],
  run: async ({ ask, out }, { words: [name = "", host = ""] }) => {
    const request = { name, host, timeoutMs: MOVED_WITHIN_MS };
    const moved = await ask("agent_move", request, { timeoutMs: MOVED_WITHIN_MS + ANSWER_GRACE_MS });
    out.result(moved, () => {
      const { agent: who, subscriptions, messages, sentOn } = moved;
      const along = `${count(subscriptions, "subscription")} and ${count(messages, "message")}`;
      out.line(`✓ ${sanitiseLine(who)} moved to ${sanitiseLine(host)}, with ${along}.`);
      if (sentOn > 0)
        out.line(
          `  ${count(sentOn, "message")} from other hosts: these send them on, or tell the senders if this host may not move agents there.`,
        );
    });
  },
};

const MOVED_WITHIN_MS = 20_000;

const token: Command = {
  name: "token",
  summary: "print the token that lets a program act as this agent only",
  usage: ["agent token NAME"],
  words: { least: 1, most: 1 },
  examples: [
    {
      command: 'BELLHOP_TOKEN="$(bellhop agent token reviewer)" node worker.mjs',
      does: "for a program that acts as this agent",
    },
  ],
  run: async (context, args) => {
    await requireOwner(context);
    const { name } = await context.ask("agent_show", { name: args.words[0] ?? "" });
    const { token: path } = context.home();
    const owner = readToken(path);
    if (owner === undefined) {
      throw new BellhopError("file.missing", {
        message: `There is no token at ${path}.`,
        next: 'The daemon makes it when it starts: "bellhop down && bellhop up".',
      });
    }
    const own = agentToken(owner, name);
    context.out.result({ agent: name, token: own }, own);
  },
};

export const agent: Command = {
  name: "agent",
  summary: "add, list, show, move or remove agents and their mailboxes; automatic turns; print a token",
  usage: [
    "agent add|show|remove|token NAME",
    "agent list",
    "agent move NAME HOST",
    "agent auto-run NAME on|off|show|reset",
  ],
  examples: [{ command: "bellhop agent list", does: "every agent, its state and its queue" }],
  subcommands: [add, list, show, remove, move, autoRun, token],
};

export const name: Command = {
  name: "name",
  summary: "give an agent a name, or take over the mailbox of that name",
  usage: ["name [WHO] NAME"],
  words: { least: 1, most: 2 },
  examples: [
    { command: "bellhop name reviewer", does: "run by an agent: it names itself" },
    { command: "bellhop name api-2 reviewer", does: "rename another agent" },
  ],
  run: async ({ ask, out, claims }, args) => {
    const [first = "", second] = args.words;
    const request = second === undefined ? { who: "", name: first } : { who: first, name: second };
    const answer = await ask("name", { ...request, claims: claims() });
    out.result(answer, `session ${answer.sessionId} is agent/${sanitiseLine(answer.agent)}`);
  },
};

/** Everything is checked before anything is created: a mistake must not leave half an agent behind. */
async function addAgent({ ask, claims }: CommandContext, args: Arguments): Promise<ShownAgent> {
  const [name = ""] = args.words;
  const patterns = args.values("subscribe");
  const sessions = args.values("session");
  for (const pattern of patterns) parsePattern(pattern);
  for (const session of sessions) checkSessionName(session);
  const added = await ask("agent_add", { name });
  for (const pattern of patterns) await ask("sub_add", { agent: name, pattern, claims: claims() });
  for (const session of sessions) await ask("session_add", { agent: name, name: session });
  if (args.flag("auto-run")) await ask("auto_run_set", { agent: name, autoRun: true });
  return patterns.length + sessions.length === 0 ? added : ask("agent_show", { name });
}

function checkSessionName(name: string): void {
  if (isAgentName(name)) return;
  throw new BellhopError("name.invalid", {
    message: `"${asGiven(name)}" cannot be the name of a session.`,
    next: "Use lower-case letters, digits, dot, underscore and hyphen; start with a letter or digit; at most 64 characters.",
  });
}

function patternsOf({ subscriptions }: Pick<ShownAgent, "subscriptions">): readonly string[] {
  return subscriptions.map(({ pattern }) => pattern);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function describe(session: ShownAgent["sessions"][number]): string {
  const { id, name, program, live, label } = session;
  const ended = program === "" ? "no program yet" : "has ended";
  const hears = patternsOf(session);
  return [
    name === undefined ? id : `${id} (${name})`,
    program,
    live ? `runs in ${label}` : ended,
    hears.length === 0 ? "" : `subscribed to ${hears.join(", ")}`,
  ]
    .filter((part) => part !== "")
    .join("  ");
}

function turnsOf(name: string, { running }: ShownAutoRun): string {
  return running === undefined
    ? "by itself, as follows"
    : `one runs now (bellhop peek ${name}); by itself, as follows`;
}

function stateOf({ paused, sessions }: ShownAgent): string {
  const running = sessions.some(({ live }) => live) ? "running" : "not running";
  return paused ? `${running}, paused` : running;
}
