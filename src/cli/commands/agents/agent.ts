import { isAgentName } from "../../../core/address.ts";
import { BellhopError, EXIT } from "../../../core/errors.ts";
import { parsePattern } from "../../../core/routing/pattern.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ShownAgent } from "../../../wire/shapes/sessions.ts";
import { asGiven } from "../../arguments/given-duration.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { dateAndTime } from "../../printing/moments.ts";
import { printPairs, printTable } from "../../printing/table.ts";
import { agentToken } from "./agent-token.ts";

const add: Command = {
  name: "add",
  summary: "create an agent's mailbox before the agent runs",
  usage: ["agent add NAME [--subscribe PATTERN]… [--session NAME]…"],
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
  ],
  run: async (context, args) => {
    const { out } = context;
    const agent = await addAgent(context, args);
    if (out.json) out.value(agent);
    else out.line(`agent/${sanitiseLine(agent.name)} has a mailbox`);
    return EXIT.ok;
  },
};

const list: Command = {
  name: "list",
  summary: "list all agents, running or not",
  usage: ["agent list"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop agent list", does: "every agent, its state and its queue" }],
  run: async ({ ask, out }) => {
    const { agents } = await ask("agent_list", {});
    if (out.json) out.value(agents);
    else if (agents.length === 0) out.line("No agents yet.");
    else {
      printTable<ShownAgent>(
        out,
        [
          { title: "AGENT", cell: (agent) => agent.name },
          { title: "QUEUED", cell: ({ queued }) => String(queued) },
          { title: "STATE", cell: stateOf },
          {
            title: "SESSIONS",
            cell: ({ sessions }) => sessions.map(({ name, id }) => name ?? id).join(" "),
          },
        ],
        agents,
      );
    }
    return EXIT.ok;
  },
};

const show: Command = {
  name: "show",
  summary: "show one agent and its sessions",
  usage: ["agent show NAME"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop agent show coder", does: "its sessions and its queue" }],
  run: async ({ ask, out }, args) => {
    const agent = await ask("agent_show", { name: args.words[0] ?? "" });
    if (out.json) {
      out.value(agent);
      return EXIT.ok;
    }
    printPairs(out, [
      ["agent", agent.name],
      ["state", stateOf(agent)],
      ["queued", String(agent.queued)],
      ["receives", [`agent/${agent.name}`, ...patternsOf(agent)].join(", ")],
      ["may", agent.rights.join(", ")],
      ["since", `${dateAndTime(agent.createdAt)} (${agent.origin})`],
    ]);
    for (const session of agent.sessions) out.line(sanitiseLine(`  ${describe(session)}`));
    return EXIT.ok;
  },
};

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
    const answer = await ask("agent_remove", {
      name: args.words[0] ?? "",
      ...(args.flag("force") ? { force: true } : {}),
    });
    if (out.json) out.value(answer);
    else {
      const { name, cancelled, reminders } = answer;
      out.line(
        `agent/${sanitiseLine(name)} is removed; ${count(cancelled, "message")} and ${count(reminders, "reminder")} cancelled`,
      );
    }
    return EXIT.ok;
  },
};

export const agent: Command = {
  name: "agent",
  summary: "add, list, show or remove agents and their mailboxes; print a token",
  usage: ["agent add|show|remove|token NAME", "agent list"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop agent list", does: "every agent, its state and its queue" }],
  subcommands: [add, list, show, remove, agentToken],
};

/** Everything is checked before anything is made: a mistake must not leave half an agent behind. */
async function addAgent({ ask, claims }: CommandContext, args: Arguments): Promise<ShownAgent> {
  const [name = ""] = args.words;
  const patterns = args.values("subscribe");
  const sessions = args.values("session");
  for (const pattern of patterns) parsePattern(pattern);
  for (const session of sessions) checkSessionName(session);
  const added = await ask("agent_add", { name });
  for (const pattern of patterns) await ask("sub_add", { agent: name, pattern, claims: claims() });
  for (const session of sessions) await ask("session_add", { agent: name, name: session });
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

function stateOf({ paused, sessions }: ShownAgent): string {
  const running = sessions.some(({ live }) => live) ? "running" : "not running";
  return paused ? `${running}, paused` : running;
}
