import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyMcpPlan, mcpStatus, planRegister, planUnregister } from "../hooks/mcp/register.ts";
import type { McpProgram, McpSetting } from "../hooks/mcp/registered-program.ts";
import { MCP_PROGRAMS } from "./index.ts";

let userHome: string;
let setting: McpSetting;

beforeEach(() => {
  userHome = mkdtempSync(join(tmpdir(), "bellhop-mcp-"));
  setting = { userHome, bellhopHome: join(userHome, ".bellhop"), environment: {} };
});
afterEach(() => rmSync(userHome, { recursive: true }));

const install = (program: McpProgram, how = setting) => applyMcpPlan(planRegister(program, how), Date.now);
const remove = (program: McpProgram, how = setting) => applyMcpPlan(planUnregister(program, how), Date.now);
const stateOf = (program: McpProgram, how = setting) => mcpStatus(program, how).state;

function named(name: string): McpProgram {
  const program = MCP_PROGRAMS.find((each) => each.name === name);
  if (program === undefined) throw new Error(name);
  return program;
}

function given(program: McpProgram, text: string, file = program.file(setting)): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe.each(MCP_PROGRAMS)("$name", (program) => {
  it("gets an entry where there was no file, and loses the file with it", () => {
    expect(stateOf(program)).toBe("absent");
    install(program);
    expect(stateOf(program)).toBe("installed");
    install(program);
    remove(program);
    expect(existsSync(program.file(setting))).toBe(false);
  });

  it("names a home that is not the usual one, and leaves the entry of another home alone", () => {
    const other = { ...setting, bellhopHome: join(userHome, 'a "b" home') };
    install(program, other);
    expect(readFileSync(program.file(other), "utf8")).toContain("BELLHOP_HOME");
    expect(stateOf(program, other)).toBe("installed");
    expect(stateOf(program)).toBe("another-home");
    expect(() => planRegister(program, setting)).toThrow(/another BELLHOP_HOME/);
    expect(() => planUnregister(program, setting)).toThrow(/another BELLHOP_HOME/);
    remove(program, other);
    expect(stateOf(program)).toBe("absent");
  });

  it("follows a link, which stays", () => {
    const file = program.file(setting);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(join(userHome, "elsewhere"), file);
    const target = given(
      program,
      program.name === "codex" ? "a = 1\n" : '{ "a": 1 }\n',
      join(userHome, "elsewhere"),
    );
    const before = readFileSync(target, "utf8");
    install(program);
    expect(readFileSync(target, "utf8")).toContain("bellhop");
    remove(program);
    expect(readFileSync(target, "utf8")).toBe(before);
  });

  it("does not write over what somebody else wrote meanwhile", () => {
    const plan = planRegister(program, setting);
    const file = given(program, program.name === "codex" ? "b = 1\n" : '{ "b": 1 }\n');
    expect(() => applyMcpPlan(plan, Date.now)).toThrow(/changed by somebody else/);
    expect(readFileSync(file, "utf8")).toContain("b");
  });
});

