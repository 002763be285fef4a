import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import type { DeliveryState } from "../../../core/message.ts";
import type { SendResponse, ShowResponse } from "../../../wire/shapes/messages.ts";

const sent = (state: DeliveryState = "queued"): SendResponse => ({
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [{ id: "d-1", to: "agent/coder", state }],
});
const stage: Stage = {
  answers: {
    send: async () => sent(),
    reply: async () => sent(),
    wait: async () => ({ state: "delivered", reached: true }),
    show: async () => ({ deliveries: sent("delivered").deliveries }) as unknown as ShowResponse,
  },
};
const requestOf = async (...argv: readonly string[]) => (await perform(argv, stage)).asked[0]?.request;

describe.each([
  ["send", "coder"],
  ["reply", "m7k2q9"],
])("bellhop %s with a time", (command, whom) => {
  it("carries when it expires and what the sender is to be told", async () => {
    const claims = { user: "dev" };
    expect(await requestOf(command, whom, "x", "--timeout", "5m")).toMatchObject({ timeoutMs: 300_000 });
    expect(await requestOf(command, whom, "x", "--timeout", "0")).toMatchObject({ timeoutMs: 0 });
    expect(await requestOf(command, whom, "x", "--notify-on-delivery")).toMatchObject({
      notifyOnDelivery: true,
    });
    const both = await requestOf(command, whom, "x", "--notify-on-delivery", "--notify-after", "1h30m");
    expect(both).toMatchObject({ notifyOnDelivery: true, notifyAfterMs: 5_400_000, claims });
    const none = (await requestOf(command, whom, "x")) as object;
    for (const field of ["timeoutMs", "notifyOnDelivery", "notifyAfterMs"])
      expect(none).not.toHaveProperty(field);
  });

  it("says when it expires, as long as it waits", async () => {
    const run = async (...options: readonly string[]) =>
      (await perform([command, whom, "x", ...options], stage)).stdout;
    expect(await run("--timeout", "90s")).toBe("queued #m7k2q9 for agent/coder, expires in 1m 30s\n");
    expect(await run("--timeout", "0")).toBe("queued #m7k2q9 for agent/coder\n");
    expect(await run()).toBe("queued #m7k2q9 for agent/coder\n");
    expect(await run("--timeout", "5m", "--json")).toBe(`${JSON.stringify(sent())}\n`);
    expect(await run("--timeout", "5m", "--wait", "delivered")).toBe(
      "queued #m7k2q9 for agent/coder, expires in 5m\ndelivered #m7k2q9 for agent/coder\n",
    );
  });

  it("names the agent whose session it goes to, before and after a wait", async () => {
    const to = { id: "d-1", to: "session/08bc57cf" };
    const queued = async () => ({
      ...sent(),
      deliveries: [{ ...to, state: "queued" as const, agent: "coder" }],
    });
    const show = async () => ({ deliveries: [{ ...to, state: "delivered" }] }) as unknown as ShowResponse;
    const answers = { ...stage.answers, send: queued, reply: queued, show };
    const run = async (...options: readonly string[]) =>
      (await perform([command, whom, "x", "--wait", "delivered", ...options], { answers })).stdout;
    expect(await run()).toBe(
      "queued #m7k2q9 for agent/coder (08bc57cf)\ndelivered #m7k2q9 for agent/coder (08bc57cf)\n",
    );
    expect(JSON.parse(await run("--json"))).toMatchObject({
      deliveries: [{ ...to, state: "delivered", agent: "coder" }],
    });
  });

  it.each<[string, readonly string[], RegExp]>([
    ["a word", ["--timeout", "soon"], /"soon" is not a length of time for --timeout/],
    ["a minus", ["--timeout=-5m"], /"-5m" is not a length of time for --timeout/],
    ["a minus that looks like an option", ["--timeout", "-5m"], /--timeout needs a value/],
    ["nothing", ["--timeout", ""], /"" is not a length of time/],
    ["eleven years", ["--timeout", "4015d"], /not a length of time/],
    [
      "a word for the notice",
      ["--notify-after", "later"],
      /"later" is not a length of time for --notify-after/,
    ],
    ["a notice without a time", ["--notify-after"], /--notify-after needs a value/],
    ["a value for a flag", ["--notify-on-delivery=yes"], /takes no value/],
    [
      "a word for the wait",
      ["--wait", "read", "--wait-timeout", "ever"],
      /"ever" is not a length of time for --wait/,
    ],
  ])("refuses %s and shows how a length of time is written", async (_, options, message) => {
    const { status, stdout, stderr, asked } = await perform([command, whom, "x", ...options], stage);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    if (/length of time/.test(stderr)) expect(stderr).toContain("30s, 5m, 1h30m or 2d");
    expect(asked).toEqual([]);
  });
});

