import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOOK_SCRIPT } from "../hooks/hooked-program.ts";
import { hookScript } from "../hooks/script.ts";
import { allowAnswerFile } from "./claude/hooks/allow-answer.ts";
import { claudeHooks } from "./claude/hooks/hooks.ts";
import { HOOKED_PROGRAMS, PROGRAMS } from "./index.ts";
import { preparedCommand } from "./prepared-command.ts";

let folder: string;
let script: string;
const prepared = (command: readonly string[], resume?: string) =>
  preparedCommand({ command, folder, ...(resume === undefined ? {} : { resume }) }, PROGRAMS, {
    bellhopHome: folder,
    userHome: "/home/dev",
    programs: HOOKED_PROGRAMS,
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-per-session-"));
  script = join(folder, HOOK_SCRIPT);
  answered("yes");
});

function answered(answer: string): void {
  mkdirSync(join(folder, "hooks"), { recursive: true });
  writeFileSync(allowAnswerFile(folder), `${answer}\n`);
}
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the command of a hosted session", () => {
  it("tells Claude Code its hooks and what it may run, and goes on with a conversation", () => {
    const [program, option, settings = "", ...rest] = prepared(["/opt/claude", "--model", "opus"], "c-1");
    expect([program, option, rest]).toEqual([
      "/opt/claude",
      "--settings",
      ["--resume", "c-1", "--model", "opus"],
    ]);
    const { hooks, permissions } = JSON.parse(settings) as Record<string, Record<string, unknown>>;
    expect(Object.keys(hooks ?? {})).toEqual(claudeHooks.events);
    expect(permissions?.allow).not.toEqual([]);
    expect(readFileSync(script, "utf8")).toBe(hookScript(HOOKED_PROGRAMS));
    expect(statSync(script).mode & 0o777).toBe(0o700);
  });

  it.each(["no", "", "nonsense"])(
    "lets it run nothing unasked when the person was not asked or said %j",
    (answer) => {
      if (answer === "") rmSync(allowAnswerFile(folder));
      else answered(answer);
      const [, , settings = ""] = prepared(["claude"]);
      expect(Object.keys(JSON.parse(settings) as object)).toEqual(["hooks"]);
      const [, , given = ""] = prepared(["claude", "--settings", '{"permissions":{"allow":["y"]}}']);
      expect(JSON.parse(given)).toMatchObject({ permissions: { allow: ["y"] } });
    },
  );

  it("puts ours into a person's own settings, given as text or as a file", () => {
    const theirs = {
      model: "opus",
      hooks: { Stop: [{ hooks: ["theirs"] }], Other: [1] },
      permissions: { deny: ["x"], allow: ["y"] },
    };
    writeFileSync(join(folder, "own.json"), JSON.stringify(theirs));
    for (const own of [
      ["--settings", JSON.stringify(theirs)],
      ["--settings=own.json"],
      ["--settings", join(folder, "own.json")],
    ]) {
      const [, first, option, text = "", ...rest] = prepared(["claude", "-c", ...own, "--debug"]);
      expect([first, option, rest]).toEqual(["-c", "--settings", ["--debug"]]);
      const { hooks, permissions, model } = JSON.parse(text) as typeof theirs;
      expect([model, permissions.deny, hooks.Other]).toEqual(["opus", ["x"], [1]]);
      expect(hooks.Stop[0]).toEqual({ hooks: ["theirs"] });
      expect(hooks.Stop).toHaveLength(2);
      expect(permissions.allow[0]).toBe("y");
      expect(permissions.allow.length).toBeGreaterThan(1);
    }
  });

  it.each([
    ["--settings", "nowhere.json"],
    ["--settings", "{not json"],
    ["--settings", "[1]"],
    ["--settings"],
  ])("leaves settings that cannot be read to the program: %j %j", (...own) => {
    expect(prepared(["claude", ...own])).toEqual(["claude", ...own]);
  });

  it("is as it was for anybody else, but for a conversation that Codex goes on with", () => {
    expect(prepared(["vim", "notes"], "c-1")).toEqual(["vim", "notes"]);
    expect(prepared(["codex", "--model", "o3"])).toEqual(["codex", "--model", "o3"]);
    expect(prepared(["codex", "--model", "o3"], "c-1")).toEqual(["codex", "resume", "c-1", "--model", "o3"]);
  });

  it("replaces an old script in one step: a hook that reads it meanwhile reads it to its end", () => {
    writeFileSync(script, "# of an older version\n");
    const reading = openSync(script, "r");
    prepared(["claude"]);
    expect(readFileSync(reading, "utf8")).toBe("# of an older version\n");
    closeSync(reading);
    expect(readFileSync(script, "utf8")).toBe(hookScript(HOOKED_PROGRAMS));
    const { ino, mtimeNs } = statSync(script, { bigint: true });
    prepared(["claude"]);
    expect(statSync(script, { bigint: true })).toMatchObject({ ino, mtimeNs });
  });
});
