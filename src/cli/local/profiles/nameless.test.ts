import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScreenLines } from "../../../terminals/tmux/screen/parser.ts";
import { namelessLine, namelessText } from "./nameless.ts";

const WHOSE = { home: "/home/alice", user: "alice", host: "box.example" };

describe("namelessText", () => {
  it.each([
    ["cwd: /home/alice/repo │", "cwd: /home/dev__/repo │"],
    ["alice@box:~$ ls", "dev__@hos:~$ ls"],
    ["welcome, alice!", "welcome, dev__!"],
    ["malice and alice_2 stay", "malice and alice_2 stay"],
    ["on box.example now", "on host_______ now"],
    ["a.lice+x@mail.example.org's plan", "dev@example.com__________'s plan"],
    ["nothing of theirs", "nothing of theirs"],
  ])("turns %j into %j", (text, expected) => {
    expect(namelessText(text, WHOSE)).toBe(expected);
  });

  it("leaves names alone that are everybody's", () => {
    expect(namelessText("root user on localhost", { home: "/root", user: "root", host: "localhost" })).toBe(
      "root user on localhost",
    );
  });

  it("never moves anything", () => {
    const piece = fc.constantFrom(
      "alice",
      "/home/alice",
      "box.example",
      "box",
      "a@b.cd",
      " ",
      "│",
      "x",
      "四",
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        expect(namelessText(text, WHOSE)).toHaveLength(text.length);
      }),
    );
  });
});

it("finds a name across two colours, and keeps the colours", () => {
  const [line] = parseScreenLines(["\x1b[31mal\x1b[32mice\x1b[0m here"]);
  if (line === undefined) throw new Error("no line");
  const { text, runs } = namelessLine(line, WHOSE);
  expect(text).toBe("dev__ here");
  expect(runs.map((run) => [run.text, run.foreground])).toEqual([
    ["de", "31"],
    ["v__", "32"],
    [" here", ""],
  ]);
});
