import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { settleClaudeUser } from "../rig/claude.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const REPLY_HINT = /To reply: (bellhop (?:send|reply) \w+) "<your reply>"/u;

/**
 * Two Claude Codes of one user, with their default permissions, each with its own model. There is nobody to answer a
 * dialog: if one opened, the test would fail.
 */
describe.each(PLACES)("The loop between two Claude Codes, in %s", (where) => {
  let stage: Stage;
  let alice: RunningAgent;
  let bob: RunningAgent;
  let alicesModel: FakeModel;
  let bobsModel: FakeModel;
  let bobsTypist: Typist;

  beforeAll(async () => {
    stage = await Stage.set({ where });
    alicesModel = stage.model;
    bobsModel = await startFakeModel();
    const home = join(stage.tmux.folder, "home");
    mkdirSync(home);
    settleClaudeUser(
      home,
      ["bob", "alice"].map((name) => join(stage.tmux.folder, name)),
    );
    const user = {
      home,
      pathFolders: [bellhopOnPath(join(stage.tmux.folder, "bin"))],
      extraEnv: { BELLHOP_HOME: stage.bellhop.home },
    };
    bob = await stage.enter("bob", { ...user, model: bobsModel });
    alice = await stage.enter("alice", user);
    bobsTypist = await stage.typist(bob);
  });
  afterAll(async () => {
    await stage?.strike();
    await bobsModel?.close();
  });

  const hintIn = ({ userText, kind }: ModelRequest) =>
    kind === "main" ? REPLY_HINT.exec(userText)?.[1] : undefined;

  it("closes: a message there, the reply hint run as it stands, the answer back", async (test) => {
    const stop = alicesModel.on(
      (request) => hintIn(request) !== undefined,
      (request) => ({
        call: { shell: `${hintIn(request)} "There are four lights; 四つ 🙂."` },
      }),
    );
    await bobsTypist.type('ask alice [[bash bellhop send alice "How many lights are there?" --json]]');
    await bob.terminal.waitForScreen((seen) => seen.includes("--json]]"));
    bobsTypist.press("\r");
    const asked = await bobsModel.waitForRequest(({ kind }) => kind === "tool_result", {
      timeoutMs: PATIENCE_MS,
    });
    const question = JSON.parse(asked.toolResults.join()) as { messageId: string; shortId: string };
    const answer = await bobsModel.waitForRequest(
      ({ userText }) => userText.includes("There are four lights; 四つ 🙂."),
      {
        timeoutMs: PATIENCE_MS,
      },
    );
    stop();
    expect(answer.userText).toMatch(
      /\[message from: alice \([0-9a-f]{8}\) #\w{6}\]\nThere are four lights; 四つ 🙂\.\n— from session/u,
    );
    const replied = await stage.reaches(question, "replied");
    expect(replied).toMatchObject({ transport: "native", evidence: "submitted" });
    expect((await stage.show(question)).message).toMatchObject({
      from: "agent/bob",
      to: "agent/alice",
      source: "agent",
    });
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "the agent replies",
      rung: "native",
      outcome: "replied",
    });
  });

  // A command works the same in either kind of terminal.
  if (where === "tmux")
    it("asks in one command: the answer is its result, comes once, and both conversations have it", async () => {
      const stop = alicesModel.on(
        (request) => hintIn(request) !== undefined && request.userText.includes("Which port is it?"),
        (request) => ({ call: { shell: `${hintIn(request)} "It is 2355."` } }),
      );
      await stage.untilIdle("bob");
      await bobsTypist.type("[[bash bellhop ask alice 'Which port is it?' --within 60s]]");
      await bob.terminal.waitForScreen((seen) => seen.includes("60s]]"));
      bobsTypist.press("\r");
      const told = await bobsModel.waitForRequest(
        ({ kind, toolResults }) => kind === "tool_result" && toolResults.join().includes("2355"),
        { timeoutMs: PATIENCE_MS },
      );
      stop();
      expect(told.toolResults.join().trim()).toBe("It is 2355.");
      await stage.untilIdle("bob");
      expect((await stage.client.call("queue", { who: "bob" })).deliveries).toEqual([]);
      expect(bobsModel.requests.filter(({ userText }) => userText.includes("It is 2355."))).toEqual([]);
      await stage.untilIdle("alice");
      const said = async (who: string) =>
        (await stage.client.call("transcript", { who })).entries.map(({ by, text }) => `${by}: ${text}`);
      expect((await said("bob")).join("\n")).toContain("tool: Bash: bellhop ask alice 'Which port is it?'");
      const alices = (await said("alice")).join("\n");
      expect(alices).toMatch(/^prompt: .*Which port is it\?/msu);
      expect(alices).toMatch(/^tool: Bash: bellhop reply \w+ "It is 2355\."$/mu);
    });

  it("told each agent its name, its peers and its commands when it started", () => {
    const [first] = alicesModel.requests.filter(({ kind }) => kind === "main");
    const text = JSON.stringify(first?.body);
    expect(text).toMatch(/You are \\"alice\\" \(session [0-9a-f]{8}\)/u);
    expect(text).toMatch(/Other agents now: bob \([0-9a-f]{8}, claude\)/u);
    expect(text).toContain("bellhop reply ID");
  });

  it("lets an agent read the file of a long message, and answer it, without asking", async () => {
    const body = Array.from({ length: 200 }, (_, line) => `line ${line} of a long one`).join("\n");
    await stage.untilIdle("alice");
    await alice.terminal.untilQuiet();
    const sent = await stage.send("alice", body);
    const stopReading = alicesModel.on(
      ({ userText, kind }) => kind === "main" && userText.includes(`#${sent.shortId}]`),
      ({ userText }) => ({ call: { tool: "Read", input: { file_path: /Read (\S+)/u.exec(userText)?.[1] } } }),
    );
    const result = await alicesModel.waitForRequest(
      ({ toolResults }) => toolResults.join().includes("line 199 of a long one"),
      {
        timeoutMs: PATIENCE_MS,
      },
    );
    stopReading();
    expect(result.kind).toBe("tool_result");
    expect((await stage.reaches(sent, "read")).receipts.at(-1)?.note).toContain("session file");
    const heredoc = `bellhop reply ${sent.shortId} - <<'BELLHOP'\n# A head\n\n\`code\` and $(touch canary)\nBELLHOP`;
    const stopAnswering = alicesModel.on(({ userText }) => userText.includes("answer it now"), {
      call: { shell: heredoc },
    });
    await stage.untilIdle("alice");
    await stage.send("alice", "answer it now");
    await stage.reaches(sent, "replied");
    stopAnswering();
    const answers = (await stage.client.call("queue", {})).deliveries.filter(
      ({ to }) => to === `person/${PERSON}`,
    );
    expect(answers.map(({ preview }) => preview).join()).toContain("# A head");
  });
});
