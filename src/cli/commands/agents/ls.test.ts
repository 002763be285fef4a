import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { ListedSession } from "../../../wire/shapes/sessions.ts";

const session = (changes: Partial<ListedSession>): ListedSession => ({
  id: "08bc57cf",
  agent: "api",
  label: "work:0.0",
  program: "claude",
  terminal: { kind: "pty" },
  readiness: "idle",
  queued: 0,
  headline: "08bc57cf",
  ...changes,
});
const ls = (argv: readonly string[], sessions: readonly ListedSession[]) =>
  perform(["ls", ...argv], { answers: { ls: async () => ({ sessions, wants: {}, mail: 0 }) } });

describe("bellhop ls", () => {
  it("leaves the headline empty where there is nothing to say, and does not repeat the id", async () => {
    const sessions = [session({}), session({ id: "725fe7bb", agent: "web", headline: "the login page" })];
    expect((await ls([], sessions)).stdout.trimEnd().split("\n")).toEqual([
      "AGENT  ID        PROGRAM  STATE  QUEUED  WHERE     HEADLINE",
      "api    08bc57cf  claude   idle   0       work:0.0",
      "web    725fe7bb  claude   idle   0       work:0.0  the login page",
    ]);
  });

  it("keeps a headline for every session in --json", async () => {
    expect(JSON.parse((await ls(["--json"], [session({})])).stdout)).toMatchObject([
      { headline: "08bc57cf" },
    ]);
  });
});
