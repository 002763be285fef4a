import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escaped, readable } from "./markup.ts";

const own = { userId: "U1BOT", name: "bellhop" };

describe("Slack's markup", () => {
  it.each([
    ["a &lt;b&gt; &amp; c", "a <b> & c"],
    ["&amp;lt;", "&lt;"],
    ["<@U1BOT> status?", "status?"],
    ["  <@U1BOT|bellhop>, status?", "status?"],
    ["<@U1BOT>", ""],
    ["ask <@U1BOT> or <@U2>", "ask @bellhop or @U2"],
    ["<@U2|ada> said", "@ada said"],
    ["see <#C1|general> and <#C2>", "see #general and #C2"],
    ["<!here> <!channel> <!subteam^S1|@team> <!subteam^S1>", "@here @channel @team @subteam^S1"],
    ["<!date^1392734382^{date}|18 Feb>", "18 Feb"],
    ["<https://example.org/a?b=1&amp;c=2>", "https://example.org/a?b=1&c=2"],
    ["<http://example.org|example.org>", "example.org"],
    ["<http://example.org/|example.org>", "example.org"],
    ["<mailto:a@example.org|a@example.org>", "a@example.org"],
    ["<https://example.org|the page>", "the page (https://example.org)"],
    ["a < b <\n>", "a < b <\n>"],
    ["<>", ""],
  ])("%j is read as %j", (markup, text) => {
    expect(readable(markup, own)).toBe(text);
  });

  it("brings any text back as it was, and leaves nothing that means something in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(escaped(text)).not.toMatch(/[<>]/);
        expect(readable(escaped(text), own)).toBe(text);
      }),
    );
  });
});