describe.each(["claude", "gemini", "opencode"])("%s", (name) => {
  const program = named(name);
  const list = name === "opencode" ? "mcp" : "mcpServers";
  const entry = (command: string, args: readonly string[]) =>
    name === "opencode" ? { type: "local", command: [command, ...args] } : { command, args };

  it.each([
    `{\n  "${list}": {}\n}\n`,
    `{"${list}":{}}`,
    `{\n\t"a": [1, 2],\n\t"${list}": {\n\t\t"other": { "command": ["x"] }\n\t},\n\t"z": null\n}`,
    `{ "a": 1, "${list}": { "other": {} } }`,
    '{\r\n  "a": "b"\r\n}\r\n',
    '\uFEFF{\n  "a": 1\n}\n',
  ])("leaves %j as it was, after install and remove", (text) => {
    const file = given(program, text);
    install(program);
    expect(stateOf(program)).toBe("installed");
    remove(program);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("leaves any settings as they were", () => {
    const member = fc.constantFrom("a", list, "é b");
    const other = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.dictionary(member, other), fc.constantFrom(undefined, 2, "\t"), (settings, space) => {
        const text = `${JSON.stringify(settings, null, space)}\n`;
        fc.pre(text !== "{}\n" && !Object.hasOwn(settings[list] ?? {}, "bellhop"));
        const after = program.add(text, "file", { command: ["bellhop", "mcp"], environment: {} });
        expect(JSON.parse(after)[list].bellhop).toBeDefined();
        expect(program.remove(after, "file")).toBe(text);
      }),
    );
  });

  it("leaves an entry alone that it did not write", () => {
    const text = JSON.stringify({ [list]: { bellhop: entry("elsewhere", ["serve"]) } });
    const file = given(program, text);
    expect(stateOf(program)).toBe("foreign");
    expect(() => planRegister(program, setting)).toThrow(/not the server/);
    expect(() => planUnregister(program, setting)).toThrow(/not the server/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("knows an entry that a person wrote for it, with settings of their own", () => {
    given(
      program,
      JSON.stringify({ [list]: { bellhop: { ...entry("/opt/bin/bellhop", ["mcp"]), note: 1 } } }),
    );
    expect(stateOf(program)).toBe("installed");
    expect(planRegister(program, setting).change).toBeUndefined();
  });

  it.each(["{", "[]", `{ "${list}": [] }`, `{ "${list}": 1 }`])("refuses %j", (text) => {
    const file = given(program, text);
    expect(() => planRegister(program, setting)).toThrow(/cannot be changed/);
    expect(stateOf(program)).toBe("unreadable");
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe.each(["gemini", "opencode"])("%s", (name) => {
  const program = named(name);
  const list = name === "opencode" ? "mcp" : "mcpServers";

  it.each([
    '{\n  // the model\n  "model": "a/b" // mine\n}\n',
    '{\n  "model": "a/b", // mine, too\n}\n',
    '{\n  "model": "a/b", /* mine */\n  // the end\n}\n',
    `{\n  "${list}": {\n    // none yet\n  },\n}\n`,
    `{\n  "${list}": {\n    "x": {}, // one\n    "y": {} // two\n  }\n}\n`,
    `// all of it\n{ "${list}": { "x": {} /* one */ } }\n`,
  ])("keeps the comments of %j", (text) => {
    const file = given(program, text);
    install(program);
    const written = readFileSync(file, "utf8");
    expect(stateOf(program), written).toBe("installed");
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(written).toContain(comment);
    remove(program);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe("claude", () => {
  const program = named("claude");

  it("writes to the file that Claude Code uses", () => {
    expect(program.file(setting)).toBe(join(userHome, ".claude.json"));
    const chosen = { ...setting, environment: { CLAUDE_CONFIG_DIR: join(userHome, "chosen") } };
    expect(program.file(chosen)).toBe(join(userHome, "chosen", ".claude.json"));
    given(program, "{}", join(userHome, "chosen", ".config.json"));
    expect(program.file(chosen)).toBe(join(userHome, "chosen", ".config.json"));
  });

  it("takes a lock that its holder abandoned, and gives it back", () => {
    const lock = `${program.file(setting)}.lock`;
    mkdirSync(lock);
    utimesSync(lock, 0, 0);
    install(program);
    expect(stateOf(program)).toBe("installed");
    expect(existsSync(lock)).toBe(false);
  });

  it("changes nothing while a session holds the lock", () => {
    mkdirSync(`${program.file(setting)}.lock`);
    expect(() => install(program)).toThrow(/did not finish/);
    expect(existsSync(program.file(setting))).toBe(false);
  });

  it("refuses comments, as Claude Code does", () => {
    given(program, '{\n  // mine\n  "a": 1\n}\n');
    expect(stateOf(program)).toBe("unreadable");
  });
});

describe("opencode", () => {
  const program = named("opencode");

  it("writes into the file that the person has, and finds the entry in any of them", () => {
    const folder = join(userHome, ".config", "opencode");
    const commented = given(program, "{}\n", join(folder, "opencode.jsonc"));
    expect(program.file(setting)).toBe(commented);
    const plain = given(program, '{ "mcp": { "bellhop": {} } }\n', join(folder, "opencode.json"));
    expect(program.file(setting)).toBe(plain);
  });
});

describe("codex", () => {
  const program = named("codex");

  it.each([
    'model = "x"',
    'model = "x"\n\n[mcp_servers.other]\ncommand = "y" # mine\n',
    '# "[mcp_servers.bellhop]"\ntext = """\n[mcp_servers.bellhop]\n"""\r\n',
    '[mcp_servers]\nother = { command = "y" }\n',
  ])("leaves %j as it was, after install and remove", (text) => {
    const file = given(program, text);
    install(program);
    expect(readFileSync(file, "utf8").startsWith(text)).toBe(true);
    expect(stateOf(program)).toBe("installed");
    remove(program);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("takes the tables below the entry with it, and nothing else", () => {
    const file = given(program, "");
    install(program);
    const more =
      '\n[mcp_servers.bellhop.tools.inbox]\napproval_mode = "approve"\n\n# mine\n[profiles.a]\nb = 1\n';
    writeFileSync(file, readFileSync(file, "utf8") + more);
    remove(program);
    expect(readFileSync(file, "utf8")).toBe("\n# mine\n[profiles.a]\nb = 1\n");
  });

  it.each([
    ['[mcp_servers.bellhop]\nurl = "https://example.com/mcp"\n', "foreign"],
    ['[mcp_servers.bellhop]\ncommand = "bellhop"\nargs = ["mcp", "x"]\n', "foreign"],
    ['[mcp_servers."bellhop"]\ncommand = \'/opt/bellhop\'\nargs = [ "mcp", ]\nenabled = true\n', "installed"],
    ["mcp_servers = { a = { command = 'x' } }\n", "unreadable"],
    ["mcp_servers.bellhop.command = 'x'\n", "unreadable"],
    ["[mcp_servers]\nbellhop = { command = 'x' }\n", "unreadable"],
    ["a = [\n", "unreadable"],
  ])("finds %j to be %s", (text, state) => {
    const file = given(program, text);
    expect(stateOf(program)).toBe(state);
    if (state !== "installed") expect(() => planRegister(program, setting)).toThrow();
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
