/** docs/automatic-turns.md, followed word for word: the built daemon, and the real Claude Code with a fake model. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { fencesIn, readPage } from "../cli/pages.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { claudeEnvironment, settleClaudeUser } from "../rig/claude.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { program } from "../rig/programs.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { until } from "../rig/scripted-agent.ts";

const page = readPage("docs/automatic-turns.md");
const OWNER = { user: userInfo().username };
/** An id that no machine has: the test puts a real one there. */
const WRITTEN_TURN = "t4k9p2";

const ANSWER = "THE ANSWER";
/** A turn about this takes until the test lets it end. */
const LONG = "a long task";

let root: string;
let model: FakeModel;
let bellhop: Bellhop;

beforeAll(assertInNamespace);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "bh-"));
  const home = join(root, "home");
  mkdirSync(home);
  settleClaudeUser(home, ["/tmp"]);
  model = await startFakeModel();
  const isTriage = (text: string) => text.includes("You decide whether the agent");
  model.on(({ userText }) => isTriage(userText), { say: "YES\nIt asks something." });
  const isTurn = ({ userText, kind }: ModelRequest) => kind === "main" && !isTriage(userText);
  model.on(isTurn, { say: ANSWER });
  model.on((request) => isTurn(request) && request.userText.includes(LONG), { untilFinished: true });
  const path = [bellhopOnPath(join(root, "bin")), dirname(program("claude").executable), process.env.PATH];
  bellhop = new Bellhop({
    env: { HOME: home, PATH: path.join(delimiter), ...claudeEnvironment(model) },
  });
});

afterEach(async () => {
  await bellhop.dispose();
  await model.close();
  removeFolder(root);
});

const writes = (block: string) => appendFileSync(join(bellhop.home, "config.yaml"), block);

async function typed(line: string): Promise<string> {
  const child = spawn("bash", ["-c", line], { env: bellhop.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const [status] = await once(child, "close");
  expect(status, `${line}\n${said}`).toBe(0);
  return said;
}

const answers = async () => {
  const { entries } = await bellhop.ask("inbox", { who: `person/${OWNER.user}`, claims: OWNER });
  return entries.map(({ message }) => message.body);
};

const send = (body: string) => bellhop.ask("send", { to: "night", body, claims: OWNER });
const untilAnswers = (count: number) =>
  until(async () => (await answers()).filter((text) => text === ANSWER).length === count, `answer ${count}`);
const longOnes = () =>
  model.requests.filter(({ userText, endedAtMs }) => userText.includes(LONG) && endedAtMs === undefined);

/** What must be going on when somebody types this. */
const SCENES: Readonly<Record<string, () => Promise<unknown>>> = {
  "bellhop peek night": async () => {
    await send(LONG);
    await until(async () => {
      const { turns } = await bellhop.ask("turns", { agent: "night" });
      return turns.some(({ state }) => state === "running") && longOnes().length > 0;
    }, "a turn that runs");
  },
  "bellhop turn trigger night": () => send("This waits."),
};

it("can be followed step by step", async () => {
  writes(fencesIn(page, "yaml")[0] ?? "");
  await bellhop.start();
  const lines = fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean));
  expect(lines.length).toBeGreaterThan(12);
  const said = new Map<string, string>();
  let answered = 0;
  for (const line of lines) {
    await SCENES[line]?.();
    const { turns } = await bellhop.ask("turns", { agent: "night" });
    said.set(line, await typed(line.replaceAll(WRITTEN_TURN, turns[0]?.id ?? "")));
    // Until then it keeps the next message waiting.
    if (line === "bellhop turn trigger night") for (const request of longOnes()) request.finish();
    if (/^bellhop (?:send|turn trigger) /u.test(line)) await untilAnswers(++answered);
  }
  expect(answered).toBe(3);
  expect(said.get("bellhop agent show night")).toContain("You look after the shop.");
  expect(said.get("bellhop history night --conversation")).toContain("Which version of Node");
  expect(said.get(`bellhop turn show ${WRITTEN_TURN}`)).toMatch(/^agent +night/mu);
  expect(said.get("bellhop turns start")).toBe("Automatic turns start again\n");
});

it("shows another program that answers", async () => {
  const block = fencesIn(page, "yaml").find((text) => text.includes("runner: command")) ?? "";
  writes(block);
  await bellhop.start();
  await typed('bellhop send echo "Is anybody there?"');
  await until(async () => (await answers()).some((text) => text.includes("Is anybody there?")), "the echo");
});
