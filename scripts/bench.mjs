// npm run bench: installs what is missing, builds, and measures. Takes --quick (under a minute), --json and
// --only ROWS; see bench/README.md.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureCommands, ensureNode, ensurePackages, installCommands, root, run } from "./ensure.mjs";

ensureNode();
ensurePackages();
ensureCommands({ tmux: "tmux" });
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const isAsked = (group) => only === undefined || only.split(",").includes(group);
if (!process.argv.includes("--against") && (isAsked("publish") || isAsked("publish-official"))) {
  const servers = { "nats-server": "nats-server", mosquitto: "mosquitto", "redis-server": "redis-server" };
  const advice = installCommands(servers);
  if (advice !== undefined) console.error(`The rows against other brokers are left out. ${advice}`);
}
if (!process.argv.includes("--against") && isAsked("publish-official")) {
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
// Its messages go to stderr: stdout is for the figures.
if (!run(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: ["ignore", 2, 2] }))
  process.exit(1);

const { rolldown } = await import("rolldown");

// Inside the project, so that packages that are not bundled are found in its node_modules.
const folder = join(root, "node_modules", ".cache", `bellhop-bench-${process.pid}`);
const bundle = await rolldown({
  input: join(root, "bench", "main.ts"),
  platform: "node",
  external: [/^node:/, /^@photostructure\//, /^pino$/],
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
await bundle.write({ dir: folder, format: "esm", entryFileNames: "bench.mjs" });
await bundle.close();

// A company's extra certificates cost every start of Node 20 some 45 ms, which is not our cost.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const { status } = spawnSync(process.execPath, [join(folder, "bench.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env,
});
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
