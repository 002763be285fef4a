/** Whatever a file held and its program has added since, remove takes out exactly the bytes that install put in. */
import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { HookedHome, type HookedName, hookedProgram, SETTINGS } from "../../tests/hooked-home.ts";
import { withHandlers, withoutHandlers } from "../hooks/handlers.ts";
import { addMember, parseJsonText } from "../hooks/json-text.ts";
import { withAllowRules, withoutAllowRules } from "./claude/hooks/settings.ts";
import { withCodexRules, withoutCodexRules } from "./codex/hooks/rules.ts";
import { changeTrust } from "./codex/hooks/trust.ts";

const HOOKS = "/home/dev/.codex/hooks.json";
const OURS = new Map([
  [`${HOOKS}:stop:0:0`, "sha256:1"],
  [`${HOOKS}:session_start:1:0`, "sha256:2"],
]);
const CHANGE = { add: new Map(), drop: new Set<string>(), dropHashes: new Set<string>(), move: new Map() };
const MARK =
  '# Bellhop: Codex trusts these hooks. Written by "bellhop hooks install", removed by "bellhop hooks remove".';

function changed(config: string, change: Partial<typeof CHANGE>): string {
  const outcome = changeTrust(config, { ...CHANGE, ...change });
  return outcome.kind === "text" ? outcome.text : config;
}
const trusted = (config: string) => changed(config, { add: OURS });
const untrusted = (config: string) => changed(config, { drop: new Set(OURS.keys()) });

/** As written by an older version, which did not handle a last line without a line end. */
function trustedByAnOlder(config: string): string {
  const tables = [...OURS].map(([name, hash]) => `[hooks.state."${name}"]\ntrusted_hash = "${hash}"\n`);
  return `${config}${config === "" ? "" : "\n"}${MARK}\n${tables.join("\n")}`;
}

