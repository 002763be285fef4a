/** The home of an earlier release, whose agents keep running: it recorded a tmux server's start time as tmux gives it. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadDriver } from "../../src/system/sqlite-driver.ts";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
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

/** Instead of the server's start time from the kernel, the one from tmux: seconds since 1970. */
async function writeAsBefore(sessionId: string, pane: string): Promise<void> {
  const startedAt = await tmux.ask(pane, "#{start_time}");
  expect(startedAt).toMatch(/^\d+$/);
  const database = (await loadDriver())(join(bellhop.home, "bellhop.db"), { busyTimeoutMs: 1_000 });
  const { changes } = database
    .prepare("UPDATE sessions SET identity = json_set(identity, '$.serverStartedAt', ?) WHERE id = ?")
    .run(startedAt, sessionId);
  database.close();
  expect(changes).toBe(1);
}

async function stateOf(messageId: string): Promise<string> {
  return (await bellhop.json<ShowResponse>(["show", messageId])).deliveries[0]?.state ?? "none";
}

it("keeps the session, the name and the mail of an agent that an earlier release met in tmux", async () => {
  const agent = await startScriptedAgent({ tmux, name: "coder" });
  const sessions = () => bellhop.json<readonly ListedSession[]>(["ls"]);
  await until(async () => (await sessions())[0]?.readiness === "idle", "the agent to be idle");
  const [before] = await sessions();
  await bellhop.json(["queue", "pause", "coder"]);
  const { messageId } = await bellhop.json<{ readonly messageId: string }>(["send", "coder", "kept"]);
  await bellhop.stop();
  await writeAsBefore(before?.id ?? "", agent.pane);
  await bellhop.start();
  await until(async () => (await sessions())[0]?.readiness === "idle", "the agent to be idle again");
  expect(await stateOf(messageId)).toBe("queued");
  await bellhop.json(["queue", "unpause", "coder"]);
  await until(async () => !["queued", "delivering"].includes(await stateOf(messageId)), "it to be settled");
  expect(await stateOf(messageId)).toBe("delivered");
  expect(agent.prompts().map((prompt) => /\] (\w+)/.exec(prompt)?.[1])).toEqual(["kept"]);
  expect((await sessions()).map(({ id, agent: name }) => [id, name])).toEqual([[before?.id, "coder"]]);
  expect(bellhop.log()).not.toContain("session.exited");
});
