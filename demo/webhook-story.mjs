// GitHub tells Bellhop of a new issue, and a scripted agent reads it. Everything is real except GitHub and the agent;
// nothing of it is left afterwards.
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const bellhopFile = join(here, "..", "bin", "bellhop.cjs");
const agentFile = join(here, "scripted-agent.mjs");
const SECRET = "a long random text";
const ISSUE = {
  action: "opened",
  issue: { number: 12, title: "Login fails on Safari" },
  repository: { full_name: "acme/shop" },
  sender: { login: "ada" },
};

const folder = mkdtempSync(join(tmpdir(), "bh-demo-"));
const home = join(folder, "home");
const environment = { ...process.env, BELLHOP_HOME: home, TMUX_TMPDIR: folder };
for (const name of ["TMUX", "TMUX_PANE", "BELLHOP_SESSION_ID"]) delete environment[name];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => console.log(`\n\x1b[1m${text}\x1b[0m`);

async function bellhop(args, stdin = "") {
  const child = spawn(process.execPath, [bellhopFile, ...args], { env: environment, cwd: folder });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.end(stdin);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`bellhop ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** `hidden`: options that only the story needs. */
async function tell(args, { hidden = [], stdin } = {}) {
  const shown = args.map((arg) => (/[^\w/.-]/.test(arg) ? JSON.stringify(arg) : arg));
  console.log(`$ bellhop ${shown.join(" ")}`);
  process.stdout.write(await bellhop([...args, ...hidden], stdin));
}

async function until(what, isSo) {
  for (let look = 0; look < 300; look += 1) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error(`the story waited in vain: ${what}`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** As GitHub sends it, and what it is answered. */
async function post(port, secret) {
  const body = JSON.stringify(ISSUE);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const { status } = await fetch(`http://127.0.0.1:${port}/webhooks/github`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-hub-signature-256": `sha256=${signature}`,
    },
    body,
  });
  console.log(`POST /webhooks/github, X-GitHub-Event: issues → ${status}`);
}

async function tellStory() {
  mkdirSync(home, { mode: 0o700 });
  const profile = readFileSync(join(here, "scripted-agent.yaml"), "utf8");
  writeFileSync(join(home, "config.yaml"), `http: { port: 0 }\n${profile}`);
  await bellhop(["run", "--detach", "--name", "api", "--", process.execPath, agentFile, "--name", "api"]);
  const agent = async () => JSON.parse(await bellhop(["ls", "--json"]))[0];
  await until("the agent", async () => (await agent())?.readiness === "idle");

  say("You connect GitHub with a secret, and subscribe an agent to what it tells.");
  const port = await freePort();
  const secret = { stdin: SECRET, hidden: ["--secret", "-", "--port", String(port)] };
  await tell(["bridge", "add", "webhook", "--service", "github"], secret);
  await tell(["sub", "add", "api", "webhook/github/**"]);

  say("Somebody opens an issue. GitHub signs the event, and Bellhop writes it down before it answers.");
  await post(port, SECRET);
  say("The agent reads it when it is ready.");
  await until("the event", async () => (await bellhop(["peek", "api"])).includes("characters."));
  const screen = (await bellhop(["peek", "api"])).split("\n").filter((line) => line.trim() !== "");
  console.log(screen.map((line) => `   │ ${line.trimEnd()}`).join("\n"));
  await tell(["history", "api"]);

  say("The same event again is known, and one with another signature is refused.");
  await post(port, SECRET);
  await post(port, "a guess");
  await tell(["bridge", "status"]);
}

try {
  await tellStory();
} finally {
  spawnSync(process.execPath, [bellhopFile, "stop", "api", "--grace", "0s"], { env: environment });
  spawnSync(process.execPath, [bellhopFile, "down"], { env: environment });
  rmSync(folder, { recursive: true, force: true });
}
