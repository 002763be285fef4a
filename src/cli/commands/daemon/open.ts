import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { openLink } from "../../local/web/opener.ts";
import { certainLink } from "../../local/web/own-address.ts";
import { age } from "../../printing/moments.ts";
import { printList } from "../../printing/table.ts";

const sessions: Command = {
  name: "sessions",
  summary: "list the browsers that are logged in",
  usage: ["open sessions"],
  examples: [{ command: "bellhop open sessions", does: "each with its id, and when it was used last" }],
  run: async ({ ask, out, now }) => {
    const { sessions: found } = await ask("web_sessions", {});
    printList(out, found, "No browser is logged in.", {
      ID: ({ id }) => id,
      "LOGGED IN": ({ loggedInAt }) => `${age(loggedInAt, now())} ago`,
      USED: ({ seenAt }) => `${age(seenAt, now())} ago`,
      AT: ({ host }) => host,
      BROWSER: ({ browser }) => browser,
    });
  },
};

const revoke: Command = {
  name: "revoke",
  summary: "log a browser out, or all of them",
  usage: ["open revoke BROWSER", "open revoke --all"],
  options: { all: { kind: "flag", summary: "every browser, and every link that was not used yet" } },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop open revoke k3m9xz", does: "one browser, by the id that the list shows" },
    { command: "bellhop open revoke --all", does: "if a phone is lost, or somebody else used a link" },
  ],
  run: async ({ ask, out }, args) => {
    const [id] = args.words;
    if ((id === undefined) !== args.flag("all"))
      throw usage("Name one browser, or say --all.", 'List them with "bellhop open sessions".');
    const ended = await ask("web_revoke", present({ id }));
    const { length } = ended.revoked;
    out.result(ended, `${length} ${length === 1 ? "browser is" : "browsers are"} logged out`);
  },
};

export const open: Command = {
  name: "open",
  summary: "open the dashboard in your browser, or on your phone; see and end its logins",
  usage: ["open [--print] [--phone]", "open sessions", "open revoke BROWSER|--all"],
  options: {
    print: { kind: "flag", summary: "only print the link, which works once, for two minutes" },
    phone: { kind: "flag", summary: "a code to scan; needs a name that your own tunnel serves (web.name)" },
  },
  examples: [
    { command: "bellhop open", does: "logs your browser in and shows the dashboard" },
    { command: "bellhop open --print", does: "for a browser elsewhere, such as through ssh -L" },
    { command: "bellhop open --phone", does: "scan it with the camera" },
    { command: "bellhop open --json", does: "the link, for scripts" },
  ],
  subcommands: [sessions, revoke],
  run: async (context, args) => {
    if (args.flag("phone")) return showToPhone(context);
    const link = await context.ask("web_link", {});
    const url = await certainLink(link.url);
    const { out, env } = context;
    if (out.json) out.value({ ...link, url });
    else if (args.flag("print")) out.line(url);
    else if ((await openLink(url, process.platform, env)) === "opened")
      out.line("The dashboard opens in your browser. If it does not: bellhop open --print");
    else {
      out.line(url);
      out.note("Open this link in a browser on this machine. It works once, for two minutes.");
    }
  },
};

async function showToPhone({ ask, out }: CommandContext): Promise<undefined> {
  const link = await ask("web_link", { phone: true });
  if (out.json) {
    out.value(link);
    return;
  }
  // Loaded only here.
  const { renderUnicodeCompact } = await import("uqr");
  out.line(renderUnicodeCompact(link.url, { border: 2 }));
  out.line(sanitiseLine(link.url));
  out.line("");
  out.line("1. Scan it with your phone's camera, within two minutes. It works once.");
  out.line("2. If the page does not load, your tunnel does not run: see docs/dashboard.md.");
  out.line("3. To log the phone out: bellhop open sessions, then bellhop open revoke BROWSER");
}
