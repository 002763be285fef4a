/** The pages say about the program what it says about itself. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { findCommand, parseArguments } from "../../src/cli/arguments/parse.ts";
import { COMMANDS } from "../../src/cli/registry.ts";
import { BRIDGE_KEYS } from "../../src/config/bridges.ts";
import { CLUSTER_KEYS, CLUSTER_LIMITS } from "../../src/config/cluster.ts";
import { parseConfig } from "../../src/config/config.ts";
import { SETTINGS, type SettingRule } from "../../src/config/schema.ts";
import { HOST_RIGHTS } from "../../src/core/cluster/admission.ts";
import { EXIT } from "../../src/core/errors.ts";
import { DELIVERY_STATES, EVIDENCE, HOLD_REASONS } from "../../src/core/message.ts";
import { LADDER, PRIORITIES } from "../../src/core/priority.ts";
import { settingsFrom } from "../../src/daemon/settings.ts";
import { VERB_NAMES } from "../../src/doors/caller/requests.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import {
  allPages,
  fencesIn,
  headingsIn,
  inlineCodeIn,
  linksIn,
  ROOT,
  readPage,
  tableRowsIn,
} from "./pages.ts";
import { commandsIn } from "./shell-commands.ts";

const pages = allPages();
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Shell blocks, and what follows a `$` in the others. */
function shownCommands(page: (typeof pages)[number]): readonly (readonly string[])[] {
  const transcripts = fencesIn(page, "text").flatMap((text) =>
    [...text.matchAll(/^\$ (.*)$/gm)].map((found) => found[1] ?? ""),
  );
  return [...fencesIn(page, "sh"), ...transcripts].flatMap(commandsIn);
}

it("sees commands behind pipes, in substitutions, over several lines and after here-documents", () => {
  const script =
    "A=1 git diff | bellhop send web - # x\nbellhop a - <<'T'\nbellhop b\nT\n$(bellhop c) \\\n  \"d 'e'\" && f\n";
  const seen = ["git diff", "bellhop send web -", "bellhop a -", "bellhop c", "substituted d 'e'", "f"];
  expect(commandsIn(script).map((words) => words.join(" "))).toEqual(seen);
  expect(pages.flatMap(shownCommands).filter(([program]) => program === "bellhop").length).toBeGreaterThan(
    50,
  );
});

