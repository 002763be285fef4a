/** Hooks that are installed and removed again leave every byte as it was, whatever the program's file held. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseHookEvent } from "../../src/hooks/events.ts";
import { type HookSetting, scriptIn, settingsFile } from "../../src/hooks/hooked-program.ts";
import { applyPlan, planInstall, planRemove } from "../../src/hooks/install.ts";
import { hooksStatus } from "../../src/hooks/status.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import { preparedCommand } from "../../src/programs/prepared-command.ts";
import type { Program } from "../../src/programs/program.ts";

const FILES: readonly (readonly [string, string | undefined])[] = [
  ["no file", undefined],
  ["tabs and no line end", '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}'],
  ["Windows line ends", '{\r\n    "a": [\r\n        1\r\n    ]\r\n}\r\n'],
  ["all on one line", '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"b":[]}'],
  ["a byte order mark", '\uFEFF{\n  "a": 1\n}\n'],
];

export function programHooksContract(program: Program): void {
  let root: string;
  let setting: HookSetting;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "bh-hooks-")));
    setting = { bellhopHome: join(root, "bh"), userHome: root, environment: {}, programs: HOOKED_PROGRAMS };
    mkdirSync(setting.bellhopHome);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const everything = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path, readFileSync(path, "utf8")]);

  it("leave another program's command alone, and keep the words of its own", () => {
    const run = (...command: string[]) => preparedCommand({ command, folder: root }, [program], setting);
    expect(run("another", "word")).toEqual(["another", "word"]);
    expect(run(`/opt/${program.name}`, "--model", "x")).toEqual(expect.arrayContaining(["--model", "x"]));
    expect(run(`/opt/${program.name}`)[0]).toBe(`/opt/${program.name}`);
  });

  const { hooks } = program;
  if (hooks === undefined) return;

  it.each(FILES)("go without a trace from %s", (_, text) => {
    mkdirSync(hooks.folder(setting), { recursive: true });
    const file = settingsFile(hooks, setting);
    if (text !== undefined) writeFileSync(file, text);
    const before = everything();
    for (const allowRules of ["give", "refuse", "leave"] as const) {
      applyPlan(planInstall(hooks, setting, { allowRules }));
      expect(hooksStatus(setting).find((one) => one.program === hooks.name)?.state).toBe("installed");
      expect(planInstall(hooks, setting, { allowRules }).changes).toEqual([]);
      applyPlan(planRemove(hooks, setting));
      expect(everything()).toEqual(before);
      expect(planRemove(hooks, setting).changes).toEqual([]);
    }
  });

  it("name each rule that they bring, and every event in the file", () => {
    mkdirSync(hooks.folder(setting), { recursive: true });
    applyPlan(planInstall(hooks, setting, { allowRules: "give" }));
    expect(hooks.allowRulesState(setting)).toBe("installed");
    const written = everything().map(([, text]) => text);
    for (const rule of hooks.allowRules(setting))
      expect(
        written.some((text) => text?.includes(rule)),
        rule,
      ).toBe(true);
    const settings = readFileSync(settingsFile(hooks, setting), "utf8");
    if (hooks.entries === undefined) {
      expect(Object.keys((JSON.parse(settings) as { readonly hooks: object }).hooks)).toEqual(hooks.events);
    } else {
      expect(hooks.entries.find(settings, "")).toEqual([{ program: hooks.name, script: scriptIn(setting) }]);
      for (const event of hooks.events)
        expect(
          written.some((text) => text?.includes(`"${event}"`)),
          event,
        ).toBe(true);
    }
    applyPlan(planRemove(hooks, setting));
    expect(hooks.allowRulesState(setting)).toBe("absent");
  });

  it("are told apart by nothing that is not installed: looking makes no file", () => {
    const before = everything();
    hooksStatus(setting);
    planInstall(hooks, setting, { allowRules: "give" });
    expect(everything()).toEqual(before);
    expect(existsSync(hooks.folder(setting))).toBe(false);
  });

  it("are understood, and a prompt always begins a turn that some event ends", () => {
    const turns = hooks.events.map((eventName) => {
      const request = { program: hooks.name, eventName, emittedAt: 1, environment: {}, payload: {} };
      return parseHookEvent(request, HOOKED_PROGRAMS).turn;
    });
    expect(turns).toContain("prompt-submitted");
    expect(turns).toContain("turn-ended");
  });

  it.each([null, "x", 3, [], {}])("survive the payload %j", (payload) => {
    for (const eventName of hooks.events) {
      const request = { program: hooks.name, eventName, emittedAt: 1, environment: {}, payload };
      expect(parseHookEvent(request, HOOKED_PROGRAMS).program).toBe(hooks.name);
    }
  });
}
