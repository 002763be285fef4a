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

  it("lists the agents of all hosts, with what their hosts last said", async () => {
    const sessions = [session({ headline: "the login page" })];
    const there = { host: "box", agent: "coder", readiness: "busy", sessions: ["725fe7bb"] } as const;
    const elsewhere = [
      { ...there, program: "codex", hostState: "up", heardAt: 0 },
      { ...there, host: "laptop", hostState: "silent", heardAt: 0 },
    ] as const;
    const asked: unknown[] = [];
    const answers = {
      ls: async (request: unknown) => {
        asked.push(request);
        return { sessions, wants: {}, mail: 0, host: "desk", elsewhere };
      },
    };
    const { stdout } = await perform(["ls", "--all-hosts"], { answers });
    expect(asked).toEqual([{ allHosts: true }]);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "HOST    AGENT  ID        PROGRAM  STATE                             QUEUED  HEADLINE",
      "desk    api    08bc57cf  claude   idle                              0       the login page",
      "box     coder  725fe7bb  codex    busy",
      expect.stringMatching(/^laptop {2}coder {2}725fe7bb {11}busy when last heard at \d\d:\d\d:\d\d$/),
    ]);
    const json = await perform(["ls", "--all-hosts", "--json"], { answers });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { host: "desk", id: "08bc57cf", agent: "api" },
      { host: "box", agent: "coder", readiness: "busy", sessions: ["725fe7bb"], hostState: "up" },
      { host: "laptop", agent: "coder" },
    ]);
  });

  it("lists the mailboxes of this host beside those of the others", async () => {
    const mailbox = { readiness: "offline", sessions: [], hostState: "up", heardAt: 0 } as const;
    const answers = {
      ls: async () => ({
        ...{ sessions: [], wants: {}, mail: 0, host: "desk" },
        mailboxes: [{ ...mailbox, host: "desk", agent: "own" }],
        elsewhere: [{ ...mailbox, host: "box", agent: "coder" }],
      }),
    };
    const { stdout } = await perform(["ls", "--all-hosts", "--all"], { answers });
    expect(stdout.trimEnd().split("\n").slice(1)).toEqual([
      expect.stringMatching(/^desk {2}own .*offline$/u),
      expect.stringMatching(/^box {3}coder .*offline$/u),
    ]);
    const json = await perform(["ls", "--all-hosts", "--all", "--json"], { answers });
    expect(JSON.parse(json.stdout)).toMatchObject([{ host: "desk", agent: "own" }, { host: "box" }]);
  });

  it("says how to see mailboxes if nobody runs on any host", async () => {
    const answers = { ls: async () => ({ sessions: [], wants: {}, mail: 0, host: "desk", elsewhere: [] }) };
    expect((await perform(["ls", "--all-hosts"], { answers })).stdout).toBe(
      "No agents run here, and no other host has said that some run there. Mailboxes without a program: bellhop ls --all-hosts --all. The hosts: bellhop cluster hosts\n",
    );
    expect((await perform(["ls", "--all-hosts", "--all"], { answers })).stdout).toBe(
      "There are no agents here, and no other host has said that some are there. The hosts: bellhop cluster hosts\n",
    );
  });

  it("says so if there is no cluster, and does not watch several hosts", async () => {
    const { stdout } = await ls(["--all-hosts"], [session({})]);
    expect(stdout).toContain("This host is in no cluster.");
    expect((await ls(["--all-hosts", "--watch"], [])).stderr).toContain(
      "--watch and --all-hosts cannot both",
    );
  });

  it("keeps a headline for every session in --json", async () => {
    expect(JSON.parse((await ls(["--json"], [session({})])).stdout)).toMatchObject([
      { headline: "08bc57cf" },
    ]);
  });
});
