/** A person, not the agent, types in the shell of a pane whose agent is suspended: real tmux, a real daemon. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { readScriptedLog, SCRIPTED_PROFILE, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;

beforeEach(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}` });
  await bellhop.start();
});
afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

async function shellWithAgent(): Promise<string> {
  const PATH = `${bellhopOnPath(join(tmux.folder, "bin"))}:${process.env.PATH ?? ""}`;
  const cwd = join(tmux.folder, "coder");
  mkdirSync(cwd);
  const pane = await tmux.newSession({
    name: "coder",
    command: ["bash", "--norc", "--noprofile"],
    cwd,
    env: { PATH, BELLHOP_HOME: bellhop.home },
  });
  const log = join(tmux.folder, "coder.jsonl");
  await enter(pane, scriptedCommand("coder", log).join(" "));
  await until(() => readScriptedLog(log).length > 0, "the agent to start");
  await until(async () => (await coder())?.readiness === "idle", "the agent to be idle");
  return pane;
}

async function enter(pane: string, line: string): Promise<void> {
  await tmux.run("send-keys", "-t", pane, "-l", line);
  await tmux.run("send-keys", "-t", pane, "Enter");
}

async function coder(): Promise<ListedSession | undefined> {
  return (await bellhop.json<readonly ListedSession[]>(["ls"])).find(({ agent }) => agent === "coder");
}

/** The output and the status of a command in that pane's shell. */
async function typed(pane: string, command: string): Promise<{ status: string; said: string }> {
  const file = join(tmux.folder, "said");
  const done = join(tmux.folder, "status");
  rmSync(done, { force: true });
  await enter(pane, `${command} > ${file} 2>&1; echo $? > ${done}`);
  await until(() => existsSync(done) && readFileSync(done, "utf8").endsWith("\n"), command);
  return { status: readFileSync(done, "utf8").trim(), said: readFileSync(file, "utf8") };
}

it("has the owner's rights and name, and whoever only says that it is there has the agent's", async () => {
  const pane = await shellWithAgent();
  await bellhop.json(["agent", "add", "api"]);
  await tmux.run("send-keys", "-t", pane, "C-z");
  await until(async () => (await coder())?.hold?.reason === "suspended", "the agent to be suspended");

  const { said, status } = await typed(pane, "bellhop send api 'from the shell' --json");
  expect([status, said]).toEqual(["0", expect.stringContaining("messageId")]);
  const { messageId } = JSON.parse(said) as { messageId: string };
  const { message } = await bellhop.json<ShowResponse>(["show", messageId]);
  expect(message).toMatchObject({ source: "person", from: expect.stringMatching(/^person\//) });
  // Only the owner may look at another's mail.
  expect(await typed(pane, "bellhop inbox api")).toMatchObject({
    status: "0",
    said: expect.stringContaining("from the shell"),
  });

  // The same variables, but no process of that pane's shell: nothing shows that it is a person.
  const TMUX = (await tmux.ask(pane, `${tmux.socket},#{pid},#{session_id}`)).replace("$", "");
  const elsewhere = await bellhop.run(["inbox", "api"], { env: { TMUX, TMUX_PANE: pane } });
  expect(elsewhere).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Agent "coder" may not see or take'),
  });
});