describe.each(pages)("$path", (page) => {
  it("shows only commands that the command line takes", () => {
    for (const [program, ...words] of shownCommands(page)) {
      if (program !== "bellhop") continue;
      const line = findCommand(words, COMMANDS);
      expect(line, words.join(" ")).toBeDefined();
      if (line !== undefined) expect(() => parseArguments(line), words.join(" ")).not.toThrow();
    }
  });

  it("names only commands and options that there are", () => {
    const mentioned = inlineCodeIn(page)
      .filter((code) => code.startsWith("bellhop "))
      .flatMap(commandsIn)
      .filter(([program]) => program === "bellhop");
    for (const [, ...words] of mentioned) {
      const line = findCommand(words, COMMANDS);
      expect(line, words.join(" ")).toBeDefined();
      const known = ["json", "help", ...Object.keys(line?.command.options ?? {})];
      const options = words.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []);
      expect(
        options.filter((option) => !known.includes(option)),
        words.join(" "),
      ).toEqual([]);
    }
  });

  it("names only npm scripts that there are", () => {
    const written = [...shownCommands(page), ...inlineCodeIn(page).map((code) => code.split(" "))];
    for (const [program, verb = "", name] of written) {
      if (program !== "npm" || !["start", "test", "run"].includes(verb)) continue;
      const script = manifest.scripts[verb === "run" ? (name ?? "") : verb];
      expect(script, `npm ${verb} ${name ?? ""}`).toBeDefined();
    }
  });

  it("links to what is there", () => {
    for (const { file, heading } of linksIn(page)) {
      const target = file === "" ? page.path : normalize(join(dirname(page.path), file));
      expect(existsSync(join(ROOT, target)), target).toBe(true);
      if (heading !== undefined) expect(headingsIn(readPage(target)), target).toContain(heading);
    }
  });

  it("shows only settings and JSON that can be read", () => {
    for (const text of fencesIn(page, "yaml")) expect(() => parseConfig(text, "config.yaml")).not.toThrow();
    for (const text of fencesIn(page, "json")) expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe("docs/configuration.md", () => {
  const page = readPage("docs/configuration.md");
  const rows = new Map(tableRowsIn(page).map(([key = "", ...cells]) => [key.replaceAll("`", ""), cells]));

  it.each(Object.entries<SettingRule>(SETTINGS))("has %s with its default and its limits", (key, rule) => {
    const [standard = "", range = "", meaning = ""] = rows.get(key) ?? [];
    const isWord = typeof rule.standard === "string" && rule.standard !== "";
    const shown = isWord ? rule.standard : JSON.stringify(rule.standard);
    expect(standard).toBe(`\`${shown}\``);
    expect(range).toBe(rule.kind === "number" ? `${rule.least} – ${rule.most}` : "");
    expect(meaning).not.toBe("");
  });

  it("has no setting that is not there", () => {
    const dotted = [...rows.keys()].filter((key) =>
      /^(?:delivery|http|tmux|retention|watch|loops|person|desk)\./.test(key),
    );
    expect(dotted.filter((key) => !Object.hasOwn(SETTINGS, key))).toEqual([]);
  });

  it("has every key of every bridge", () => {
    const code = inlineCodeIn(page).map((each) => each.slice(each.lastIndexOf(".") + 1));
    const keys = Object.values(BRIDGE_KEYS).flat();
    expect(keys.filter((key) => !code.includes(key))).toEqual([]);
  });

  it("has every key of the cluster, and how many hosts it may name", () => {
    const code = inlineCodeIn(page);
    const keys = Object.values(CLUSTER_KEYS).flat();
    expect(keys.filter((key) => !code.includes(key))).toEqual([]);
    expect(page.text).toContain(`by name, at most ${CLUSTER_LIMITS.hosts}`);
  });

  it("knows the ways in that are allowed by default", () => {
    const allowed = settingsFrom(parseConfig("", "config.yaml")).transports("any");
    expect(rows.get("transports")?.[0]).toBe(`\`[${allowed.join(", ")}]\``);
  });
});

describe("the other pages name everything there is", () => {
  const named = (path: string, words: readonly string[]) => {
    const code = inlineCodeIn(readPage(path));
    expect(words.filter((word) => !code.includes(word))).toEqual([]);
  };

  it("priorities, states and proof", () => {
    named("docs/sending.md", [...PRIORITIES, ...PRIORITIES.flatMap((each) => LADDER[each].aliases)]);
    named("docs/sending.md", [...DELIVERY_STATES, ...EVIDENCE]);
  });

  it("every reason to wait", () => named("docs/troubleshooting.md", HOLD_REASONS));

  it("every right of a host", () => named("docs/cluster.md", HOST_RIGHTS));

  it("every hook", () =>
    named(
      "docs/hooks.md",
      HOOKED_PROGRAMS.flatMap(({ events }) => events),
    ));

  it("every request of the socket", () => named("docs/scripting.md", VERB_NAMES));

  it("every command", () => {
    const shown = pages.flatMap((page) => [
      ...shownCommands(page),
      ...inlineCodeIn(page)
        .filter((code) => code.startsWith("bellhop "))
        .flatMap(commandsIn),
    ]);
    const told = new Set(
      shown.flatMap(([program, ...words]) =>
        program === "bellhop" ? (findCommand(words, COMMANDS)?.path.join(" ") ?? []) : [],
      ),
    );
    const named = COMMANDS.flatMap(({ name, subcommands = [], run }) => [
      ...(run === undefined ? [] : [name]),
      ...subcommands.map((inner) => `${name} ${inner.name}`),
    ]);
    expect(named.filter((name) => !told.has(name))).toEqual([]);
  });

  it("every option that has to do with time", () => {
    const { text } = readPage("docs/time.md");
    const options = COMMANDS.filter(({ name }) => ["remind", "history"].includes(name)).flatMap((command) =>
      Object.keys(command.options ?? {}),
    );
    for (const option of ["timeout", "notify-on-delivery", "notify-after", ...options])
      expect(text).toContain(`--${option}`);
  });

  it("every option that has to do with routing", () => {
    const { text } = readPage("docs/routing.md");
    const routing = ["inbox", "sub", "listen", "unmatched", "export", "agent"];
    const options = COMMANDS.filter(({ name }) => routing.includes(name)).flatMap((command) =>
      [command, ...(command.subcommands ?? [])].flatMap((each) => Object.keys(each.options ?? {})),
    );
    // Automatic turns have a page of their own.
    const turns = readPage("docs/automatic-turns.md").text;
    const isElsewhere = (option: string) => ["auto-run", "set"].includes(option);
    for (const option of ["command", "payload", "source", "external-id", "from", ...options])
      expect(isElsewhere(option) ? turns : text).toContain(`--${option}`);
  });

  it("every exit status", () => {
    const { text } = readPage("docs/scripting.md");
    const listed = [...text.matchAll(/^\| (\d) \| /gm)].map((found) => Number(found[1]));
    expect(listed).toEqual(Object.values(EXIT));
  });
});

describe.each([
  ["demo.svg", "proven by"],
  ["phone.svg", "Approve"],
  ["webhooks.svg", "issues opened: Login fails on Safari"],
])("docs/%s", (name, shown) => {
  const path = join(ROOT, "docs", name);

  it("is small, stands alone, and shows nothing of the machine it was made on", () => {
    const svg = readFileSync(path, "utf8");
    expect(statSync(path).size).toBeLessThan(40 * 1024);
    expect(svg).not.toMatch(/bh-demo|bh-rehearsal|href|url\(|<script|@import/);
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(svg).toContain(shown);
  });
});
