/** What only OpenCode needs: its own default is to allow nearly everything, and its user here allows the rest. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { HeadlessStage } from "./headless-stage.ts";

/** More than an argument or a variable can hold. */
const LARGE = "plum ".repeat(60_000);

beforeAll(assertInNamespace);

let stage: HeadlessStage;
beforeEach(async () => {
  stage = await HeadlessStage.open("opencode");
});
afterEach(() => stage.strike());

const offered = () => stage.model.requests.flatMap(({ offeredTools }) => offeredTools);
const toolResults = () => stage.model.requests.flatMap(({ toolResults: results }) => results).join("\n");

it("is offered only what reads, if nothing else is allowed", async () => {
  expect(await stage.run("[[say OK]]")).toMatchObject({ kind: "answered", answer: "OK" });
  expect([...new Set(offered())].toSorted()).toEqual(["glob", "grep", "read", "skill", "todowrite"]);
  // A title would be another request, which nobody counts.
  expect(stage.model.requests).toHaveLength(1);
});

it("runs no command that its pattern does not match, and waits for nobody", async () => {
  const tools = ["Bash(echo:*)"];
  for (const command of ["echo fine", "echo fine; touch forbidden", "echo $(touch forbidden)"])
    expect(await stage.run(`[[bash ${command}]]`, { tools })).toMatchObject({ answer: "TOOL DONE" });
  expect(toolResults()).toContain("fine");
  expect(readdirSync(stage.repo)).not.toContain("forbidden");
});

it("reads nothing outside its folder, and no secrets in it", async () => {
  const outside = join(stage.home, "outside.txt");
  writeFileSync(outside, "OUTSIDE-SECRET\n");
  writeFileSync(join(stage.repo, ".env"), "ENV-SECRET\n");
  writeFileSync(join(stage.repo, "open.txt"), "OPEN-TEXT\n");
  for (const filePath of [outside, join(stage.repo, ".env"), join(stage.repo, "open.txt")])
    await stage.run(`[[tool read ${JSON.stringify({ filePath })}]]`);
  expect(toolResults()).toContain("OPEN-TEXT");
  expect(toolResults()).not.toMatch(/OUTSIDE-SECRET|ENV-SECRET/u);
});

it("changes files if it may, but not those that say what it may", async () => {
  const write = (file: string) => {
    const input = { filePath: join(stage.repo, file), content: "{}" };
    return stage.run(`[[tool write ${JSON.stringify(input)}]]`, { tools: ["edit"] });
  };
  mkdirSync(join(stage.repo, ".opencode"));
  await write("note.txt");
  await write("opencode.json");
  await write(".opencode/opencode.json");
  expect(readdirSync(stage.repo)).toContain("note.txt");
  expect(readdirSync(stage.repo)).not.toContain("opencode.json");
  expect(readdirSync(join(stage.repo, ".opencode"))).not.toContain("opencode.json");
});

it("may do everything with the permission mode that says so, and refuses one that it does not know", async () => {
  expect(await stage.run("[[bash touch allowed]]", { permissionMode: "allow" })).toMatchObject({
    kind: "answered",
  });
  expect(readdirSync(stage.repo)).toContain("allowed");
  const refused = await stage.run("[[bash touch refused]]", { permissionMode: "acceptEdits" });
  expect(refused).toMatchObject({ kind: "failed", why: expect.stringContaining('got "acceptEdits"') });
  expect(readdirSync(stage.repo)).not.toContain("refused");
});

it("takes a large prompt, a command in it as text, and a role as it stands", async () => {
  const role = "You are {env:HOME}.";
  expect(await stage.run(`/init ${LARGE}[[say OK]]`, { role })).toMatchObject({ answer: "OK" });
  expect(stage.sentWith("[[say OK]]")).toContain(`/init ${LARGE}[[say OK]]`);
  expect(stage.sentWith("[[say OK]]")).toContain(role);
});

it("says plainly that its conversation is not there", async () => {
  expect(await stage.run("[[say OK]]", { conversation: "ses_gone" })).toMatchObject({
    kind: "failed",
    why: "Error: Session not found",
  });
});
