// Two scripted agents and a scripted typist in a private tmux: a message is held while someone types, then delivered,
// and the unsent text is there again. Everything is real except the agents and the typist.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pty from "@lydell/node-pty";

const here = dirname(fileURLToPath(import.meta.url));
const bellhopFile = join(here, "..", "bin", "bellhop.cjs");
const agentFile = join(here, "scripted-agent.mjs");

const CONFIG = `
http: { port: 0 }
delivery: { input_poll_interval: 0.5, input_stale_timeout: 5 }
${readFileSync(join(here, "scripted-agent.yaml"), "utf8")}`;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bold = (text) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
const say = (text) => console.log(`\n${bold(text)}`);

export async function tellStory() {
  const folder = mkdtempSync(join(tmpdir(), "bh-demo-"));
  const home = join(folder, "home");
  const socket = join(folder, "tmux");
  const environment = { ...process.env, BELLHOP_HOME: home };
  for (const name of ["TMUX", "TMUX_PANE", "BELLHOP_SESSION_ID"]) delete environment[name];
  // The demo must not see anybody's own agents.
  environment.TMUX_TMPDIR = folder;
  const tmux = (...args) =>
    execFileSync("tmux", ["-S", socket, ...args], { env: environment, encoding: "utf8" });
  const bellhop = (...args) => {
    const result = spawnSync(process.execPath, [bellhopFile, ...args], {
      env: environment,
      encoding: "utf8",
    });
    if (result.status !== 0) throw new Error(`bellhop ${args.join(" ")}: ${result.stderr}`);
    return result.stdout;
  };
  const tell = (...args) => {
    console.log(
      `$ bellhop ${args.map((arg) => (/[^\w/.-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}`,
    );
    process.stdout.write(bellhop(...args));
  };
  const screen = () => {
    const lines = tmux("capture-pane", "-p", "-t", "demo:0.0")
      .trimEnd()
      .split("\n")
      .filter((line) => line.trim() !== "");
    console.log(lines.map((line) => `   │ ${line}`).join("\n"));
  };
  const until = async (what, question) => {
    for (let look = 0; look < 300; look += 1) {
      if (question()) return;
      await sleep(100);
    }
    throw new Error(`the demo waited in vain: ${what}`);
  };
  let typist;
  try {
    for (const name of ["coder", "reviewer"]) mkdirSync(join(folder, name));
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "config.yaml"), `${CONFIG}tmux: { servers: [${JSON.stringify(socket)}] }\n`);
    const start = (name) => ["-c", join(folder, name), process.execPath, agentFile, "--name", name];
    tmux("-f", "/dev/null", "new-session", "-d", "-s", "demo", "-x", "100", "-y", "24", ...start("coder"));
    tmux("split-window", "-h", "-d", "-t", "demo:0", ...start("reviewer"));
    say("Two agents run in a private tmux. Watch them from another terminal:");
    console.log(`   tmux -S ${socket} attach -r`);
    tell("up");
    await until("both to be idle", () =>
      JSON.parse(bellhop("ls", "--json")).every(({ readiness }) => readiness === "idle"),
    );
    tell("ls");

    say("Someone types into the coder's terminal, and stops in the middle of a sentence.");
    typist = pty.spawn("tmux", ["-S", socket, "attach", "-t", "demo"], {
      cols: 100,
      rows: 24,
      env: environment,
    });
    typist.onData(() => {});
    await until("the typist to be attached", () =>
      tmux("list-clients", "-F", "#{client_pid}").includes(String(typist.pid)),
    );
    for (const character of "I want to explain the prob") {
      typist.write(character);
      await sleep(40);
    }
    await until("the text on the screen", () =>
      tmux("capture-pane", "-p", "-t", "demo:0.0").includes("explain the prob"),
    );
    screen();

    say("The reviewer writes to the coder. The message is safe on disk, and held.");
    tell("send", "coder", "The tests are green. Ready when you are.", "--from", "reviewer");
    const { messageId } = JSON.parse(bellhop("queue", "--json"))[0];
    const id = JSON.parse(bellhop("show", messageId, "--json")).message.shortId;
    await until("the hold", () => JSON.parse(bellhop("queue", "--json"))[0]?.hold?.reason === "typing");
    tell("queue");

    say(
      "Nobody touches the keyboard for five seconds: the text is set aside, the message goes in, the text comes back.",
    );
    const state = () => JSON.parse(bellhop("show", id, "--json")).deliveries[0].state;
    await until("the delivery", () => state() === "delivered");
    await until("the text to be back", () =>
      /> I want to explain the prob$/m.test(tmux("capture-pane", "-p", "-t", "demo:0.0")),
    );
    screen();

    say("What became of the message, with its receipts:");
    tell("show", id);
    say("The coder answers over the same way, and the first message counts as answered.");
    tell("reply", id, "Thanks, merging.", "--from", "coder");
    await until("the answer", () =>
      tmux("capture-pane", "-p", "-t", "demo:0.1").replaceAll(/\s/g, "").includes("merging."),
    );
    tell("show", id);
    say("That is the whole of it: nothing was typed into, nothing was lost.");
    return 0;
  } finally {
    typist?.kill();
    spawnSync(process.execPath, [bellhopFile, "down"], { env: environment });
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  }
}
