/** What goes to another host leaves from the mailbox of that host; a person knows only whom it is for. */
import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import type { QueuedDelivery, ShowResponse } from "../../../wire/shapes/messages.ts";

const queued = {
  id: "d1",
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  to: "host/box",
  recipient: "agent/coder@box",
  from: "person/dev",
  priority: "normal",
  state: "queued",
  queuedAt: 0,
  preview: "hello",
} as const satisfies QueuedDelivery;
const { id, to, state, recipient } = queued;
const person = { id, to, state, recipient: "person/dev@box" } as const;
const path = { id, to, state, recipient: "team/news" } as const;
const message: ShowResponse["message"] = {
  id: queued.messageId,
  shortId: "m7k2q9",
  from: "person/dev",
  to: "agent/coder@box",
  body: "hello",
  priority: "normal",
  source: "person",
  createdAt: 0,
  file: "/f",
};
const delivery = { id, to, recipient, state, attempts: 0, queuedAt: 0 } as const;
const hold = { reason: "offline", since: 1, release: "when NATS can be reached" } as const;
const sent = async () => ({
  messageId: queued.messageId,
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [{ id, to, state, recipient, agent: "coder" } as const, { ...person, hold }, path],
});
const answers: Stage["answers"] = {
  send: sent,
  reply: sent,
  wait: async () => ({ state: "queued", reached: true }),
  show: async () => ({ message, deliveries: [{ ...delivery, receipts: [] }] }),
  explain: async () => ({
    messageId: queued.messageId,
    shortId: "m7k2q9",
    deliveries: [{ ...person, because: ["It is for somebody on box, and still here."] }],
  }),
  queue: async () => ({ deliveries: [queued, { ...queued, ...path }], drafts: [] }),
  history: async () => ({ entries: [{ message, delivery }] }),
  queue_change: async () => ({ deliveries: [{ ...person, state: "cancelled" }] }),
  route_try: async () => ({
    path: "team/news",
    from: "person/dev",
    recipients: [
      { to, recipient: "team/news", owner: to, why: ["somebody on box subscribes to it"] },
      { to, recipient, owner: to, why: ["it is on box"] },
    ],
    more: 0,
    notes: [],
  }),
};
const printed = async (...argv: readonly string[]) => (await perform(argv, { answers })).stdout;

describe("whom a message on another host is for", () => {
  it.each(["send", "reply"])("is what %s says", async (command) => {
    const lines = [
      "queued #m7k2q9 for agent/coder@box",
      "queued #m7k2q9 for person/dev@box (held: offline — when NATS can be reached)",
      "queued #m7k2q9 for team/news on box",
    ];
    expect(await printed(command, "m7k2q9", "x")).toBe(`${lines.join("\n")}\n`);
    expect(JSON.parse(await printed(command, "m7k2q9", "x", "--json")).deliveries).toMatchObject([
      { to: "host/box", recipient: "agent/coder@box", agent: "coder" },
      { to: "host/box", recipient: "person/dev@box" },
      { to: "host/box", recipient: "team/news" },
    ]);
  });

  it("is still said after a wait", async () => {
    const waited = await printed("reply", "m7k2q9", "x", "--wait", "queued");
    expect(waited.trimEnd().split("\n").at(-1)).toBe("queued #m7k2q9 for agent/coder@box");
    expect(JSON.parse(await printed("send", "x", "x", "--wait", "queued", "--json")).deliveries).toEqual([
      { id, to, recipient, agent: "coder", state },
    ]);
  });

  it("stands in every list", async () => {
    const list = await printed("queue");
    expect(list).toMatch(/^#m7k2q9 +agent\/coder@box /m);
    expect(list).toMatch(/^#m7k2q9 +team\/news on box /m);
    expect(await printed("history")).toMatch(/ agent\/coder@box +queued /);
    for (const command of ["queue", "history"]) expect(await printed(command)).not.toContain("host/box");
  });

  it("is what is shown, explained and changed", async () => {
    expect(await printed("show", "m7k2q9")).toMatch(/^agent\/coder@box {2}queued/m);
    expect(await printed("explain", "m7k2q9")).toMatch(/^#m7k2q9 for person\/dev@box: queued/);
    expect(await printed("queue", "cancel", "m7k2q9")).toBe("cancelled #m7k2q9 for person/dev@box\n");
    expect(await printed("queue", "now", "m7k2q9")).toBe("released #m7k2q9 for person/dev@box\n");
  });

  it("may have it there: then it is asked back or given up, and not cancelled", async () => {
    const release = "box was asked to give it back, and says what became of it";
    const asked = { ...person, state: "delivering", hold: { ...hold, release } } as const;
    const givenUp = { ...person, state: "unconfirmed" } as const;
    const gone = { ...person, state: "cancelled" } as const;
    const cancel = async (one: typeof asked | typeof givenUp) => {
      const queue_change = async () => ({ deliveries: [one] });
      return (await perform(["queue", "cancel", "m7k2q9"], { answers: { queue_change } })).stdout;
    };
    expect(await cancel(asked)).toBe(`cancelling #m7k2q9: ${release}\n`);
    expect(await cancel(givenUp)).toBe("given up #m7k2q9: box may have it\n");
    const queue_clear = async () => ({ who: to, deliveries: [gone, asked, givenUp, asked, gone, gone] });
    expect((await perform(["queue", "clear", to], { answers: { queue_clear } })).stdout).toBe(
      "cancelled 3 messages for host/box\ncancelling 2 messages: box says what became of them\ngiven up 1 message: box may have it\n",
    );
  });

  it("is what trying a path tells", async () => {
    expect(await printed("sub", "try", "team/news")).toBe(
      "→ team/news on box\n  because somebody on box subscribes to it\n→ agent/coder@box\n  because it is on box\n",
    );
  });
});
