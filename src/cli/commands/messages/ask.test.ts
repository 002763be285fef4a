import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { AnswerResponse, SendResponse, ShownMessage } from "../../../wire/shapes/messages.ts";

const SENT: SendResponse = {
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [{ id: "d-1", to: "agent/coder", state: "queued" }],
};
const ANSWER = { id: "a-1", shortId: "a1b2c3", from: "agent/coder", body: "2355\x1b[31m" } as ShownMessage;

function stage(found: AnswerResponse, sent: SendResponse = SENT): Stage {
  return {
    answers: {
      send: async () => sent,
      answer: async () => found,
      ack: async () => ({ messageId: ANSWER.id, states: ["read"] }),
    },
  };
}

describe("bellhop ask", () => {
  it("prints the answer and nothing else, and says that it has it", async () => {
    const done = await perform(
      ["ask", "coder", "which port?", "--within", "2m"],
      stage({ state: "replied", answer: ANSWER }),
    );
    expect(done).toMatchObject({ status: 0, stdout: "2355\n", stderr: "" });
    expect(done.asked).toMatchObject([
      { verb: "send", request: { to: "coder", body: "which port?", asks: true } },
      { verb: "answer", request: { id: SENT.messageId, timeoutMs: 120_000, take: true } },
      { verb: "ack", request: { id: "a-1" } },
    ]);
  });

  it("gives the whole with --json", async () => {
    const { stdout } = await perform(
      ["ask", "coder", "x", "--json"],
      stage({ state: "replied", answer: ANSWER }),
    );
    expect(JSON.parse(stdout)).toEqual({
      messageId: SENT.messageId,
      shortId: "m7k2q9",
      state: "replied",
      answer: ANSWER,
    });
  });

  it("says where the question is when no answer came, and how to look later", async () => {
    const hold = { reason: "busy", since: 0, release: "when the running turn has ended" } as const;
    const done = await perform(["ask", "coder", "x"], stage({ state: "queued", hold }));
    expect(done).toMatchObject({ status: 7, stdout: "" });
    expect(
      done.stderr,
    ).toBe(`bellhop: No answer within 10m: the question #m7k2q9 is queued (busy: when the running turn has ended).
  The question stays in the queue; cancel it with "bellhop queue cancel m7k2q9". A later answer goes to your inbox: "bellhop inbox". See the question: bellhop show m7k2q9
`);
    expect(done.asked.map(({ verb }) => verb)).toEqual(["send", "answer"]);
    const read = await perform(["ask", "coder", "x"], stage({ state: "read" }));
    expect(read.stderr).not.toContain("stays in the queue");
  });

  it.each(["expired", "cancelled", "failed"] as const)(
    "ends at once when the question is %s",
    async (state) => {
      const done = await perform(["ask", "coder", "x"], stage({ state }));
      expect(done).toMatchObject({ status: 1, stdout: "" });
      expect(done.stderr).toContain(`the question #m7k2q9 is ${state}`);
    },
  );

  it("waits for nobody where nobody is", async () => {
    const dead = { ...SENT, unmatched: true, deliveries: [], reason: "nobody hears it" };
    const done = await perform(["ask", "slack/x", "x"], stage({ state: "failed" }, dead));
    expect(done.status).toBe(3);
    expect(done.asked.map(({ verb }) => verb)).toEqual(["send"]);
  });

  it("goes on with a daemon that was restarted", async () => {
    let asked = 0;
    const { answers } = stage({ state: "replied", answer: ANSWER });
    const done = await perform(["ask", "coder", "x"], {
      answers: {
        ...answers,
        answer: async () => {
          asked += 1;
          if (asked > 1) return { state: "replied", answer: ANSWER };
          throw new BellhopError("daemon.unreachable", { message: "It is gone.", next: "Wait." });
        },
      },
      line: {} as NonNullable<Stage["line"]>,
    });
    expect(done).toMatchObject({ status: 0, stdout: "2355\n" });
    expect(done.asked.map(({ verb }) => verb)).toEqual(["send", "answer", "answer", "ack"]);
  });

  it("leaves the question there at Ctrl+C", async () => {
    const stop = new AbortController();
    const done = await perform(["ask", "coder", "x"], {
      answers: {
        send: async () => SENT,
        answer: () => {
          stop.abort();
          return new Promise(() => {});
        },
      },
      interrupted: stop.signal,
    });
    expect(done).toMatchObject({ status: 130, stdout: "" });
    expect(done.stderr).toContain("The question stays in the queue");
  });

  it.each<readonly string[]>([["ask"], ["ask", "coder"], ["ask", "coder", "x", "--within", "soon"]])(
    "sends nothing for %j",
    async (...argv) => {
      const done = await perform(argv, stage({ state: "replied", answer: ANSWER }));
      expect(done.status).toBe(2);
      expect(done.asked).toEqual([]);
    },
  );
});

it("bellhop send --wait replied shows the answer behind the state", async () => {
  const replied = { ...SENT, deliveries: [{ id: "d-1", to: "agent/coder", state: "replied" }] };
  const answers: Stage["answers"] = {
    send: async () => SENT,
    wait: async () => ({ state: "replied", reached: true }),
    show: async () => ({ deliveries: replied.deliveries }) as never,
    answer: async () => ({ state: "replied", answer: ANSWER }),
  };
  const shown = await perform(["send", "coder", "x", "--wait", "replied"], { answers });
  expect(shown.stdout).toBe(
    "queued #m7k2q9 for agent/coder\nreplied #m7k2q9 for agent/coder\nanswer #a1b2c3 from agent/coder:\n2355\n",
  );
  expect(shown.asked.find(({ verb }) => verb === "answer")?.request).not.toHaveProperty("take");
  const { stdout } = await perform(["send", "coder", "x", "--wait", "replied", "--json"], { answers });
  expect(JSON.parse(stdout)).toMatchObject({ shortId: "m7k2q9", answer: { body: ANSWER.body } });
});
