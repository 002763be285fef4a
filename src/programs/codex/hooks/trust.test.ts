import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tomlLines } from "./toml-lines.ts";
import { changeTrust, trustHash, trustIn } from "./trust.ts";

const NOTHING = { add: new Map(), drop: new Set<string>(), dropHashes: new Set<string>(), move: new Map() };
const add = new Map([
  ['/home/d"e/hooks.json:stop:0:0', "sha256:1"],
  ["/home/dev/hooks.json:stop:1:0", "sha256:2"],
]);

function changed(config: string, change: Partial<typeof NOTHING>): string {
  const outcome = changeTrust(config, { ...NOTHING, ...change });
  if (outcome.kind !== "text") throw new Error(`line ${outcome.line}`);
  return outcome.text;
}

describe("trustHash", () => {
  it.each([
    ["UserPromptSubmit", 10, "8488e0d58153b7711c5ae2b2a8d8a0ae7c4d4daab5a024e85aa19512e722c319"],
    ["Stop", 10, "02db8334ceaa45b99e1b357b6824320fac2d8d0ab0f52709a1a7f2a1d65e70c0"],
    ["SessionStart", 10, "58c4c7d92a8b55d68f215a7680a73731248fe311946d3b8c70fcf441eca17b64"],
    ["SessionEnd", 3, "11b51d63aedd844e78982ac1beed6d5d3508869977f4ea2f04bbba7d8370e60c"],
    ["SubagentStop", 10, "a3f3b6eb171c4d402afc8ce47d9a65565d557eb17a076234d139bc5d483f5c1f"],
  ])("of %s is what Codex 0.166.0 computes", (event, timeout, hash) => {
    const command = "sh /home/dev/.bellhop/hooks/bellhop-hook codex é";
    expect(trustHash(event, { command, timeout })).toBe(`sha256:${hash}`);
  });
});

describe("changeTrust", () => {
  it("takes back what it added, to the byte", () => {
    const line = fc.constantFrom("", 'a = "b"', "# note", "[t]", "[[list]]", "x = [", "]", "\t[a.b] # c");
    const config = fc
      .tuple(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n"))
      .map(([lines, newline, end]) => lines.join(newline) + end);
    fc.assert(
      fc.property(config, (text) => {
        fc.pre(tomlLines(`${text}\n[end]`).at(-1)?.kind === "header");
        const installed = changed(text, { add });
        expect(changed(installed, { add })).toBe(installed);
        expect(changed(installed, { drop: new Set(add.keys()) })).toBe(text);
        expect(changed(installed, { dropHashes: new Set(add.values()) })).toBe(text);
      }),
    );
  });

  it("keeps what Codex or a person has put between and behind", () => {
    const installed = changed('model = "x"\n', { add });
    const between = installed.replace(
      '[hooks.state."/home/dev',
      '# mine\n[other]\na = 1\n\n[hooks.state."/home/dev',
    );
    const text = changed(`${between}\n[last]\nb = 2\n`, { drop: new Set(add.keys()) });
    expect(text).toBe('model = "x"\n\n# mine\n[other]\na = 1\n\n\n[last]\nb = 2\n');
  });

  it("takes over a place whose trust was for something else", () => {
    const [[name] = [""]] = add;
    const old = `[hooks.state.${JSON.stringify(name)}]\ntrusted_hash = "sha256:old"\n`;
    expect(trustIn(changed(old, { add })).get(name)).toEqual({ hash: "sha256:1", enabled: true });
    expect(changed(old, { add }).match(/\[hooks\.state/g)).toHaveLength(2);
  });

  it.each([
    "hooks = { state = {} }\n",
    '"hooks" = {}\n',
    "[[hooks]]\na = 1\n",
    "[ 'hooks' ]\n\"state\" = 1\n",
    "hooks.state.x.trusted_hash = 1\n",
    "[hooks]\nstate = {}\n",
    '[hooks.state]\n"a:stop:0:0" = { trusted_hash = "x" }\n',
    'a = [\n"unfinished",\n',
    'a = """\n',
  ])("leaves %j alone: a table more would break the file", (config) => {
    expect(changeTrust(config, { ...NOTHING, add })).toMatchObject({ kind: "by-hand" });
  });

  it("is not confused by text that looks like a table", () => {
    const config = 'a = """\n[hooks]\nstate = 1\n"""\nb = [\n  "[x]",\n]\n';
    expect(changed(config, { add }).startsWith(config)).toBe(true);
  });
});

describe("tomlLines", () => {
  it.each([
    ['a = """x\\"""\n[t]\n"""\n[u]', ["line", "inside", "inside", "header"]],
    ["a = '''x\n[t]\n'''\n[u]", ["line", "inside", "inside", "header"]],
    ["a = [ # [\n[1],\n]\n[[u]]", ["line", "inside", "inside", "header"]],
    ['a = "[" # """\n[u]', ["line", "header"]],
    ['a = "\\"[" # x\n[u."a]b"]\nb = 1', ["line", "header", "line"]],
  ])("reads %j", (config, kinds) => {
    expect(tomlLines(config).map(({ kind }) => kind)).toEqual(kinds);
  });

  it("loses nothing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("\n", "\r", '"', "'", "[", "]", "#", "a", "\\") }),
        (text) => {
          expect(
            tomlLines(text)
              .map((line) => line.text)
              .join(""),
          ).toBe(text);
        },
      ),
    );
  });
});
