/**
 * Bundles the command line (CommonJS, because that starts faster), the daemon, the MCP server and the client
 * library into dist/.
 * `--only command-line` and `--out FOLDER` are for tests; `--types` adds what the package tells a type checker.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { only: { type: "string" }, out: { type: "string" }, types: { type: "boolean" } },
});
const out = resolve(values.out ?? join(root, "dist"));
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
// Zod goes in: alone it brings forty languages along, ten megabytes that nobody speaks here.
const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) => name !== "zod");

const shared = {
  cwd: root,
  platform: "node",
  external: (id) =>
    id.startsWith("node:") || dependencies.some((name) => id === name || id.startsWith(`${name}/`)),
  transform: { target: "node20.19", define: { BELLHOP_VERSION: JSON.stringify(manifest.version) } },
  logLevel: "warn",
};

/** What is read at every start: without its white space, with its names for those who debug. */
const SMALLER = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

const bundles = [
  {
    name: "command-line",
    input: { bellhop: "src/cli/main.ts" },
    // Chunks lie flat beside the entry: it finds the daemon in its own folder.
    output: {
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "cli-[name].cjs",
      minify: SMALLER,
    },
  },
  {
    name: "daemon",
    input: { daemon: "src/daemon-main.ts" },
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "daemon-[name].mjs" },
  },
  {
    name: "mcp",
    input: { mcp: "src/mcp/stdio.ts" },
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "mcp-[name].mjs" },
  },
  {
    name: "host",
    input: { host: "src/host-main.ts" },
    // Not ESM: Node would read through the screen model for its exports, and keep megabytes in every host for it.
    output: {
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "host-[name].cjs",
      minify: SMALLER,
    },
  },
  {
    name: "attach",
    input: { attach: "src/attach/attach.ts", follow: "src/attach/follow.ts" },
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
    .map(async ({ input, output }) => {
      const build = await rolldown({ ...shared, input });
      const built = await build.generate({ ...output, sourcemap: false, comments: false });
      await build.close();
      return built.output;
    }),
);
// A build that fails leaves the last good one in place.
const fresh = `${out}.${process.pid}`;
await mkdir(fresh, { recursive: true });
for (const { fileName, code } of chunks.flat()) await writeFile(join(fresh, fileName), code);
if (values.only === undefined || values.only === "command-line") await compile(fresh);
if (values.types) await declareTypes(join(fresh, "types"));
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
process.stdout.write(`built ${out} in ${Math.round(performance.now() - started)} ms\n`);

/** What `bellhop/client` exports, as declarations. They name their neighbours as a published package must. */
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

/** Sends one message to a daemon that only says yes, so that V8 compiles what a `send` needs. */
async function compile(folder) {
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
    const args = [
      join(root, "scripts", "compile-bundle.cjs"),
      join(folder, "bellhop.cjs"),
      join(folder, "bellhop.compiled"),
    ];
    await promisify(execFile)(process.execPath, args, { env: { BELLHOP_HOME: home }, timeout: 20_000 });
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}
