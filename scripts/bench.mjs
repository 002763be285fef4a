// npm run bench: installs what is missing, builds, and measures. `npm run bench -- --help` lists the options; see
// bench/README.md.
import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { onStop, spawnContained } from "./contain.mjs";
import { ensureCommands, ensureNode, ensurePackages, installCommands, root, run } from "./ensure.mjs";
import { newerNats } from "./newer-nats.mjs";

ensureNode();
ensurePackages();

// Inside the project, so that packages that are not bundled are found in its node_modules.
const folder = join(root, "node_modules", ".cache", `bellhop-bench-${process.pid}`);
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await bundle();

const words = process.argv.slice(2);
const { readOptions, HELP } = await import(join(folder, "options.mjs"));
const asked = readOptions(words);
if (asked.kind === "help") {
  process.stdout.write(HELP);
  process.exit(0);
}
if (asked.kind === "wrong") {
  process.stderr.write(asked.why);
  process.exit(2);
}

const { plan } = asked;
ensureCommands({ tmux: "tmux" });
if (plan.groups.includes("page")) installCommands({ chromium: "chromium" });
const path = preparePeers();
// Its messages go to stderr: stdout is for the figures.
if (!run(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: ["ignore", 2, 2] }))
  process.exit(1);
process.exitCode = await measure();

async function bundle() {
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: { bench: join(root, "bench", "main.ts"), options: join(root, "bench", "options.ts") },
    platform: "node",
    external: [/^node:/, /^@photostructure\//, /^playwright-core/],
    transform: { define: { BELLHOP_VERSION: '"bench"' } },
    plugins: [
      {
        // A module finds the files next to its source, not next to its bundle.
        name: "own-address",
        transform: (code, id) =>
          code.includes("import.meta.url")
            ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            : undefined,
      },
    ],
  });
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" });
  await made.close();
}

/** Other brokers and their clients, if they are measured; returns where to look for commands. */
function preparePeers() {
  const isAsked = (group) =>
    plan.extent !== "smoke" && plan.against === undefined && plan.groups.includes(group);
  if (!isAsked("publish") && !isAsked("publish-official")) return process.env.PATH;
  const servers = { "nats-server": "nats-server", mosquitto: "mosquitto", "redis-server": "redis-server" };
  const advice = installCommands(servers);
  if (advice !== undefined) console.error(`The rows against other brokers are left out. ${advice}`);
  if (isAsked("publish-official")) installClients();
  const newer = newerNats();
  return newer === undefined ? process.env.PATH : [newer, process.env.PATH].join(delimiter);
}

function installClients() {
  const peers = join(root, "bench", "rig", "peers", "official");
  const install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
  if (
    !existsSync(join(peers, "node_modules")) &&
    !run("npm", install, { cwd: peers, stdio: ["ignore", 2, 2] })
  )
    console.error(
      "npm could not install the clients of other brokers: the rows with official clients will fail.",
    );
}

/** Whatever becomes of it, no daemon, tmux server or broker outlives it. */
function measure() {
  // A company's extra certificates cost every start of Node 20 some 45 ms, which is not our cost.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = { ...process.env, PATH: path };
  const command = [process.execPath, join(folder, "bench.mjs"), ...words];
  const { child, stop } = spawnContained(command, { stdio: "inherit", env });
  onStop(() => {
    stop();
    process.exit(1);
  });
  return new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
