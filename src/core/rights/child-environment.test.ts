import { expect, it } from "vitest";
import { childEnvironment, SESSION_VARIABLES } from "./child-environment.ts";

it("leaves out whose session it was asked in and how large that window is, and keeps the rest", () => {
  const theirs = Object.fromEntries(SESSION_VARIABLES.map((name) => [name, "theirs"]));
  const inherited = { ...theirs, LINES: "24", COLUMNS: "80", PATH: "/bin", HOME: undefined };
  expect(childEnvironment(inherited, { BELLHOP_AGENT: "coder" })).toEqual({
    PATH: "/bin",
    BELLHOP_AGENT: "coder",
  });
});

it.each([
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_PID",
  "CLAUDECODE",
  "CODEX_THREAD_ID",
])("leaves out %s, which an agent program sets for what it runs", (name) => {
  expect(childEnvironment({ [name]: "theirs" }, {})).toEqual({});
});

it("leaves out what holds a secret", () => {
  expect(childEnvironment({ TOKEN: "secret", PATH: "/bin" }, {}, ["TOKEN"])).toEqual({ PATH: "/bin" });
});
