/**
 * Bundles the command line and the daemon (CommonJS, which V8 can keep compiled: they start faster), the MCP server
 * and the client library into dist/, and packs the dashboard's page into dist/web.
 * `--only command-line` and `--out FOLDER` are for tests; `--types` adds the type declarations of the package.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { rolldown } from "rolldown";
import { WebSocket } from "ws";
import { fileAsText } from "./file-as-text.mjs";
import { packPage } from "./pack-page.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { only: { type: "string" }, out: { type: "string" }, types: { type: "boolean" } },
});
const out = resolve(values.out ?? join(root, "dist"));
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
// Zod is bundled: installed as a package it brings forty languages, ten megabytes that nothing here uses.
const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) => name !== "zod");

const isOneOf = (names, id) => names.some((name) => id === name || id.startsWith(`${name}/`));
const shared = {
  cwd: root,
  platform: "node",
  external: (id) => id.startsWith("node:") || isOneOf(dependencies, id),
  transform: { target: "node20.19", define: { BELLHOP_VERSION: JSON.stringify(manifest.version) } },
  logLevel: "warn",
  plugins: [fileAsText()],
  // The daemon always contains what the command line loads only when needed.
  checks: { ineffectiveDynamicImport: false },
};

const NATIVE = ["@photostructure/sqlite", "@lydell/node-pty"];
/** What fastify loads only for things that we do not use: schemas of its own, a log of its own, calls without a socket. */
const UNUSED = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "pino", "light-my-request"];

/** For code that is read at every start: without white space, but with its names, for debugging. */
const SMALLER = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/**
 * A part that is loaded only when it is needed must not become the home of what all parts share. Only for the command
 * line: of a CommonJS library inside the bundle, rolldown 1.2 then makes a part that uses a name it does not have.
 */
const UNMERGED = { chunkOptimization: { mergeCommonChunks: false } };

const bundles = [
  {
    name: "command-line",
    input: { bellhop: "src/cli/main.ts" },
    experimental: UNMERGED,
    // Chunks are in the same folder as the entry, which finds the daemon in its own folder.
    output: {
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "cli-[name].cjs",
      // One file for all that is needed at every start: each further one costs its opening, reading and checking.
      codeSplitting: { groups: [{ name: "main", tags: ["$initial"] }] },
      minify: SMALLER,
    },
  },
  {
    name: "daemon",
    input: { daemon: "src/daemon/main.ts" },
    // Everything except native code is bundled: finding and compiling hundreds of files took most of the start.
    external: (id) => id.startsWith("node:") || isOneOf([...NATIVE, ...UNUSED], id),
    output: {
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "daemon-[name].cjs",
      minify: SMALLER,
      // Code from V8's compile cache cannot use import().
      dynamicImportInCjs: false,
    },
  },
  {
    name: "mcp",
    input: { mcp: "src/mcp/stdio.ts" },
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "mcp-[name].mjs" },
  },
  {
    name: "host",
    input: { host: "src/terminals/pty/host/main.ts" },
    // Not ESM: Node would parse the screen model for its exports, which costs megabytes in every host.
    output: {
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "host-[name].cjs",
      minify: SMALLER,
    },
  },
  {
    name: "attach",
    input: { attach: "src/attach/attach.ts", follow: "src/attach/following/follow.ts" },
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "attach-[name].mjs" },
  },
  {
    name: "client",
    input: { client: "src/client/library.ts" },
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "client-[name].mjs" },
  },
];

const started = performance.now();
const chunks = await Promise.all(
  bundles
    .filter(({ name }) => values.only === undefined || values.only === name)
    .map(async ({ input, output, external = shared.external, experimental = {} }) => {
      const build = await rolldown({ ...shared, external, input, experimental });
      const built = await build.generate({ ...output, sourcemap: false, comments: false });
      await build.close();
      for (const { fileName, code } of built.output) refuseLooseEnds(fileName, code);
      return built.output;
    }),
);
// A build that fails leaves the last good one in place.
const fresh = `${out}.${process.pid}`;
await mkdir(fresh, { recursive: true });
for (const { fileName, code } of chunks.flat()) await writeFile(join(fresh, fileName), inAscii(code));
for (const file of ["run-compiled.cjs", "start-daemon.cjs"])
  await copyFile(join(root, "scripts", "built", file), join(fresh, file));
// For `bellhop bridge rehearse`.
for (const file of [
  "demo/scripted-agent.mjs",
  "demo/scripted-agent.yaml",
  "src/bridges/imessage/rehearsal/osascript.mjs",
])
  await copyFile(join(root, file), join(fresh, basename(file)));
const ofPage = values.only === undefined ? await packPage(join(root, "web"), join(fresh, "web")) : [];
await writeFile(join(fresh, "licenses.txt"), await licensesOf([...chunks.flat(), { moduleIds: ofPage }]));
if (values.only === undefined || values.only === "command-line") await compileCommandLine(fresh);
if (values.only === undefined) await compileDaemon(fresh);
if (values.types) await declareTypes(join(fresh, "types"));
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
process.stdout.write(`built ${out} in ${Math.round(performance.now() - started)} ms\n`);

/** A part that uses one of the bundler's own names without having it fails only when it is loaded, perhaps unseen. */
function refuseLooseEnds(fileName, code) {
  const used = new Set(code.match(/(?<![\w$.])(?:import|require|init)_[\w$]+/g));
  const isDeclared = (name) =>
    new RegExp(`(?:var|let|const|function|as|,|\\{)\\s*${name.replaceAll("$", "\\$&")}(?![\\w$])`).test(code);
  const loose = [...used].filter((name) => !isDeclared(name));
  if (loose.length > 0) throw new Error(`${fileName} uses ${loose.join(", ")}, which it does not have.`);
}

