// The table in docs/programs.md: what the e2e tests with the real programs have proven.
//   node scripts/programs-table.mjs REPORT…          compares the page with vitest's JSON reports of the e2e suite
//   node scripts/programs-table.mjs REPORT… --write  writes it into the page
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./ensure.mjs";

const PAGE = join(root, "docs", "programs.md");
const BEGIN = "<!-- proven: written by scripts/programs-table.mjs -->";
const END = "<!-- /proven -->";

const PROGRAMS = { claude: "Claude Code", codex: "Codex", opencode: "OpenCode", gemini: "Gemini CLI" };
const SCENES = {
  idle: "a message to an idle agent",
  busy: "a `normal` message during a turn",
  draft: "a person's half-written text",
  dialog: "an open permission dialog",
  urgent: "an urgent message during a turn",
  "ten at once": "ten messages at once",
  resume: "a message that waited until the agent came back",
  "the agent replies": "the agent replies, under its default permissions",
};
const RUNGS = ["native", "hook", "paste", "doorbell"];
const TERMINALS = ["tmux", "hosted"];

/** What the tests that passed have proven. */
export function provenIn(reports) {
  return reports
    .flatMap(({ testResults }) => testResults)
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, meta }) => (status === "passed" ? (meta?.proven ?? []) : []));
}

export function tableOf(proven) {
  const programs = Object.keys(PROGRAMS);
  const head = ["", ...programs.map((program) => PROGRAMS[program])];
  const rows = Object.entries(SCENES).map(([scene, said]) => [
    said,
    ...programs.map((program) =>
      cellOf(proven.filter((one) => one.program === program && one.scene === scene)),
    ),
  ]);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Both terminals, unless one is named. */
function cellOf(proven) {
  const said = RUNGS.flatMap((rung) => {
    const here = proven.filter((one) => one.rung === rung);
    return [...new Set(here.map(({ outcome }) => outcome))].toSorted().map((outcome) => {
      const where = TERMINALS.filter((terminal) =>
        here.some((one) => one.outcome === outcome && one.terminal === terminal),
      );
      return `${rung}: ${outcome}${where.length === TERMINALS.length ? "" : ` (${where.join()} only)`}`;
    });
  });
  return said.length === 0 ? "not tried" : said.join("<br>");
}

export function withTable(page, table) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error("docs/programs.md has lost the place of its table.");
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`;
}

/** If the page says anything else than these reports of the e2e suite: that it does, and what it should say. */
export function outdatedPage(reports) {
  const page = readFileSync(PAGE, "utf8");
  const table = tableOf(provenIn(reports));
  return withTable(page, table) === page
    ? undefined
    : `docs/programs.md says something else than what the tests have just proven:\n\n${table}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const words = process.argv.slice(2);
  const paths = words.filter((word) => word !== "--write");
  if (paths.length === 0 || paths.some((path) => path.startsWith("-"))) {
    console.error("usage: node scripts/programs-table.mjs REPORT… [--write]");
    process.exit(2);
  }
  const reports = paths.map((path) => JSON.parse(readFileSync(path, "utf8")));
  if (words.includes("--write")) {
    writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), tableOf(provenIn(reports))));
  } else {
    const sentence = outdatedPage(reports);
    if (sentence !== undefined) console.error(sentence);
    process.exitCode = sentence === undefined ? 0 : 1;
  }
}
