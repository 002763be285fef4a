/** What the real programs reveal about themselves without a hook: registry, inbox, session file. */
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { soughtBy } from "../../src/office/typing/proof.ts";
import type { Inbox, ProgramFacts } from "../../src/ports/program.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { PROGRAMS } from "../../src/programs/index.ts";
import type { Program } from "../../src/programs/program.ts";
import { programRegistry } from "../../src/programs/session-registry.ts";
import { transcripts } from "../../src/programs/transcripts/transcripts.ts";
import { startClaude } from "../rig/claude.ts";
import { startCodex } from "../rig/codex.ts";
import { type FakeModel, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

beforeAll(assertInNamespace);

let tmux: TmuxServer;
let model: FakeModel;
const processes = processesOn(process.platform);
const clock = { monotonic: () => performance.now() };
const never = new AbortController().signal;

beforeEach(async () => {
  tmux = startTmuxServer();
  model = await startFakeModel();
});

afterEach(async () => {
  await tmux.kill();
  await model.close();
});

function programNamed(name: string): Program {
  const program = PROGRAMS.find((each) => each.name === name);
  if (program === undefined) throw new Error(`no program is called ${name}`);
  return program;
}

function inboxOf(name: string): Inbox {
  const inbox = programNamed(name).inbox?.({ clock, processes, home: "/nonexistent" });
  if (inbox === undefined) throw new Error("it has no inbox");
  return inbox;
}

async function factsOf(program: "claude" | "codex", agent: RunningAgent): Promise<ProgramFacts> {
  const tree = await processes.tree(Number(await tmux.ask(agent.pane, "#{pane_pid}")));
  const found = programNamed(program).profile.recognise(tree);
  if (found === undefined) throw new Error("the program is not in its pane");
  const entry = await programRegistry(PROGRAMS, { clock, processes, home: "/nonexistent" }).lookUp(
    program,
    found,
  );
  const { status: _, ...known } = entry ?? {};
  return { ...known, sessionId: "1", agentPid: found.pid };
}

function message(token: string): string {
  return `[message from: dev ${token} how are you? 四つ 🙂\n/not a command, "quoted" \\`;
}

const sought = (token: string) =>
  soughtBy({ transport: "native", token, promptDigest: "unknown", wasBusy: false }, (text) => text);

/** Hands a text over and follows it to the model and into the session file. */
async function follow(
  program: "claude" | "codex",
  agent: RunningAgent,
  token: string,
): Promise<ProgramFacts> {
  await until(
    async () => (await factsOf(program, agent)).programSessionId !== undefined,
    "the registry to tell",
  );
  const facts = await factsOf(program, agent);
  const inbox = inboxOf(program);
  expect(await inbox.offers(facts)).toEqual({ kind: "offered" });
  const startedAt = Date.now();
  const outcome = await inbox.handOver(facts, message(token), never);
  expect(outcome).toMatchObject({ kind: "handed-over" });
  await model.waitForRequest(({ body }) => JSON.stringify(body).includes(token));
  await until(async () => {
    const finding = await transcripts(PROGRAMS).find(
      program,
      await factsOf(program, agent),
      sought(token),
      startedAt,
    );
    return finding.kind === "found" && finding.as === "turn";
  }, "the session file to show it");
  const absent = await transcripts(PROGRAMS).find(
    program,
    await factsOf(program, agent),
    sought("#zzzzzz]"),
    startedAt,
  );
  expect(absent).toEqual({ kind: "absent" });
  return factsOf(program, agent);
}

describe("Claude Code", () => {
  it("tells its session and takes a message by its socket", async () => {
    const agent = await startClaude({ tmux, model });
    const facts = await follow("claude", agent, "#aaaaa1]");
    expect(facts).toMatchObject({ version: "2.1.325", inboxToken: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });
});

describe("Codex", () => {
  it("tells two windows of one home and folder apart, and takes a message for each", async () => {
    const home = join(tmux.folder, "home");
    const repo = join(tmux.folder, "repo");
    const one = await startCodex({ tmux, model, home, repo, name: "one" });
    const two = await startCodex({ tmux, model, home, repo, name: "two" });
    const first = await follow("codex", one, "#aaaaa1]");
    const second = await follow("codex", two, "#aaaaa2]");
    expect(first.programSessionId).not.toBe(second.programSessionId);
    await tmux.waitForScreen(
      one.pane,
      (screen) => screen.includes("#aaaaa1]") && !screen.includes("#aaaaa2]"),
    );
    await tmux.waitForScreen(
      two.pane,
      (screen) => screen.includes("#aaaaa2]") && !screen.includes("#aaaaa1]"),
    );
  });

  it("closes its queue when the window opens a second conversation", async () => {
    const agent = await startCodex({ tmux, model });
    await follow("codex", agent, "#aaaaa1]");
    await tmux.run("send-keys", "-t", agent.pane, "-l", "/new");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("/new"));
    await tmux.run("send-keys", "-t", agent.pane, "Enter");
    await tmux.waitForScreen(agent.pane, (screen) =>
      screen.includes("Where should the new conversation run?"),
    );
    await tmux.run("send-keys", "-t", agent.pane, "Enter");
    await until(async () => {
      const offer = await inboxOf("codex").offers(await factsOf("codex", agent));
      return offer.kind === "not-offered" && offer.why.includes("2 conversations");
    }, "the queue to close");
  });

  it("takes a message in a window without the shared server, after its first prompt", async () => {
    const agent = await startCodex({ tmux, model, sharedServer: false });
    const early = await inboxOf("codex").offers(await factsOf("codex", agent));
    expect(early).toMatchObject({ kind: "not-offered" });
    await tmux.run("send-keys", "-t", agent.pane, "-l", "hello");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("› hello"));
    await tmux.run("send-keys", "-t", agent.pane, "Enter");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("ACK"));
    await follow("codex", agent, "#aaaaa1]");
  });
});
