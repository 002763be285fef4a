import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ATTENTION_KINDS } from "../core/attention.ts";
import { parseConfig } from "./config.ts";
import { withQuietHours } from "./quiet.ts";

const NIGHT = { hours: "22:00-07:00", except: ["permission"] } as const;

describe("quiet hours in config.yaml", () => {
  it.each([
    ["an empty file", ""],
    ["a file without a person", "# mine\nhttp: { port: 1 } # port\n"],
    ["a person in a block", "person:\n  # who I am\n  channel: telegram/1 # phone\nhttp: {}\n"],
    ["a person in braces", "person: { channel: telegram/1 } # me\n"],
    [
      "other hours",
      'person:\n  quiet: "01:00-02:00" # short\n  quiet_except: [loop]\n  channel: telegram/1\n',
    ],
    ["nothing else", 'person: { quiet: "01:00-02:00" }\n'],
  ])("are set in %s, and nothing else changes", (_, text) => {
    const edited = withQuietHours(text, NIGHT) ?? "";
    const before = (parse(text) ?? {}) as { readonly person?: object };
    expect(parse(edited)).toEqual({
      ...before,
      person: { ...before.person, quiet: NIGHT.hours, quiet_except: NIGHT.except },
    });
    const comments = text.match(/# (mine|port|who I am|phone)/g) ?? [];
    for (const comment of comments) expect(edited).toContain(comment);
  });

  it("are taken out again", () => {
    const text = "# mine\nperson:\n  channel: telegram/1\n";
    const set = withQuietHours(text, NIGHT) ?? "";
    expect(withQuietHours(set, { hours: "", except: [] })).toBe(text);
  });

  it("are refused in a file that cannot be changed safely", () => {
    expect(withQuietHours("person: 3\n", NIGHT)).toBeUndefined();
    expect(withQuietHours("[1, 2]\n", NIGHT)).toBeUndefined();
  });

  it("are read as they were set, whatever they are", () => {
    const clock = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    fc.assert(
      fc.property(clock, clock, fc.uniqueArray(fc.constantFrom(...ATTENTION_KINDS)), (from, to, except) => {
        fc.pre(from !== to);
        const edited = withQuietHours("person: { channels: [telegram/42] }\n", {
          hours: `${from}-${to}`,
          except,
        });
        const { quiet, quietExcept } = parseConfig(edited ?? "", "config.yaml").values.person;
        expect([quiet, quietExcept]).toEqual([`${from}-${to}`, except]);
      }),
    );
  });
});
