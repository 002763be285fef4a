/** The installed hooks in the real programs: what they report, what they print, and that nobody notices them. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../src/core/message.ts";
import { parseHookEvent } from "../../src/hooks/events.ts";
import { applyPlan, planInstall } from "../../src/hooks/install.ts";
import { readSpool } from "../../src/hooks/spool.ts";
import type { HookEvent } from "../../src/ports/program.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import { requestToCamel } from "../../src/wire/casing.ts";
import type { HookEventRequest } from "../../src/wire/verbs/daemon.ts";
import { hookedProgram } from "../hooked-home.ts";
import { startClaude } from "../rig/claude.ts";
import { startCodex } from "../rig/codex.ts";
import { type FakeModel, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { attachTypist } from "../rig/typist.ts";

beforeAll(assertInNamespace);

let tmux: TmuxServer;
let model: FakeModel;
let bellhopHome: string;
let daemon: Server | undefined;

beforeEach(async () => {
  tmux = startTmuxServer();
  model = await startFakeModel();
  bellhopHome = realpathSync(mkdtempSync("/tmp/bh-"));
  mkdirSync(join(bellhopHome, "run"));
});

afterEach(async () => {
  await tmux.kill();
  await model.close();
  const listening = daemon;
  daemon = undefined;
  listening?.closeAllConnections();
  if (listening !== undefined) await new Promise((resolve) => listening.close(resolve));
  rmSync(bellhopHome, { recursive: true });
});

/** Stands in for the daemon: records every event and answers as the test says. */
async function listen(answer: (event: HookEvent) => Json | undefined): Promise<HookEvent[]> {
  const events: HookEvent[] = [];
  daemon = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const event = parseHookEvent(
        requestToCamel(JSON.parse(Buffer.concat(chunks).toString())) as HookEventRequest,
        HOOKED_PROGRAMS,
      );
      events.push(event);
      const said = answer(event);
      if (said === undefined) response.writeHead(204).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
    });
  });
  const listening = daemon;
  await new Promise<void>((resolve) => listening.listen(join(bellhopHome, "run/http.sock"), resolve));
  return events;
}

const PROGRAMS = {
  claude: { start: startClaude, folder: ".claude" },
  codex: { start: startCodex, folder: ".codex" },
} as const;
type Program = keyof typeof PROGRAMS;

async function startHooked(program: Program): Promise<RunningAgent> {
  const { start, folder } = PROGRAMS[program];
  const userHome = join(tmux.folder, "home");
  mkdirSync(join(userHome, folder), { recursive: true });
  const beforeStart = () =>
    applyPlan(
      planInstall(
        hookedProgram(program),
        { bellhopHome, userHome, environment: {}, programs: HOOKED_PROGRAMS },
        { allowRules: "give" },
      ),
    );
  if (program === "codex") return startCodex({ tmux, model, home: userHome, beforeStart });
  beforeStart();
  return start({ tmux, model, home: userHome });
}

async function say(agent: RunningAgent, prompt: string): Promise<string> {
  const typist = await attachTypist({ tmux, pane: agent.pane });
  await typist.type(prompt);
  await tmux.waitForScreen(agent.pane, (screen) => screen.includes(prompt));
  typist.press("\r");
  // Claude names a hook in its spinner for the moment that it runs.
  const isOver = (shown: string) => shown.includes("ACK") && !shown.includes("running Stop hook");
  const screen = await tmux.waitForScreen(agent.pane, isOver);
  await typist.close();
  return screen.replaceAll(tmux.folder, "");
}

function turns(events: readonly HookEvent[]): readonly string[] {
  return events.flatMap(({ turn }) => turn ?? []);
}

describe.each<Program>(["claude", "codex"])("hooks of %s", (program) => {
  it("tell of a turn, brief the agent, and show nothing", async () => {
    const briefing = "You are coder. Peers: reviewer.";
    const events = await listen(({ turn, name }) =>
      turn === "session-start"
        ? { hookSpecificOutput: { hookEventName: name, additionalContext: briefing } }
        : undefined,
    );
    const agent = await startHooked(program);
    const screen = await say(agent, "how many lights?");
    await until(() => turns(events).includes("turn-ended"), "the turn to end");
    expect(turns(events).slice(0, 3)).toEqual(["session-start", "prompt-submitted", "turn-ended"]);
    expect(events.find(({ turn }) => turn === "prompt-submitted")).toMatchObject({
      prompt: "how many lights?",
      folder: agent.repo,
      programSessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...(program === "claude"
        ? {
            agentPid: Number(await tmux.ask(agent.pane, "#{pane_pid}")),
            version: expect.stringMatching(/^\d/),
          }
        : {}),
    });
    const request = await model.waitForPrompt("how many lights?");
    expect(JSON.stringify(request.body)).toContain(briefing);
    expect(screen).not.toMatch(/hook|bellhop|briefing|coder/i);
    expect(readdirSync(bellhopHome)).not.toContain("spool");
  });

  it("leave the turn to the spool when nobody listens, and show nothing", async () => {
    const agent = await startHooked(program);
    const screen = await say(agent, "anybody there?");
    const spool = join(bellhopHome, "spool");
    const spooled = async () =>
      (await readSpool(spool, HOOKED_PROGRAMS)).events.map((event) => parseHookEvent(event, HOOKED_PROGRAMS));
    await until(async () => turns(await spooled()).includes("turn-ended"), "the turn to end");
    expect(turns(await spooled()).slice(0, 3)).toEqual(["session-start", "prompt-submitted", "turn-ended"]);
    expect((await spooled()).map(({ prompt }) => prompt)).toContain("anybody there?");
    expect(screen).not.toMatch(/hook|bellhop/i);
  });

  it("stop a second copy of a message", async () => {
    await listen(({ prompt }) =>
      prompt?.includes("twice") ? { decision: "block", reason: "Bellhop: already delivered." } : undefined,
    );
    const agent = await startHooked(program);
    const typist = await attachTypist({ tmux, pane: agent.pane });
    await typist.type("said twice");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("said twice"));
    typist.press("\r");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("Bellhop: already delivered."));
    await typist.close();
    expect(model.prompts()).toEqual([]);
  });
});
