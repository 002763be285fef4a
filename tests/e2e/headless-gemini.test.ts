/** What only Gemini CLI needs: each turn has a policy of its own, which counts before its user's. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { GEMINI_MODEL } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { HeadlessStage } from "./headless-stage.ts";

const PATIENCE_MS = 180_000;

beforeAll(assertInNamespace);

let stage: HeadlessStage;
beforeEach(async () => {
  stage = await HeadlessStage.open("gemini");
  // What its user allows themselves.
  const policies = join(stage.home, ".gemini", "policies");
  mkdirSync(policies);
  writeFileSync(
    join(policies, "mine.toml"),
    '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n',
  );
});
afterEach(() => stage.strike());

const model = GEMINI_MODEL;
const toolResults = () => stage.model.requests.flatMap(({ toolResults: results }) => results).join("\n");

it(
  "is offered only what reads, if nothing else is allowed, and answers",
  async () => {
    expect(await stage.run("[[say OK]]", { model })).toMatchObject({
      kind: "answered",
      answer: "OK",
      tokensIn: 10,
      tokensOut: 5,
    });
    const offered = [...new Set(stage.model.requests.flatMap(({ offeredTools }) => offeredTools))];
    expect(offered.toSorted()).toEqual(["glob", "grep_search", "list_directory", "read_file"]);
  },
  PATIENCE_MS,
);

it(
  "runs no command that its pattern does not match, and waits for nobody",
  async () => {
    const tools = ["Bash(echo:*)"];
    for (const command of ["echo fine", "echo fine; touch forbidden", "echo $(touch forbidden)"])
      expect(await stage.run(`[[bash ${command}]]`, { model, tools })).toMatchObject({ kind: "answered" });
    expect(toolResults()).toContain("fine");
    expect(readdirSync(stage.repo)).not.toContain("forbidden");
  },
  PATIENCE_MS,
);

it(
  "reads nothing outside its folder, and no secrets in it",
  async () => {
    writeFileSync(join(stage.home, "outside.txt"), "OUTSIDE-SECRET\n");
    writeFileSync(join(stage.repo, ".env"), "ENV-SECRET\n");
    writeFileSync(join(stage.repo, "open.txt"), "OPEN-TEXT\n");
    for (const path of [join(stage.home, "outside.txt"), ".env", "open.txt"])
      await stage.run(`[[tool read_file ${JSON.stringify({ file_path: path })}]]`, { model });
    // Whoever writes a message does not decide which file goes with it.
    await stage.run("see @open.txt and @.env [[say OK]]", { model });
    expect(stage.sentWith("see ")).not.toContain("Content from");
    expect(toolResults()).toContain("OPEN-TEXT");
    expect(toolResults()).not.toMatch(/OUTSIDE-SECRET|ENV-SECRET/u);
  },
  PATIENCE_MS,
);

it(
  "changes files if it may, but not those that say what it may",
  async () => {
    const write = (file: string) => {
      const input = { file_path: join(stage.repo, file), content: "{}" };
      return stage.run(`[[tool write_file ${JSON.stringify(input)}]]`, { model, tools: ["edit"] });
    };
    mkdirSync(join(stage.repo, ".gemini"));
    await write("note.txt");
    await write(".gemini/settings.json");
    expect(readdirSync(stage.repo)).toContain("note.txt");
    expect(readdirSync(join(stage.repo, ".gemini"))).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  "takes its role as its instructions, and leaves no file of ours behind",
  async () => {
    const role = "You are the plum.";
    expect(await stage.run("[[say OK]]", { model, role })).toMatchObject({ answer: "OK" });
    expect(stage.sentWith("[[say OK]]")).toContain(role);
    expect(stage.leftInScratch()).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  "runs commands that speak as its agent only",
  async () => {
    await stage.run("[[bash env]]", { model, tools: ["Bash"], turnId: "turn-env" });
    for (const own of ["BELLHOP_AGENT=coder", "BELLHOP_TOKEN=coder.token", "BELLHOP_TURN=turn-env"])
      expect(toolResults()).toContain(own);
    expect(toolResults()).not.toMatch(/BRIDGE_SECRET|=owners/u);
  },
  PATIENCE_MS,
);

it(
  "is asked without any tool",
  async () => {
    const handover = { signal: new AbortController().signal, started: async () => {} };
    stage.model.on(() => true, { say: "YES" });
    const asked = { runner: "gemini", model, prompt: "Is it?", timeoutMs: 60_000 };
    expect(await stage.runner.ask(asked, handover)).toEqual({ answer: "YES" });
    expect(stage.model.requests.flatMap(({ offeredTools }) => offeredTools)).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  "says plainly that the provider has refused",
  async () => {
    expect(await stage.run("[[error 400]]", { model })).toMatchObject({
      kind: "failed",
      why: expect.stringContaining("scripted error"),
    });
  },
  PATIENCE_MS,
);
