/** docs/hosted.md, followed word for word: real hosts and a real daemon; only Claude Code and Codex are scripted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SESSION_VARIABLES, WINDOW_VARIABLES } from "../../src/core/rights/child-environment.ts";
import { FRAME_LIMITS } from "../../src/wire/host/frames.ts";
import { AttachedPerson } from "../rig/attached-person.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { fencesIn, inlineCodeIn, readPage } from "./pages.ts";

const page = readPage("docs/hosted.md");
const DETACH = "\x1cd";

let tmux: TmuxServer;
let bellhop: Bellhop;
let folder: string;
let environment: Record<string, string>;

beforeEach(async () => {
  tmux = startTmuxServer();
  folder = mkdtempSync(join(tmpdir(), "bh-page-"));
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
    env: { TMUX_TMPDIR: folder },
  });
  await bellhop.start();
  const bin = bellhopOnPath(join(folder, "bin"));
  for (const name of ["claude", "codex"]) {
    // As in the real programs, a turn takes a moment: without a sign of work, Bellhop never says that it ended.
    const script = [...scriptedCommand(name, join(folder, `${name}.jsonl`)), "--busy", "2"].join(" ");
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${script}\n`, { mode: 0o755 });
  }
  const pane = await tmux.newSession({ name: "mine", command: ["sleep", "600"], cwd: folder });
  const path = [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  environment = { ...bellhop.env, PATH: path, TMUX: `${tmux.socket},1,0`, TMUX_PANE: pane };
  mkdirSync(join(folder, "shop"));
});

afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
  rmSync(folder, { recursive: true, force: true });
});

it("can be followed step by step", async () => {
  const lines = fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean));
  expect(lines.length).toBeGreaterThan(12);
  for (const line of lines) {
    const attaches = /^bellhop (?:attach|run --name)/.test(line);
    if (attaches) await sitAndLeave(line);
    else await typed(line);
  }
  const { stdout } = await bellhop.run(["ls"]);
  for (const name of ["coder", "tester", "writer", "reviewer", "runner", "web"])
    expect(stdout).toContain(name);
});

/** At a terminal: sees it, and leaves it running. */
async function sitAndLeave(line: string): Promise<void> {
  const settings = join(folder, "settings");
  rmSync(settings, { force: true });
  const env = { ...environment, TERM: "xterm-256color" };
  const person = new AttachedPerson(["bash", "-c", `cd ${folder}/shop && ${line}`], SIZE, env, settings);
  try {
    await person.sees("coder");
    await person.sees(/❯|watching/);
    person.type(DETACH);
    expect(await person.exited).toBe(0);
  } finally {
    person.close();
  }
}

const SIZE = { cols: 100, rows: 30 };

/** In a shell; a command that keeps running is ended with Ctrl+C once it has printed something. */
async function typed(line: string): Promise<void> {
  const child = spawn("bash", ["-c", `exec ${line}`], {
    cwd: join(folder, "shop"),
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const closed = once(child, "close");
  if (line.includes("--follow")) {
    await until(() => said.includes("=== coder "), "the first screen");
    child.kill("SIGINT");
  }
  // The scripted program has no conversation that could be resumed or read.
  const status = /^bellhop (?:resume|transcript) /.test(line) ? 1 : 0;
  expect([line, ...(await closed)], said).toEqual([line, status, null]);
}

it("names every variable that is taken out, and the largest frame", () => {
  const code = inlineCodeIn(page);
  const dropped = [...SESSION_VARIABLES, ...WINDOW_VARIABLES];
  expect(dropped.filter((name) => !code.includes(name))).toEqual([]);
  expect(page.text).toContain(`at most ${FRAME_LIMITS.payloadBytes / 1024 / 1024} MiB`);
});
