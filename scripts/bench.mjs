// npm run bench: installs what is missing, builds, and measures. `npm run bench -- --help` lists the options; see
// bench/README.md.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bundled } from "./bundle-bench.mjs";
import { onStop, spawnContained } from "./contain.mjs";
import { ensureCommands, ensureNode, ensurePackages, installCommands, root, run } from "./ensure.mjs";
import { newerNats } from "./newer-nats.mjs";

ensureNode();
ensurePackages();

const folder = await bundled({ bench: "bench/main.ts", options: "bench/options.ts" });

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

/** Other brokers and their clients, if they are measured; returns where to look for commands. */
function preparePeers() {
  const isAsked = (group) =>
    plan.extent !== "smoke" && plan.against === undefined && plan.groups.includes(group);
  const isPublish = isAsked("publish") || isAsked("publish-official");
  if (!isPublish && !isAsked("hosts")) return process.env.PATH;
  const brokers = { mosquitto: "mosquitto", "redis-server": "redis-server" };
  const servers = { "nats-server": "nats-server", ...(isPublish ? brokers : {}) };
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