describe("bellhop send to a path", () => {
  const claims = { user: "dev" };

  it("carries data with or without words", async () => {
    const payload = { some_key: [1, null] };
    const given = ["--command", "analyse", "--payload", JSON.stringify(payload)];
    expect(await requestOf("send", "slack/team/#general", ...given)).toEqual({
      to: "slack/team/#general",
      body: "",
      command: "analyse",
      payload,
      claims,
    });
    expect(await requestOf("send", "agent/**", "look", ...given)).toMatchObject({ body: "look", payload });
    expect(await requestOf("send", "coder", "--command", "ping")).toMatchObject({
      body: "",
      command: "ping",
    });
    expect(await requestOf("reply", "m7k2q9", ...given)).toMatchObject({ body: "", payload });
  });

  it("says what it was brought from", async () => {
    const brought = ["--source", "slack", "--external-id", "1708900000.1", "--from", "slack-bridge"];
    expect(await requestOf("send", "slack/team/#general", "hi", ...brought)).toEqual({
      to: "slack/team/#general",
      body: "hi",
      from: "slack-bridge",
      channel: "slack",
      externalId: "1708900000.1",
      claims,
    });
  });

  it("takes the payload from stdin", async () => {
    const run = (stdin: string, ...words: readonly string[]) =>
      perform(["send", "coder", ...words], { ...stage, stdin });
    expect((await run(' {"a": 1}\n', "--payload", "-")).asked[0]?.request).toMatchObject({
      body: "",
      payload: { a: 1 },
    });
    expect((await run("[1]", "text", "--payload", "-")).asked[0]?.request).toMatchObject({ body: "text" });
    for (const twice of [["-"], ["--file", "-"]]) {
      const { status, stderr, asked } = await run("[1]", ...twice, "--payload", "-");
      expect(status).toBe(2);
      expect(stderr).toContain("both come from stdin");
      expect(asked).toEqual([]);
    }
    expect((await run("x".repeat(300_000), "--payload", "-")).stderr).toContain("256 KiB");
    expect((await run("", "--payload", "-")).stderr).toContain("is not JSON");
  });

  it("needs words for raw text, and for nothing at all", async () => {
    for (const words of [[], ["--source", "slack"], ["--raw", "--payload", "{}"]]) {
      const { status, stderr } = await perform(["send", "coder", ...words], stage);
      expect(status).toBe(2);
      expect(stderr).toContain("nothing to send");
    }
  });

  it("says why it is a dead letter, and how to try again", async () => {
    const answer: SendResponse = { ...sent(), unmatched: true, deliveries: [] };
    const run = (reason: string | undefined) =>
      perform(["send", "a/b", "x"], {
        answers: { send: async () => ({ ...answer, ...(reason === undefined ? {} : { reason }) }) },
      });
    const loop = await run("a loop: the same answer\x1b[31m more than 2 times a minute");
    expect(loop.status).toBe(3);
    expect(loop.stdout).toBe(
      "kept among the dead letters as #m7k2q9: a loop: the same answer more than 2 times a minute\n  To try again: bellhop unmatched reroute m7k2q9\n",
    );
    expect((await run(undefined)).stdout).toContain("#m7k2q9: nobody takes it\n");
  });
});

describe("bellhop show", () => {
  it("says when a waiting message expires, and not of one that waits no more", async () => {
    const now = 1_794_713_898_927;
    const show = (state: DeliveryState) =>
      perform(["show", "m7k2q9"], {
        now,
        answers: {
          show: async () => ({
            message: {
              id: "i",
              shortId: "m7k2q9",
              from: "person/dev",
              to: "agent/coder",
              body: "x",
              priority: "normal",
              source: "person",
              createdAt: now,
              file: "/f",
            },
            deliveries: [
              {
                id: "d",
                to: "agent/coder",
                state,
                attempts: 0,
                queuedAt: now,
                timeoutAt: now + 300_000,
                receipts: [],
              },
            ],
          }),
        },
      });
    expect((await show("queued")).stdout).toContain("agent/coder  queued  (expires in 5m)\n");
    expect((await show("delivered")).stdout).toContain("agent/coder  delivered\n");
  });
});
