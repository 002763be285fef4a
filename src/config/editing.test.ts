import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Edited, withAdded, withoutEntry, withoutItems } from "./editing.ts";

const TELEGRAM = { token_file: "secrets/telegram-token" };
const add = (text: string) => withAdded(text, ["bridges", "telegram"], TELEGRAM);
const addChannel = (text: string) => withAdded(text, ["person", "channels"], ["telegram/42"]);

/** What was inserted, if everything before and after it is as it was. */
function insertion(before: string, after: Edited): string {
  if (after === undefined) throw new Error("It was refused.");
  const length = after.length - before.length;
  for (let at = 0; at <= before.length; at += 1)
    if (after.slice(0, at) + after.slice(at + length) === before) return after.slice(at, at + length);
  throw new Error(`Something else was changed:\n${after}`);
}

const FILES: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["only comments", "# mine\n\n# and more"],
  [
    "other sections, odd layout",
    "delivery:   { max_batch_size:  3 }  # why\n\n\nhttp:\n        port: 0   # any\n",
  ],
  ["no newline at the end", "http: { port: 0 }"],
  ["Windows lines", "# a\r\nhttp:\r\n  port: 0\r\n"],
  [
    "another bridge",
    "bridges: # ways out\n    # my slack\n    slack:\n        app_token_env: A # x\n        bot_token_env: B\n# end\n",
  ],
  ["an empty section", "bridges:\nhttp: { port: 0 }\n"],
  ["a section in braces", "bridges: { slack: { app_token_env: A, bot_token_env: B } } # x\nhttp: {}\n"],
  ["empty braces", "bridges: {}\n"],
  ["braces over several lines", "bridges: {\n  slack: { app_token_env: A,\n    bot_token_env: B }, # y\n}\n"],
  ["the whole file in braces", "{ http: { port: 0 } }\n"],
  [
    "channels",
    "person:\n  # phone first\n  channels:\n  - slack/T/@U # me\n  - email/a@b/c@d\n\nhttp:\n  port: 0\n",
  ],
  ["indented channels", "person:\n  channels:\n    - slack/T/@U\n"],
  ["channels in brackets", 'person: { channels: ["slack/T/@U", ] }\n'],
  ["no channels", "person: { channels: [] } # nobody\n"],
  ["a person without channels", "person:\n  idle: 300 # s\n"],
  ["folded and literal texts", "agents:\n  - name: a\n    about: |\n      one\n\n      two\n"],
];

describe("the config file", () => {
  it.each(FILES)("with %s gets a section, and stays as it is otherwise", (_what, before) => {
    const after = add(before);
    expect(insertion(before, after)).toContain("telegram");
    expect(parse(after ?? "").bridges.telegram).toEqual(TELEGRAM);
    expect(withoutEntry(after ?? "", ["bridges", "telegram"])).toSatisfy(
      (again: string) => JSON.stringify(parse(again) ?? {}) === JSON.stringify(pruned(parse(before) ?? {})),
    );
  });

  it.each(FILES)("with %s gets a channel, the last one, and loses only that again", (_what, before) => {
    const after = addChannel(before);
    insertion(before, after);
    expect(parse(after ?? "").person.channels.at(-1)).toBe("telegram/42");
    const again = withoutItems(after ?? "", ["person", "channels"], (one) => one.startsWith("telegram/"));
    expect(again === undefined ? "refused" : (parse(again) ?? {})).toEqual(
      withoutEmptyPerson(parse(before) ?? {}),
    );
  });

  it.each([
    ["# a\nhttp:\n  port: 0 # b\n"],
    ["bridges:\n  # mine\n  slack:\n    app_token_env: A\n    bot_token_env: B\n# end\n"],
    ["person:\n  channels:\n    - slack/T/@U # me\n"],
    ["x\r\n".replace("x", "http: {}")],
  ])("is the same to the byte after a bridge came and went: %j", (before) => {
    const both = addChannel(add(before) ?? "") ?? "";
    const less = withoutItems(both, ["person", "channels"], (one) => one === "telegram/42") ?? "";
    expect(withoutEntry(less, ["bridges", "telegram"])).toBe(before);
  });

  it("keeps the comments around a section that goes", () => {
    const text =
      "# top\nbridges: # ways\n  # mine\n  telegram: # bot\n    token_env: T # t\n  # after\nhttp: {}\n";
    const left = withoutEntry(text, ["bridges", "telegram"]);
    expect(left).toBe("# top\n  # mine\n  # after\nhttp: {}\n");
  });

  it.each([
    ["no mapping", "- a\n"],
    ["not YAML", "a: [\n"],
    ["an alias", "x: &x { slack: {} }\nbridges: *x\n"],
    ["a null that is written", "bridges: ~\n"],
    ["two documents", "a: 1\n---\nb: 2\n"],
    ["an end mark", "a: 1\n...\n"],
    ["a telegram already", "bridges: { telegram: { token_env: T } }\n"],
  ])("with %s is left to its owner", (_what, text) => {
    expect(add(text)).toBeUndefined();
  });

  it("is unchanged if there is nothing to remove", () => {
    const text = "http: {}\n";
    expect(withoutEntry(text, ["bridges", "telegram"])).toBe(text);
    expect(withoutItems(text, ["person", "channels"], () => true)).toBe(text);
  });
});

function pruned(plain: Record<string, unknown>): unknown {
  const { bridges, ...others } = plain as { bridges?: Record<string, unknown> | null };
  return bridges && Object.keys(bridges).length > 0 ? plain : others;
}

function withoutEmptyPerson(plain: Record<string, unknown>): unknown {
  const { person, ...others } = plain as { person?: { channels?: unknown[] } };
  return person?.channels?.length === 0 ? others : plain;
}