/** Pieces of a file; `names` keeps them distinct from those of another. */
function toml(names: string): fc.Arbitrary<string> {
  const value = fc.constantFrom(
    "1",
    '"a # b"',
    "'C:\\'",
    "[1, 2]",
    '[\n  "[x]", # ]\n]',
    `"""\n[hooks]\nstate = 1\n${MARK}\n"""`,
    "'''\n[t]'''",
    '""""quoted""""',
    "{ a = [1] }",
  );
  const piece = fc.oneof(
    { weight: 3, arbitrary: value.map((text) => (at: number) => `${names}${at} = ${text}`) },
    fc.constantFrom(
      () => "",
      () => "# a note",
      (at: number) => `[${names}${at}]`,
      (at: number) => `\t[${names}${at}."a]b"] # why`,
      () => `[[${names}]]`,
      (at: number) => `[hooks.state."/${names}/hooks.json:stop:${at}:0"]\ntrusted_hash = "sha256:0"`,
    ),
  );
  return fc
    .tuple(
      fc.array(piece, { maxLength: 8 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\n", "\n\n"),
    )
    .map(([pieces, newline, end]) =>
      (pieces.map((make, at) => make(at)).join("\n") + end).replaceAll("\n", newline),
    );
}

/** Joins the files; a line never runs into the next. */
function joined(first: string, second: string): string {
  const glued = first !== "" && !first.endsWith("\n") && second !== "" && !/^\r?\n/.test(second);
  return first + (glued ? (first.includes("\r\n") ? "\r\n" : "\n") : "") + second;
}

function parses(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("what install puts into Codex's config.toml", () => {
  it("goes to the byte, whatever the program has put before and behind it since", () => {
    fc.assert(
      fc.property(toml("mine"), fc.constantFrom("", 'early = "x"\n'), toml("later"), (mine, early, later) => {
        const installed = trusted(mine);
        fc.pre(installed !== mine);
        if (parses(mine)) expect(parses(installed)).toBe(true);
        expect(trusted(installed)).toBe(installed);
        const since = early + installed + later;
        const taken = untrusted(since);
        expect(taken).toBe(early + joined(mine, later));
        expect(untrusted(taken)).toBe(taken);
        if (parses(mine) && parses(since) && parses(joined(early + mine, later)))
          expect(parses(taken)).toBe(true);
        // Again, at the end: another place, the same text.
        expect(untrusted(trusted(since))).toBe(early + joined(mine, later));
      }),
    );
  });

  it("goes with every line whole where an older version put it", () => {
    fc.assert(
      fc.property(toml("mine"), toml("later"), (mine, later) => {
        fc.pre(trusted(mine) !== mine);
        const ended = mine === "" || mine.endsWith("\n") ? mine : `${mine}\n`;
        expect(untrusted(trustedByAnOlder(mine) + later)).toBe(ended + later);
        expect(trusted(trustedByAnOlder(mine))).toBe(trustedByAnOlder(mine));
      }),
    );
  });

  it("is not glued to what follows", () => {
    const since = `${trusted('model = "x"')}[later]\na = 1\n`;
    expect(untrusted(since)).toBe('model = "x"\n[later]\na = 1\n');
  });

  it("leaves the block of another home where it is", () => {
    const theirs = new Map([["/other/hooks.json:stop:0:0", "sha256:3"]]);
    for (const mine of ["a = 1\n", "[b]\n"]) {
      const both = changed(trusted(mine), { add: theirs });
      expect(changed(both, { drop: new Set(theirs.keys()) })).toBe(trusted(mine));
      expect(changed(untrusted(both), { drop: new Set(theirs.keys()) })).toBe(mine);
      expect(untrusted(both)).toContain(MARK);
    }
  });
});

describe("what install puts into Codex's rules", () => {
  const line = fc.constantFrom("", "# mine", 'prefix_rule(pattern = ["ls"], decision = "allow")');
  const rules = fc
    .tuple(fc.array(line, { maxLength: 4 }), fc.constantFrom("", "\n"))
    .map(([lines, end]) => lines.join("\n") + end);

  it("goes to the byte, whatever has been put behind it since", () => {
    fc.assert(
      fc.property(rules, rules, (mine, later) => {
        const installed = withCodexRules(mine);
        expect(withCodexRules(installed)).toBe(installed);
        const taken = withoutCodexRules(installed + later);
        expect(taken ?? "").toBe(joined(mine, later));
        expect(withoutCodexRules(taken)).toBe(taken);
      }),
    );
  });

  it("takes the place of an older version's", () => {
    const older = withCodexRules("# mine\n").replace('"send", ', '"send", "queue", ');
    expect(withCodexRules(older)).toBe(withCodexRules("# mine\n"));
    expect(withoutCodexRules(`${older}# later\n`)).toBe("# mine\n# later\n");
  });
});

describe("what install puts into JSON settings", () => {
  const SCRIPT = "/home/dev/.bellhop/hooks/bellhop-hook";
  const RULES = ["Bash(bellhop send:*)", "Read(~/.bellhop/messages/**)"];
  const PATH = "settings.json";
  const installed = (text: string, program: HookedName) =>
    withAllowRules(withHandlers(text, PATH, hookedProgram(program), SCRIPT), PATH, RULES);
  const removed = (text: string, program: HookedName) =>
    withoutAllowRules(withoutHandlers(text, PATH, hookedProgram(program), SCRIPT), PATH, RULES);

  const group = fc.constantFrom(
    { hooks: [{ type: "command", command: "mine" }] },
    { matcher: "Bash", hooks: [{ type: "command", command: "sh /x/hooks/bellhop-hook claude Stop" }] },
    { hooks: [] },
  );
  const groups = fc.array(group, { minLength: 1, maxLength: 3 });
  /** An empty list or object in the place of ours is equivalent to none. */
  const settings = fc
    .record(
      {
        model: fc.constantFrom("opus", 1, null, ["a"], {}),
        hooks: fc
          .record({ Stop: groups, PreToolUse: groups }, { requiredKeys: [] })
          .filter((each) => Object.keys(each).length > 0),
        permissions: fc
          .record(
            {
              allow: fc.array(fc.constantFrom("Bash(ls:*)", "WebSearch"), { minLength: 1 }),
              deny: fc.constant([]),
            },
            { requiredKeys: [] },
          )
          .filter((each) => Object.keys(each).length > 0),
        env: fc.constant({ A: "1" }),
      },
      { requiredKeys: [] },
    )
    .filter((each) => Object.keys(each).length > 0);
  const style = fc.record({
    indent: fc.constantFrom(0, 2, 4, "\t"),
    newline: fc.constantFrom("\n", "\r\n"),
    end: fc.constantFrom("", "\n", "\n\n"),
  });
  const program = fc.constantFrom<HookedName>("claude", "codex", "gemini");

  it("goes to the byte, also when the program has added to the file", () => {
    fc.assert(
      fc.property(settings, style, program, (value, { indent, newline, end }, who) => {
        const original = (JSON.stringify(value, null, indent) + end).replaceAll("\n", newline);
        const text = installed(original, who);
        expect(installed(text, who)).toBe(text);
        expect(removed(text, who)).toBe(original);
        expect(removed(original, who)).toBe(original);
        const withLater = (file: string) => {
          const root = parseJsonText(file);
          return root.kind === "object" ? addMember(file, root, "later", [1]) : file;
        };
        expect(removed(withLater(text), who)).toBe(withLater(original));
      }),
    );
  });

  it("goes also from a file that the program has written anew", () => {
    fc.assert(
      fc.property(settings, settings, program, (value, later, who) => {
        const text = installed(JSON.stringify(value), who);
        const anew = { ...(JSON.parse(text) as object), env: later, added: later };
        expect(JSON.parse(removed(JSON.stringify(anew, null, 4), who))).toEqual({
          ...value,
          env: later,
          added: later,
        });
      }),
    );
  });
});

describe("a home", () => {
  const home = new HookedHome();
  const files = {
    [SETTINGS.claude]: '{"model":"opus"}',
    [SETTINGS.codex]: '{\r\n  "hooks": {\r\n    "Stop": [{"hooks":[]}]\r\n  }\r\n}',
    ".codex/config.toml": 'model = "x"',
    [SETTINGS.gemini]: '{\n\t"ui": {"theme": "x"},\n\t"hooks": {"AfterAgent": [{"hooks": []}]}\n}',
    [SETTINGS.opencode]: '{ "theme": "x" }',
  };
  const programs = Object.keys(SETTINGS) as HookedName[];

  it("is as it was after install and remove, each once or twice, and of all programs in any order", () => {
    const acts = fc
      .constantFrom("install", "remove")
      .chain((act) => fc.constantFrom(...programs).map((program) => ({ act, program }) as const));
    for (const [name, text] of Object.entries(files)) home.put(name, text);
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 6 }), (all) => {
        for (const { act, program } of all) act === "install" ? home.install(program) : home.remove(program);
        for (const program of programs) home.remove(program);
        expect(home.everything()).toEqual(files);
      }),
      { numRuns: 25 },
    );
  });
});
