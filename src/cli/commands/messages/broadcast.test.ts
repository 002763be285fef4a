import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { SendResponse } from "../../../wire/shapes/messages.ts";

const reached = (...addresses: readonly string[]): SendResponse => ({
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: addresses.map((to, index) => ({ id: `d-${index}`, to, state: "queued" })),
});
const broadcast = (answer: SendResponse, ...words: readonly string[]) =>
  perform(["broadcast", ...words], { answers: { send: async () => answer } });

describe("bellhop broadcast", () => {
  it("sends to every agent and says whom it reached", async () => {
    const { status, stdout, asked } = await broadcast(reached("agent/api", "agent/w\x1b[31meb"), "frozen");
    expect(status).toBe(0);
    expect(stdout).toBe("sent #m7k2q9 to 2 agents: api, web\n");
    expect(asked).toEqual([
      { verb: "send", request: { to: "agent/**", body: "frozen", claims: { user: "dev" } } },
    ]);
  });

  it("names the sessions that heard it too", async () => {
    const { stdout } = await broadcast(reached("session/08bc57cf", "agent/api"), "frozen");
    expect(stdout).toBe("sent #m7k2q9 to 1 agent: api; and 1 session: 08bc57cf\n");
  });

  it("carries who sends, how urgent it is, and data", async () => {
    const { asked } = await broadcast(
      reached("agent/api"),
      ...["--from", "web", "--priority", "idle", "--command", "pull", "--payload", '{"branch_name":"main"}'],
    );
    expect(asked[0]?.request).toMatchObject({
      body: "",
      from: "web",
      priority: "idle",
      command: "pull",
      payload: { branch_name: "main" },
    });
  });

  it("gives scripts what send gives them", async () => {
    const answer = reached("agent/api", "agent/web");
    const { stdout } = await broadcast(answer, "frozen", "--json");
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  it("says that nobody is there, with status 3", async () => {
    const reason = "nobody subscribes to this path";
    const { status, stdout } = await broadcast({ ...reached(), unmatched: true, reason }, "frozen");
    expect(status).toBe(3);
    expect(stdout).toBe(
      `kept among the dead letters as #m7k2q9: ${reason}\n  To try again: bellhop unmatched reroute m7k2q9\n`,
    );
  });

  it.each<[string, readonly string[], string]>([
    ["no text", [], "message.empty"],
    ["two words", ["a", "b"], "usage.invalid"],
    ["a key", ["a", "--raw", "--key", "Enter"], "usage.invalid"],
    ["one recipient", ["a", "--re", "m7k2q9"], "usage.invalid"],
  ])("refuses %s", async (_, words, code) => {
    const { status, stderr, asked } = await broadcast(reached(), ...words, "--json");
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
    expect(asked).toEqual([]);
  });
});
