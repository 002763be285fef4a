/** `bellhop ls --watch` as users run it, with a daemon that stops and starts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { userInfo } from "node:os";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";

const POLL = { timeout: 180_000, interval: 20 };
const PERSON = userInfo().username;

let bellhop: Bellhop;
beforeEach(async () => {
  bellhop = new Bellhop({ env: { TMUX_TMPDIR: "/nonexistent" } });
  await bellhop.start();
});
afterEach(async () => {
  await bellhop.dispose();
});

function watchInPipe() {
  const [program = "", ...args] = bellhop.command;
  const child = spawn(program, [...args, "ls", "--watch", "--json"], {
    env: bellhop.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  const lines = () => said.out.split("\n").slice(0, -1);
  return { child, said, ended: once(child, "close"), last: () => JSON.parse(lines().at(-1) ?? "{}"), lines };
}

async function write(): Promise<void> {
  const client = await bellhop.client();
  await client.call("send", { to: `person/${PERSON}`, body: "look", claims: { user: PERSON } });
}

it("prints a line for each change, also after the daemon was gone, and ends at Ctrl+C", async () => {
  const { child, said, ended, last, lines } = watchInPipe();
  await expect.poll(lines, POLL).toHaveLength(1);
  expect(last()).toEqual({ sessions: [], wants: {}, mail: 0 });
  await write();
  await expect.poll(last, POLL).toMatchObject({ mail: 1 });
  await bellhop.stop();
  await bellhop.start();
  await write();
  await expect.poll(last, POLL).toMatchObject({ mail: 2 });
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(said.err).toBe("");
});

it("ends quietly when its reader is gone", async () => {
  const { child, said, ended, lines } = watchInPipe();
  await expect.poll(lines, POLL).toHaveLength(1);
  child.stdout.destroy();
  await write();
  expect(await ended).toEqual([0, null]);
  expect(said.err).toBe("");
});

it("draws in place in a window, and gives it back at q", async () => {
  const [program = "", ...args] = bellhop.command;
  const child = spawnInTerminal(program, [...args, "ls", "--watch"], {
    name: "xterm-256color",
    cols: 100,
    rows: 20,
    env: { ...bellhop.env, TERM: "xterm-256color" },
  });
  let seen = "";
  child.onData((data) => {
    seen += data;
  });
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  await expect.poll(() => seen, POLL).toContain("No agents run here.");
  await write();
  await expect.poll(() => seen, POLL).toContain("For you: 1 unread message. Read: bellhop inbox");
  expect(seen).not.toContain("\x1b[?1049l");
  child.write("q");
  expect(await ended).toBe(0);
  expect(seen).toContain("\x1b[?1049l");
});
