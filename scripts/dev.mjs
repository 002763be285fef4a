// npm run dev: a daemon with its own home and tmux, two scripted agents in it, and its log in readable form. Rebuilds and
// restarts the daemon when src/ changes; the agents stay. Ctrl+C leaves nothing behind.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, ensureCommands, ensureNode, ensurePackages, root } from "./ensure.mjs";

const SETTLE_MS = 200;
const AGENTS = ["coder", "reviewer"];
const CONFIG = `http: { port: 0 }
delivery: { input_poll_interval: 1, input_stale_timeout: 20 }
${readFileSync(join(root, "demo", "scripted-agent.yaml"), "utf8")}`;

ensureNode();
ensurePackages();
ensureCommands({ tmux: "tmux" });
build();

const folder = mkdtempSync(join(tmpdir(), "bh-dev-"));
const home = join(folder, "home");
const socket = join(folder, "tmux");
// Separate from the tmux servers in which the developer's own agents run.
const environment = { ...process.env, BELLHOP_HOME: home, TMUX_TMPDIR: folder };
for (const name of ["TMUX", "TMUX_PANE", "BELLHOP_SESSION_ID"]) delete environment[name];
const bellhop = join(root, "bin", "bellhop.cjs");
const tell = (text) => console.log(`dev: ${text}`);

let daemon;
let log;
let watchers = [];
/** One at a time: a restart must not overtake the one before it, nor the end. */
let work = Promise.resolve();
let state = "running";

// Before anything that would have to be cleaned up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, leave);
try {
  openStage();
  startDaemon();
  log = spawn(process.execPath, [bellhop, "logs", "-f", "-n", "0"], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  watchSources();
  invite();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
  leave();
}

function openStage() {
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), `${CONFIG}tmux: { servers: [${JSON.stringify(socket)}] }\n`);
  const agent = (name) => {
    mkdirSync(join(folder, name));
    const file = join(root, "demo", "scripted-agent.mjs");
    return ["-c", join(folder, name), process.execPath, file, "--name", name];
  };
  const [first, ...others] = AGENTS;
  tmux("-f", "/dev/null", "new-session", "-d", "-s", "dev", "-x", "160", "-y", "40", ...agent(first));
  for (const name of others) tmux("split-window", "-h", "-d", "-t", "dev:0", ...agent(name));
}

function tmux(...args) {
  return execFileSync("tmux", ["-S", socket, ...args], { env: environment, timeout: 10_000 });
}

function startDaemon() {
  const child = spawn(process.execPath, [bellhop, "up", "--foreground"], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  child.once("exit", (status, signal) => {
    if (child === daemon && state === "running") {
      tell(`the daemon ended (${signal ?? `status ${status}`}); it starts again with the next change`);
    }
  });
  daemon = child;
}

function invite() {
  console.log(`
  export BELLHOP_HOME=${home}
  node bin/bellhop.cjs ls
  node bin/bellhop.cjs send coder "hello" --from reviewer
  tmux -S ${socket} attach            # in a prompt: [[busy 5]] works, [[ask]] asks, [[exit]] ends

Ctrl+C ends the daemon and both agents.
`);
}

function watchSources() {
  let settling;
  const changed = (_event, name) => {
    if (name === null || !/\.(?:tsx?|css)$/.test(name) || name.endsWith(".test.ts")) return;
    clearTimeout(settling);
    settling = setTimeout(() => {
      work = work.then(() => renew(name));
    }, SETTLE_MS);
  };
  watchers = ["src", "web"].map((folder) => watch(join(root, folder), { recursive: true }, changed));
}

async function renew(name) {
  if (state !== "running") return;
  tell(`${name} changed`);
  const builder = spawn(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  const [status] = await once(builder, "exit");
  if (state !== "running") return;
  if (status !== 0) {
    tell("the build failed; the daemon before it goes on");
    return;
  }
  const before = daemon;
  daemon = undefined;
  await end(before);
  startDaemon();
}

/** A second Ctrl+C during it changes nothing. */
function leave() {
  if (state === "leaving") return;
  state = "leaving";
  for (const watcher of watchers) watcher.close();
  void work.then(cleanUp, cleanUp);
}

async function cleanUp() {
  await end(daemon);
  await end(log);
  spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore", timeout: 10_000 });
  rmSync(folder, { recursive: true, force: true });
  tell("everything is cleaned up");
}

async function end(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
