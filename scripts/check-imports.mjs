// Imports point one way. A file may import from its own room and from those its rule names; the pure rooms stay pure,
// what starts often loads nothing heavy, and there are no circles. Fails with one line per violation.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./ensure.mjs";

const source = join(root, "src");
/** The dashboard's page, whose rooms are named "web/…". */
const page = join(root, "web", "src");

const CONTRACTS = ["core", "screens", "ports", "wire/shapes", "wire/verbs"];

/** Each room may import those before it. */
const OFFICE = [
  "base",
  "presence",
  "broker",
  "arrivals",
  "typing",
  "delivery",
  "views",
  "accept",
  "sending",
  "time",
  "signals",
  "hosting",
  "screens",
  "turns",
  "outside",
  "cluster",
  "desk",
  "web",
  "verbs",
].map((room) => `office/${room}`);

/** What every connection needs, whatever its protocol; authentication; then a room for each door. */
const DOORS = ["caller", "auth", "web", "unix", "http", "ws"].map((room) => `doors/${room}`);

/** The rooms of the page. What they load of the daemon's code is in every browser, so it is pure and small. */
const PAGE = [
  ...["worker", "ui", "places", "connection", "board", "acting", "overview", "writing", "conversation"],
  ...["terminal", "agent", "attention", "broker", "upkeep", "settings", "starting", "palette"],
].map((room) => `web/${room}`);
const PAGE_IMPORTS = ["core", "wire/shapes", "web/strings.ts"];

/** One folder for each agent program; none may import another. */
const PROGRAMS = readdirSync(join(source, "programs"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "transcripts")
  .map(({ name }) => `programs/${name}`);
const PROGRAM_IMPORTS = [
  ...["core", "screens", "ports", "hooks", "wire/version.ts", "system/starting.ts", "programs/transcripts"],
  // The building blocks of all readers.
  ...[
    "headless",
    "installed-version",
    "own-folder",
    "process-files",
    "program",
    "program-process",
    "resumed-command",
    "screen-reading",
    "strokes",
    "work-sign",
  ].map((name) => `programs/${name}.ts`),
];

/** One folder for each outside channel; none may import another. */
const BRIDGES = ["telegram", "slack", "email", "webhook", "imessage"].map((name) => `bridges/${name}`);
const BRIDGE_IMPORTS = [
  "core",
  "ports",
  "system/starting.ts",
  "system/resting.ts",
  "bridges/fields.ts",
  "bridges/reconnecting.ts",
];

const upTo = (rooms, shared) =>
  Object.fromEntries(rooms.map((room, index) => [room, [...shared, ...rooms.slice(0, index)]]));

/** Folder (or file) → what it may import besides itself. */
const RULES = {
  core: [],
  screens: ["core"],
  ports: ["core"],
  "wire/shapes": ["core"],
  "wire/verbs": ["core", "wire/shapes", "wire/host"],
  "wire/host": ["core", "ports"],
  wire: ["core"],
  ...upTo(OFFICE, CONTRACTS),
  // It reads what other hosts wrote, by the schemas of that, and says which version it has.
  "office/cluster": [
    ...[...CONTRACTS, ...OFFICE.slice(0, OFFICE.indexOf("office/cluster"))],
    ...["wire/cluster", "wire/version.ts"],
  ],
  "office/rooms.ts": [...CONTRACTS, ...OFFICE],
  "office/office.ts": [...CONTRACTS, ...OFFICE, "office/rooms.ts"],
  system: ["core", "ports"],
  processes: ["core", "ports"],
  store: ["core", "ports", "system/sqlite-driver.ts"],
  home: ["core"],
  config: ["core", "ports"],
  push: ["core", "ports"],
  hooks: ["core", "ports", "wire"],
  ...Object.fromEntries(PROGRAMS.map((folder) => [folder, PROGRAM_IMPORTS])),
  // Its conversations are in a database.
  "programs/opencode": [...PROGRAM_IMPORTS, "system/sqlite-driver.ts"],
  programs: ["core", "screens", "ports", "hooks"],
  terminals: ["core", "screens", "ports", "wire", "system/executables.ts", "system/starting.ts"],
  "terminals/pty/host/main.ts": ["core", "screens", "processes", "terminals/pty", "wire"],
  ...Object.fromEntries(BRIDGES.map((folder) => [folder, BRIDGE_IMPORTS])),
  // It reads the database of Messages.
  "bridges/imessage": [...BRIDGE_IMPORTS, "system/sqlite-driver.ts"],
  bridges: ["core", "ports"],
  // Loads each of them only when it is made.
  "bridges/makers.ts": ["core", "ports", "config/bridges.ts", "bridges"],
  cluster: ["core", "ports", "system/resting.ts"],
  client: ["core", "wire", "home", "system/starting.ts"],
  mcp: ["core", "wire", "client", "home"],
  ...upTo(DOORS, ["core", "ports", "wire", "mcp"]),
  attach: ["core", "screens", "wire", "client"],
  cli: [
    "core",
    "wire",
    "client",
    "attach",
    "home",
    "processes",
    "config",
    "hooks",
    "programs/index.ts",
    "mcp/stdio.ts",
    // To read captured screens.
    ...["screens", "programs/profile-registry.ts", "terminals/tmux/screen/parser.ts"],
    // To try a bridge before it is configured.
    ...["bridges/makers.ts", "ports/bridge.ts", "ports/clock.ts", "ports/log.ts", "system/clock.ts"],
    // To rehearse one.
    ...BRIDGES.map((folder) => `${folder}/rehearsal`),
    "terminals/tmux/control/tmux-program.ts",
    "system/executables.ts",
  ],
  daemon: ["*"],
  "web/strings.ts": ["core"],
  "web/styles.d.ts": [],
  ...upTo(PAGE, PAGE_IMPORTS),
  // Its copy of a screen must draw like the host's.
  "web/terminal": ["screens", ...PAGE_IMPORTS, ...PAGE.slice(0, PAGE.indexOf("web/terminal"))],
  "web/app.tsx": [...PAGE_IMPORTS, ...PAGE],
  "web/main.tsx": [...PAGE_IMPORTS, ...PAGE, "web/app.tsx"],
};

/** Rooms that decide and never act. */
const PURE = ["core", "screens", "ports", ...OFFICE, "office/rooms.ts", "office/office.ts"];
/** Likewise the files that know a program's screens, processes and session files. */
const PURE_FILES =
  /^programs\/\w+\/(?:(?:composer|dialog|headless|process|profile|screen|signs|versions)|transcript\/\w+)\.ts$/;

/** Packages whose types they may import nevertheless, because no code is loaded. */
const TYPES = { screens: ["@xterm/headless", "@xterm/addon-serialize"] };

/** These load only types of heavy packages, even indirectly: the office only decides, and a `send` must be quick. */
const LIGHT = ["office", "client", "cli", "attach", "terminals", "web"];
const HEAVY = ["zod"];
/** Loaded only when it is used, by a file of its own room that is light. */
const LOADED_LATER = /^office\/cluster\/(?!(?:room|withdrawing)\.ts)/;

const IMPORTS =
  /^(?:import|export)\s(type\s)?[^;=()]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith(".test.ts")) yield path;
  }
}

