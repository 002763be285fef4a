import { EXIT } from "../../core/errors.ts";
import { sanitiseLine } from "../../core/sanitise.ts";
import type { ShownAgent } from "../../wire/shapes.ts";
import type { Command } from "../command.ts";
import { dateAndTime } from "../moments.ts";
import { printPairs, printTable } from "../table.ts";

const add: Command = {
  name: "add",
  summary: "make a mailbox that waits for its agent",
  usage: ["agent add NAME"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop agent add reviewer", does: "messages wait until it runs" }],
  run: async ({ ask, out }, args) => {
    const agent = await ask("agent_add", { name: args.words[0] ?? "" });
    if (out.json) out.value(agent);
    else out.line(`agent/${sanitiseLine(agent.name)} has a mailbox`);
    return EXIT.ok;
  },
};

const list: Command = {
  name: "list",
  summary: "all agents, running or not",
  usage: ["agent list"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop agent list", does: "all mailboxes" }],
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
          { title: "SESSIONS", cell: ({ sessions }) => sessions.map(({ id }) => id).join(" ") },
        ],
        agents,
      );
    }
    return EXIT.ok;
  },
};

const show: Command = {
  name: "show",
  summary: "one agent and its sessions",
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
      ["since", `${dateAndTime(agent.createdAt)} (${agent.origin})`],
    ]);
    for (const session of agent.sessions) {
      const where = session.live ? `runs in ${session.label}` : "has ended";
      out.line(sanitiseLine(`  ${session.id}  ${session.program}  ${where}`));
    }
    return EXIT.ok;
  },
};

const remove: Command = {
  name: "remove",
  summary: "forget an agent that does not run",
  usage: ["agent remove NAME [--force]"],
  options: { force: { kind: "flag", summary: "cancel what still waits for it" } },
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop agent remove reviewer --force", does: "cancel its messages too" }],
  run: async ({ ask, out }, args) => {
    const answer = await ask("agent_remove", {
      name: args.words[0] ?? "",
      ...(args.flag("force") ? { force: true } : {}),
    });
    if (out.json) out.value(answer);
    else out.line(`agent/${sanitiseLine(answer.name)} is removed; ${answer.cancelled} message(s) cancelled`);
    return EXIT.ok;
  },
};

export const agent: Command = {
  name: "agent",
  summary: "mailboxes: add, list, show, remove",
  usage: ["agent add|show|remove NAME", "agent list"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop agent list", does: "all mailboxes" }],
  subcommands: [add, list, show, remove],
};

function stateOf({ paused, sessions }: ShownAgent): string {
  const running = sessions.some(({ live }) => live) ? "running" : "not running";
  return paused ? `${running}, paused` : running;
}
