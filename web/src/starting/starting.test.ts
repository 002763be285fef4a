import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoardAgent } from "../../../src/wire/shapes/board.ts";
import {
  afterStart,
  knownFolders,
  missingIn,
  NO_WISH,
  startRequest,
  type Wish,
  wordsOf,
} from "./starting.ts";

const wish: Wish = { ...NO_WISH, folder: " /home/dev/repo ", prompt: "Look at the login test." };

describe("an agent that is to be started", () => {
  it("is asked for with what the person has typed", () => {
    expect(
      startRequest({ ...wish, command: "codex --model 'a b'", name: " api ", where: "tmux" }),
    ).toMatchObject({
      method: "POST",
      path: "/sessions",
      body: {
        prompt: "Look at the login test.",
        folder: "/home/dev/repo",
        command: ["codex", "--model", "a b"],
        name: "api",
        where: "tmux",
      },
    });
  });

  it("gets its folder's name if the person gives none", () => {
    expect(startRequest(wish).body).not.toHaveProperty("name");
  });

  it.each([
    [wish, []],
    [{ ...wish, folder: "repo" }, ["folder"]],
    [{ ...wish, folder: "~/repo" }, ["folder"]],
    [{ ...wish, command: "  " }, ["command"]],
    [{ ...wish, command: "claude 'open", prompt: " \n" }, ["command", "prompt"]],
  ])("%j still needs %j", (one, parts) => {
    expect(missingIn(one)).toEqual(parts);
  });

  it("leaves what was typed since it was asked for", () => {
    expect(afterStart({ ...wish, name: "api" }, { ...wish, name: "api", prompt: "Another." })).toEqual({
      ...wish,
      name: "",
      prompt: "Another.",
    });
  });
});

describe("a command", () => {
  it.each([
    ["claude", ["claude"]],
    ["  claude   -c ", ["claude", "-c"]],
    [`claude --name "a \\"b\\" c" 'd e'f`, ["claude", "--name", 'a "b" c', "d ef"]],
    ["a\\ b c", ["a b", "c"]],
    ['"\\$HOME \\`x\\` \\n"', ["$HOME `x` \\n"]],
    ["claude ''", ["claude", ""]],
    ["echo $HOME; ls | cat && x > y `z`", ["echo", "$HOME;", "ls", "|", "cat", "&&", "x", ">", "y", "`z`"]],
    ['"open', undefined],
    ["open\\", undefined],
    ["", undefined],
  ])("%j is %j", (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });

  it("comes back whatever its words are, if each is quoted", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
        expect(wordsOf(quoted.join(" "))).toEqual(words);
      }),
    );
  });
});

it("offers the folders of the agents, the most used first", () => {
  const of = (...folders: readonly (string | undefined)[]) =>
    ({ sessions: folders.map((folder) => ({ folder })) }) as unknown as BoardAgent;
  expect(knownFolders([of("/b"), of("/a", undefined), of("/c", "/c"), of()])).toEqual(["/c", "/a", "/b"]);
});
