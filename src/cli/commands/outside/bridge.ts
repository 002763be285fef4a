import { BRIDGE_NAMES } from "../../../core/outside/places.ts";
import type { Command, OptionSpec } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { listBridges } from "../../printing/bridges.ts";

async function showAll({ ask, out, now }: CommandContext): Promise<undefined> {
  const { bridges } = await ask("bridges", {});
  listBridges(out, bridges, now());
}

const list: Command = {
  name: "list",
  aliases: ["status"],
  summary: "show each bridge: whether it is connected, when something last came or went, what to do",
  usage: ["bridge list", "bridge status"],
  examples: [
    { command: "bellhop bridge status", does: "also those that are configured and could not be opened" },
    { command: "bellhop bridge status --json", does: "for scripts" },
  ],
  run: showAll,
};

const value = (placeholder: string, summary: string): OptionSpec => ({
  kind: "value",
  value: placeholder,
  summary,
});
const secretOptions = (name: string, what: string): Readonly<Record<string, OptionSpec>> => ({
  [`${name}-file`]: value("FILE", `${what}, in a file`),
  [name]: value("-", `${what}, from stdin (only "-")`),
});

const add: Command = {
  name: "add",
  summary: "connect a bridge: asks step by step, tries it with the platform, then writes it to the config",
  usage: [`bridge add ${BRIDGE_NAMES.join("|")} [--person ID] [--yes]`],
  options: {
    person: value("ID", "who you are there (default: finds out, by a code that you write)"),
    yes: { kind: "flag", summary: "do not ask before writing" },
    ...secretOptions("token", "telegram: the bot's token"),
    "api-root": value("URL", "telegram: another server that speaks its Bot API"),
    ...secretOptions("app-token", "slack: the app-level token"),
    ...secretOptions("bot-token", "slack: the bot token"),
    workspace: value("WORD", "slack: a word for your workspace in paths"),
    "api-url": value("URL", "slack: another server that speaks its Web API"),
    address: value("ADDRESS", "email: Bellhop's address"),
    "authserv-id": value("NAME", "email: your provider's name in Authentication-Results"),
    "imap-host": value("HOST", "email: the server that reads"),
    "imap-port": value("N", "email: its port"),
    "imap-security": value("HOW", "email: tls, starttls or plain (default: by the port)"),
    "smtp-host": value("HOST", "email: the server that sends"),
    "smtp-port": value("N", "email: its port"),
    "smtp-security": value("HOW", "email: tls, starttls or plain (default: by the port)"),
    user: value("NAME", "email: the name to log in with (default: the address)"),
    "ca-file": value("FILE", "email: a certificate to trust"),
    ...secretOptions("password", "email: the password"),
    service: value("NAME", "webhook: the service, such as github"),
    kind: value("KIND", "webhook: how it signs (default: the service's own, or token)"),
    port: value("N", "webhook: the port on 127.0.0.1 (default: 2356)"),
    ...secretOptions("secret", "webhook: the secret that the service signs with"),
    "chat-db": value("FILE", "imessage: another database of Messages"),
    osascript: value("FILE", "imessage: a program that stands in for osascript"),
  },
  words: { least: 1, most: 1 },
  wordChoices: BRIDGE_NAMES,
  examples: [
    { command: "bellhop bridge add telegram", does: "answer agents from your phone in five minutes" },
    {
      command: "bellhop bridge add telegram --token-file bot.txt --person 42 --json",
      does: "for scripts; nothing is asked",
    },
    {
      command: "pass show hook | bellhop bridge add webhook --service github --secret -",
      does: "let GitHub tell agents what happened",
    },
  ],
  run: async (context, args) => {
    const { addBridge } = await import("../../local/bridges/adding.ts");
    return addBridge(context, args);
  },
};

const remove: Command = {
  name: "remove",
  summary: "disconnect a bridge: removes its section, its secret and your channels there",
  usage: ["bridge remove NAME [--yes]"],
  words: { least: 1, most: 1 },
  wordChoices: BRIDGE_NAMES,
  options: { yes: { kind: "flag", summary: "cancel what still waits to go out there, without asking" } },
  examples: [
    { command: "bellhop bridge remove telegram", does: "says what it removed; asks first if messages wait" },
  ],
  run: async (context, args) => {
    const { removeBridge } = await import("../../local/bridges/removing.ts");
    return removeBridge(context, args);
  },
};

const test: Command = {
  name: "test",
  summary: "send yourself a message through a bridge, and wait until the platform took it",
  usage: ["bridge test NAME"],
  words: { least: 1, most: 1 },
  wordChoices: BRIDGE_NAMES,
  examples: [{ command: "bellhop bridge test telegram", does: "status 0 once it was delivered" }],
  run: async (context, args) => {
    const { testBridge } = await import("../../local/bridges/testing.ts");
    return testBridge(context, args);
  },
};

const rehearse: Command = {
  name: "rehearse",
  summary:
    "see it work before there is a bot or an account: everything runs on this machine, and is gone afterwards",
  usage: [`bridge rehearse ${BRIDGE_NAMES.join("|")}`],
  words: { least: 1, most: 1 },
  wordChoices: BRIDGE_NAMES,
  examples: [
    { command: "bellhop bridge rehearse telegram", does: "what your phone would show, and what agents read" },
    { command: "bellhop bridge rehearse webhook", does: "what GitHub would send, and what wakes an agent" },
  ],
  run: async (context, args) => {
    const { rehearseBridge } = await import("../../local/bridges/rehearsal/rehearsing.ts");
    return rehearseBridge(context, args);
  },
};

export const bridge: Command = {
  name: "bridge",
  summary: "connect Telegram, Slack, mail, iMessage or webhooks",
  usage: ["bridge [list|status]", "bridge add|remove|test|rehearse NAME"],
  examples: [
    { command: "bellhop bridge", does: "show each bridge, and what to do about it" },
    { command: "bellhop bridge add telegram", does: "answer agents from your phone" },
  ],
  subcommands: [list, add, remove, test, rehearse],
  run: showAll,
};
