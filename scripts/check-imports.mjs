// Imports point one way. A file may import from its own room and from those its rule names; the pure rooms stay pure,
// and no file imports itself by way of others. Fails with one line per offence.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./ensure.mjs";

const source = join(root, "src");

const CONTRACTS = ["core", "ports", "wire/shapes.ts", "wire/shapes"];

/** Each may import those before it. */
const OFFICE = [
  "base",
  "presence",
  "broker",
  "arrivals",
  "typing",
  "delivery",
  "views",
  "accept",
  "time",
  "signals",
  "hosting",
  "desk",
  "verbs",
].map((room) => `office/${room}`);

/** Folder (or file) → what it may import besides itself. */
const RULES = {
  core: [],
  ports: ["core"],
  "wire/shapes": ["core"],
  "wire/shapes.ts": ["core", "wire/shapes"],
  "wire/host/host.ts": ["core", "ports", "wire/host/packed-screen.ts"],
  wire: ["core"],
  ...Object.fromEntries(OFFICE.map((room, index) => [room, [...CONTRACTS, ...OFFICE.slice(0, index)]])),
  "office/office.ts": [...CONTRACTS, ...OFFICE],
  system: ["core", "ports"],
  processes: ["core", "ports"],
  store: ["core", "ports"],
  terminals: ["core", "ports", "wire", "system/executables.ts", "system/starting.ts"],
  profiles: ["core", "ports"],
  programs: ["core", "ports", "codex"],
  codex: ["core", "ports", "wire/version.ts", "system/starting.ts"],
  inboxes: ["core", "ports", "codex"],
  transcripts: ["core", "ports"],
  hooks: ["core", "ports", "wire", "home/home.ts"],
  mcp: ["core", "wire", "client", "home/home.ts"],
  doors: ["core", "ports", "wire", "mcp"],
  client: ["core", "wire", "home/home.ts", "home/lock-holder.ts", "home/stop-mark.ts", "system/starting.ts"],
  attach: ["core", "wire", "client"],
  cli: [
    "core",
    "wire",
    "client",
    "attach",
    "home/home.ts",
    "home/lock-holder.ts",
    "home/stop-mark.ts",
    "processes",
    "config.ts",
    "config",
    "hooks",
    "home/token.ts",
    "mcp/stdio.ts",
    "terminals/tmux/control/tmux-program.ts",
    "system/executables.ts",
  ],
  "home/home.ts": ["core"],
  "home/token.ts": ["core", "home/home.ts"],
  "daemon/lock.ts": ["core", "home/lock-holder.ts", "store/sqlite"],
  "home/lock-holder.ts": [],
  "home/stop-mark.ts": ["core"],
  config: ["core", "ports"],
  "daemon/compose.ts": ["*"],
  "daemon/main.ts": ["*"],
  "terminals/pty/host/main.ts": ["core", "processes", "terminals/pty", "wire"],
  "daemon/settings.ts": ["core", "ports", "config"],
  "daemon/terminals.ts": ["core", "ports", "config", "home/home.ts", "profiles", "system", "terminals"],
  "daemon/rounds.ts": ["ports", "hooks", "office", "system"],
};

/** Folders that decide and never act. */
const PURE = ["core", "ports", ...OFFICE, "office/office.ts", "profiles"];

const IMPORTS = /^(?:import|export)\s[^;=()]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts")) yield path;
  }
}

const place = (path) => {
  const name = relative(source, path);
  return Object.keys(RULES)
    .filter((rule) => name === rule || name.startsWith(`${rule}/`))
    .sort((a, b) => b.length - a.length)[0];
};
const within = (path, rule) =>
  rule === "*" || relative(source, path) === rule || relative(source, path).startsWith(`${rule}/`);

const offences = [];
const imports = new Map();
for (const file of files(source)) {
  const home = place(file);
  const name = relative(root, file);
  if (home === undefined) {
    offences.push(`${name}: no rule names this place; add one to scripts/check-imports.mjs`);
    continue;
  }
  const text = readFileSync(file, "utf8");
  const targets = [];
  imports.set(file, targets);
  for (const [, stated, bare, loaded] of text.matchAll(IMPORTS)) {
    const specifier = stated ?? bare ?? loaded;
    if (!specifier.startsWith(".")) {
      if (PURE.includes(home)) offences.push(`${name}: ${home} is pure and may not import "${specifier}"`);
      continue;
    }
    const target = resolve(dirname(file), specifier);
    targets.push(target);
    const allowed = [home, ...RULES[home]];
    if (!allowed.some((rule) => within(target, rule)))
      offences.push(`${name}: ${home} may not import ${relative(source, target)}`);
  }
}

const clear = new Set();
function walk(file, way) {
  if (clear.has(file)) return;
  if (way.includes(file)) {
    const circle = [...way.slice(way.indexOf(file)), file].map((path) => relative(source, path));
    offences.push(`imports go in a circle: ${circle.join(" → ")}`);
    return;
  }
  for (const target of imports.get(file) ?? []) walk(target, [...way, file]);
  clear.add(file);
}
for (const file of imports.keys()) walk(file, []);

for (const offence of offences) console.error(offence);
process.exitCode = offences.length === 0 ? 0 : 1;