/** As the rules name it. */
const nameOf = (path) =>
  path.startsWith(`${page}/`) ? join("web", relative(page, path)) : relative(source, path);
const place = (path) => {
  const name = nameOf(path);
  return Object.keys(RULES)
    .filter((rule) => name === rule || name.startsWith(`${rule}/`))
    .sort((a, b) => b.length - a.length)[0];
};
const within = (path, rule) => rule === "*" || nameOf(path) === rule || nameOf(path).startsWith(`${rule}/`);

const offences = [];
const imports = new Map();
const loads = new Map();
for (const file of [...files(source), ...files(page)]) {
  const home = place(file);
  const name = relative(root, file);
  if (home === undefined) {
    offences.push(`${name}: no rule names this place; add one to scripts/check-imports.mjs`);
    continue;
  }
  const text = readFileSync(file, "utf8");
  const targets = [];
  imports.set(file, targets);
  loads.set(file, []);
  for (const [, type, stated, bare, later] of text.matchAll(IMPORTS)) {
    const specifier = stated ?? bare ?? later;
    const isLoaded = type === undefined && later === undefined;
    if (isLoaded)
      loads.get(file).push(specifier.startsWith(".") ? resolve(dirname(file), specifier) : specifier);
    if (!specifier.startsWith(".")) {
      const isPure = PURE.includes(home) || PURE_FILES.test(relative(source, file));
      const isType = type !== undefined && (TYPES[home] ?? []).includes(specifier);
      if (isPure && !isType) offences.push(`${name}: it is pure and may not import "${specifier}"`);
      continue;
    }
    const target = resolve(dirname(file), specifier);
    targets.push(target);
    const allowed = [home, ...RULES[home]];
    if (!allowed.some((rule) => within(target, rule)))
      offences.push(`${name}: ${home} may not import ${nameOf(target)}`);
  }
}

const clear = new Set();
function walk(file, way) {
  if (clear.has(file)) return;
  if (way.includes(file)) {
    const circle = [...way.slice(way.indexOf(file)), file].map(nameOf);
    offences.push(`imports go in a circle: ${circle.join(" → ")}`);
    return;
  }
  for (const target of imports.get(file) ?? []) walk(target, [...way, file]);
  clear.add(file);
}
for (const file of imports.keys()) walk(file, []);

/** The chain of imports by which a file loads a heavy package, if it does. */
function wayToHeavy(file, seen = new Set()) {
  seen.add(file);
  for (const target of loads.get(file) ?? []) {
    if (HEAVY.includes(target)) return [file, target];
    const way = seen.has(target) ? undefined : wayToHeavy(target, seen);
    if (way !== undefined) return [file, ...way];
  }
  return undefined;
}
for (const file of loads.keys()) {
  if (!LIGHT.some((room) => within(file, room)) || LOADED_LATER.test(nameOf(file))) continue;
  const way = wayToHeavy(file);
  if (way === undefined) continue;
  const named = way.map((path) => (HEAVY.includes(path) ? path : nameOf(path)));
  offences.push(`${named[0]}: it may not load ${named.at(-1)}: ${named.join(" → ")}`);
}

for (const offence of offences) console.error(offence);
process.exitCode = offences.length === 0 ? 0 : 1;
