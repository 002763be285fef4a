import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  comparedLiteral,
  formatLiteral,
  isQuotable,
  messageLiteral,
  quote,
  searchedLiteral,
} from "./quote.ts";

describe("quote", () => {
  it("leaves ordinary words and formats readable", () => {
    expect(quote("#{==:#{pane_pid},42}")).toBe('"#{==:#{pane_pid},42}"');
  });

  it("writes everything that means something to tmux as octal", () => {
    expect(quote(`"\\$~;'\``)).toBe('"\\042\\134\\044\\176\\073\\047\\140"');
    expect(quote("a\nb\t\x1b\x7f")).toBe('"a\\012b\\011\\033\\177"');
  });

  it("keeps characters beyond ASCII as they are", () => {
    expect(quote("é漢👩‍👧")).toBe('"é漢👩‍👧"');
  });

  it("never lets a newline or a second quote out, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const quoted = quote(text);
        expect(quoted).not.toMatch(/[\n\r]/);
        expect(quoted.slice(1, -1)).not.toMatch(/["$~;']/);
      }),
    );
  });

  it("can be undone by reading the octal back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const undone = quote(text)
          .slice(1, -1)
          .replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
        expect(undone).toBe(text);
      }),
    );
  });

  it("says which text tmux cannot hold", () => {
    expect(isQuotable("a\0b")).toBe(false);
    expect(isQuotable("a\x01b")).toBe(true);
  });
});

describe("literals inside formats", () => {
  it("cannot close a comparison", () => {
    expect(comparedLiteral("a,b}c#d")).toBe("a#,b#}c##d");
  });

  it("are searched for as they are, and not as an expression", () => {
    expect(searchedLiteral("a.b [1/2] {c},#d (3s)? $x^|*+\\")).toBe(
      "a\\.b \\[1/2] \\{c#}#,##d \\(3s\\)\\? \\$x\\^\\|\\*\\+\\\\",
    );
  });

  it("cannot start a format", () => {
    expect(formatLiteral("/tmp/#{pid}")).toBe("/tmp/##{pid}");
  });

  it("cannot carry a time, a colour or a control character into a message", () => {
    expect(messageLiteral("50%d #[fg=red]\x1b[31m\nnext")).toBe("50%%d ##[fg=red] [31m next");
  });
});
