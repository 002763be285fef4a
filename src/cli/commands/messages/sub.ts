import { recipientInWords } from "../../../core/cluster/hosts.ts";
import { EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { SubscriptionsResponse } from "../../../wire/shapes/broker.ts";
import type { ShownAgent } from "../../../wire/shapes/sessions.ts";
import type { MailboxRequest } from "../../../wire/verbs/broker.ts";
import { type Arguments, type Command, type OptionSpec, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";
import { type Columns, printList } from "../../printing/table.ts";

const session: OptionSpec = {
  kind: "value",
  value: "S",
  summary: "for one of its sessions: an id, a name, or main",
};

const add: Command = {
  name: "add",
  summary: "subscribe an agent or a session to a path",
  usage: ["sub add AGENT PATTERN [--session S]"],
  options: { session },
  words: { least: 2, most: 2 },
  examples: [
    { command: 'bellhop sub add reviewer "slack/team/#general"', does: "one path" },
    { command: 'bellhop sub add reviewer "email/**"', does: "everything below it" },
    {
      command: 'bellhop sub add reviewer "slack/*/*" --session slack-monitor',
      does: "one session; it is created if there is none",
    },
  ],
  run: async (context, args) => {
    const pattern = args.words[1] ?? "";
    const answer = await context.ask("sub_add", { ...mailbox(context, args), pattern });
    context.out.result(answer, `${owner(answer)} is subscribed to ${sanitiseLine(pattern)}`);
  },
};

const remove: Command = {
  name: "remove",
  summary: "end a subscription",
  usage: ["sub remove AGENT PATTERN [--session S]"],
  options: { session },
  words: { least: 2, most: 2 },
  examples: [{ command: 'bellhop sub remove reviewer "email/**"', does: "the pattern as it was added" }],
  run: async (context, args) => {
    const pattern = args.words[1] ?? "";
    const answer = await context.ask("sub_remove", { ...mailbox(context, args), pattern });
    context.out.result(answer, `${owner(answer)} is no longer subscribed to ${sanitiseLine(pattern)}`);
  },
};

const list: Command = {
  name: "list",
  summary: "list who is subscribed to which paths",
  usage: ["sub list [AGENT] [--session S]"],
  options: { session },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop sub list", does: "all subscriptions" },
    { command: "bellhop sub list reviewer", does: "those of one agent" },
    { command: "bellhop sub list reviewer --session slack-monitor", does: "those of one session" },
  ],
  run: async (context, args) => {
    const { ask, out } = context;
    if (args.words.length === 0) {
      if (args.value("session") !== undefined) {
        throw usage("--session needs an agent.", "Name the agent: bellhop sub list AGENT --session S.");
      }
      const { agents } = await ask("agent_list", {});
      const all = agents.flatMap(everySubscription);
      const none = "There are no subscriptions: everyone gets only what is sent to their own address.";
      out.result(all, () => printSubscriptions(out, all, none));
      return;
    }
    const answer = await ask("sub_list", mailbox(context, args));
    const none = `${owner(answer)} has no subscriptions: it gets only what is sent to its own address.`;
    out.result(answer, () => printSubscriptions(out, [answer], none));
  },
};

const attempt: Command = {
  name: "try",
  summary: "show who would get a message to a path, and why; nothing is sent",
  usage: ["sub try PATH [--from WHO]"],
  options: { from: { kind: "value", value: "WHO", summary: "who would send it; without it, you" } },
  words: { least: 1, most: 1 },
  examples: [
    { command: 'bellhop sub try "slack/team/#general"', does: "who hears this channel" },
    {
      command: 'bellhop sub try "agent/**" --from reviewer',
      does: "whom a broadcast of reviewer would reach",
    },
  ],
  run: async ({ ask, claims, out }, args) => {
    const from = args.value("from");
    const tried = await ask("route_try", {
      path: args.words[0] ?? "",
      ...present({ from }),
      claims: claims(),
    });
    out.result(tried, () => {
      const { recipients, more, reason, notes } = tried;
      if (reason !== undefined) out.line(`Nobody would get it: ${sanitiseLine(reason)}.`);
      for (const recipient of recipients) {
        const { to, owner: whose, why } = recipient;
        const of = whose === to ? "" : ` (${sanitiseLine(whose)})`;
        out.line(`→ ${sanitiseLine(recipientInWords(recipient))}${of}`);
        for (const one of why) out.line(out.paint("dim", `  because ${sanitiseLine(one)}`));
      }
      if (more > 0) out.line(`and ${more} more`);
      for (const note of notes) out.line(out.paint("dim", sanitiseLine(note)));
    });
    return tried.recipients.length === 0 ? EXIT.unknownRecipient : EXIT.ok;
  },
};

export const sub: Command = {
  name: "sub",
  summary: "subscribe agents and sessions to paths; list, try or end subscriptions",
  usage: [
    "sub add|remove AGENT PATTERN [--session S]",
    "sub list [AGENT] [--session S]",
    "sub try PATH [--from WHO]",
  ],
  examples: [
    {
      command: 'bellhop sub add reviewer "slack/team/*"',
      does: "* stands for one segment, ** for any number",
    },
  ],
  subcommands: [add, remove, list, attempt],
};

function mailbox({ claims }: CommandContext, args: Arguments): MailboxRequest {
  const of = args.value("session");
  return { agent: args.words[0] ?? "", ...present({ session: of }), claims: claims() };
}

function owner({ agent, session: of }: SubscriptionsResponse): string {
  return sanitiseLine(of === undefined ? agent : `session ${of} of ${agent}`);
}

function everySubscription({ name, subscriptions, sessions }: ShownAgent): readonly SubscriptionsResponse[] {
  const own = { agent: name, subscriptions };
  const ofSessions = sessions.map((each) => ({
    agent: name,
    session: each.name ?? each.id,
    subscriptions: each.subscriptions,
  }));
  return [own, ...ofSessions].filter((each) => each.subscriptions.length > 0);
}

function printSubscriptions(out: Output, owners: readonly SubscriptionsResponse[], none: string): void {
  const rows = owners.flatMap(({ agent, session: of = "", subscriptions }) =>
    subscriptions.map((each) => ({ agent, of, ...each })),
  );
  const columns: Columns<(typeof rows)[number]> = {
    AGENT: ({ agent }) => agent,
    ...(rows.some(({ of }) => of !== "") ? { SESSION: ({ of }) => of } : {}),
    SINCE: ({ addedAt }) => dateAndMinute(addedAt),
    PATTERN: ({ pattern }) => pattern,
  };
  printList(out, rows, none, columns);
}