/**
 * V8 keeps the text of a file as long as its code, with two bytes for each letter if a single one is not in Latin-1.
 * Inside strings and regular expressions, the only places for others, an escape means the same.
 */
function inAscii(code) {
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.exec(code);
  if (raw !== null) throw new Error(`an escape would change this: ${raw[0]}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The declarations of what `bellhop/client` exports, with the import paths that a published package needs. */
async function declareTypes(folder) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const settings = [
    "--ignoreConfig",
    "--declaration",
    "--emitDeclarationOnly",
    "--outDir",
    folder,
    "--rootDir",
    "src",
  ];
  const strictness = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
  ];
  const target = [
    "--target",
    "es2023",
    "--lib",
    "es2023,es2024.string",
    "--module",
    "nodenext",
    "--types",
    "node",
  ];
  await promisify(execFile)(
    process.execPath,
    [compiler, "src/client/library.ts", ...settings, ...strictness, ...target],
    { cwd: root, timeout: 120_000 },
  );
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

/** The licences of the packages whose code is in the bundles. */
async function licensesOf(bundled) {
  const folders = bundled
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0])
    .filter((folder) => folder !== undefined);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? `License: ${license}\n` : await readFile(join(folder, file), "utf8");
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n----\n\n");
}

/** Sends one message to a daemon that accepts everything, so that V8 compiles what a `send` needs. */
async function compileCommandLine(folder) {
  const home = await mkdtemp(join(tmpdir(), "bh-build-"));
  await mkdir(join(home, "run"), { mode: 0o700 });
  const server = createServer((socket) => {
    socket.once("data", (line) => {
      const hold = { reason: "busy", since: 1, release: "when its turn ends" };
      const deliveries = [{ id: "d", to: "agent/coder", state: "queued", hold }];
      const result = { message_id: "m", short_id: "a1b2c3", unmatched: false, deliveries };
      const { req_id } = JSON.parse(line.toString());
      socket.write(`${JSON.stringify({ ok: true, req_id, version: manifest.version, result })}\n`);
    });
    socket.on("error", () => {});
  }).listen(join(home, "run", "bellhop.sock"));
  await once(server, "listening");
  try {
    const args = compiling(folder, "bellhop", "send", "coder", "hello");
    await promisify(execFile)(process.execPath, args, { env: { BELLHOP_HOME: home }, timeout: 20_000 });
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Starts the daemon in a temporary home, lets it take a message and stops it, so that V8 compiles what that needs. */
async function compileDaemon(folder) {
  const home = await mkdtemp(join(tmpdir(), "bh-build-"));
  await writeFile(join(home, "config.yaml"), "http: { port: 0 }\n");
  const env = { PATH: process.env.PATH, HOME: home, BELLHOP_HOME: home, TMUX_TMPDIR: home };
  const daemon = spawn(process.execPath, compiling(folder, "daemon"), {
    env,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 30_000,
  });
  const said = [];
  daemon.stderr.on("data", (chunk) => said.push(chunk));
  const ended = once(daemon, "exit");
  const isRunning = () => daemon.exitCode === null && daemon.signalCode === null;
  try {
    const requests = [{ type: "status" }, { type: "send", to: "person/dev", body: "hello" }, { type: "ls" }];
    const [status] = await askEach(join(home, "run", "bellhop.sock"), requests, isRunning);
    if (status !== undefined) await openWebSocket(status.result);
    daemon.kill();
    const [code] = await ended;
    if (code !== 0) throw new Error(`The daemon that was built does not run: ${Buffer.concat(said)}`);
  } finally {
    daemon.kill();
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

/** Sends one request after the other to a daemon that is about to listen; resolves with the answers. */
async function askEach(path, requests, isRunning) {
  const socket = await connected(path, isRunning);
  if (socket === undefined) return [];
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const answers = [];
  for (const request of requests) {
    socket.write(`${JSON.stringify({ ...request, version: manifest.version })}\n`);
    const answer = JSON.parse((await lines.next()).value);
    if (!answer.ok)
      throw new Error(`The daemon that was built refuses "${request.type}": ${answer.error.message}`);
    answers.push(answer);
  }
  socket.destroy();
  return answers;
}

/** Loads what the daemon needs for HTTP and for WebSockets. */
async function openWebSocket({ http, token_file }) {
  const token = (await readFile(token_file, "utf8")).trim();
  const headers = { authorization: `Bearer ${token}` };
  const address = `${http.host}:${http.port}`;
  const { ok } = await fetch(`http://${address}/sessions`, { headers });
  if (!ok) throw new Error("The daemon that was built does not answer over HTTP.");
  const socket = new WebSocket(`ws://${address}/ws`, { headers });
  await once(socket, "open");
  socket.close();
  await once(socket, "close");
}

/** Its path may be bound a moment before it listens. */
async function connected(path, isRunning) {
  while (isRunning()) {
    const socket = connect(path);
    const isThere = await once(socket, "connect").catch(() => undefined);
    if (isThere !== undefined) return socket;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

function compiling(folder, name, ...args) {
  return [join(root, "scripts", "compile-bundle.cjs"), join(folder, `${name}.cjs`), ...args];
}
