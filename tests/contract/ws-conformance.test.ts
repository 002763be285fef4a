/** The broker's protocol as specified: each type with its request and answer. */
import { describe, expect, it } from "vitest";
import type { Frame } from "./broker-callers.ts";
import {
  FROM_SLACK,
  GENERAL,
  MONITOR,
  message,
  RESEARCHER,
  SLACK,
  stageWith,
  subscription,
  UUID,
} from "./ws-frames.ts";

interface Row {
  readonly before?: readonly Frame[];
  readonly request: Frame;
  readonly answer: Frame;
  /** What is done after it, and what is then pushed. */
  readonly afterwards?: { readonly request: Frame; readonly push: Frame };
}

/** The seventeen types, in the document's order and words. */
const ROWS: Readonly<Record<string, Row>> = {
  "msg.send": {
    request: { type: "msg.send", from: "writer", to: "researcher", command: "analyze", payload: {} },
    answer: { type: "msg.send.ok", messageId: UUID, message: message({ command: "analyze" }) },
  },
  "msg.route": {
    before: [{ type: "msg.sub.add", ...RESEARCHER, ...GENERAL }],
    request: SLACK,
    answer: { type: "msg.route.ok", delivered: true, deliveredTo: ["researcher"], messageId: UUID },
  },
  "msg.broadcast": {
    request: { type: "msg.broadcast", from: "writer", command: "announce", payload: {} },
    answer: {
      type: "msg.broadcast.ok",
      messageId: UUID,
      message: message({ path: "agent/**", command: "announce" }),
    },
  },
  "msg.receive": {
    before: [
      {
        type: "msg.send",
        from: "writer",
        to: "researcher",
        command: "analyze",
        payload: { topic: "AI safety" },
      },
    ],
    request: { type: "msg.receive", ...RESEARCHER },
    answer: {
      type: "msg.receive.ok",
      ...RESEARCHER,
      messages: [
        message({ command: "analyze", payload: { topic: "AI safety" }, status: "delivered", handled: false }),
      ],
    },
  },
  "msg.listen": {
    request: { type: "msg.listen", ...RESEARCHER },
    answer: { type: "msg.listen.ok", ...RESEARCHER },
    afterwards: {
      request: { type: "msg.send", from: "writer", to: "researcher", command: "analyze", payload: {} },
      push: { type: "msg.push", message: message({ command: "analyze", handled: false }) },
    },
  },
  "msg.history": {
    before: [
      { type: "msg.send", from: "writer", to: "researcher", command: "first" },
      { type: "msg.receive", ...RESEARCHER },
      { type: "msg.send", from: "writer", to: "researcher", command: "second" },
    ],
    request: { type: "msg.history", ...RESEARCHER, options: { limit: 50 } },
    answer: {
      type: "msg.history.ok",
      ...RESEARCHER,
      messages: [
        message({ command: "first", status: "delivered", handled: false }),
        message({ command: "second", handled: false }),
      ],
    },
  },
  "msg.sub.add": {
    request: { type: "msg.sub.add", ...RESEARCHER, ...GENERAL },
    answer: {
      type: "msg.sub.add.ok",
      ...RESEARCHER,
      ...GENERAL,
      subscriptions: [subscription("slack/team/#general")],
    },
  },
  "msg.sub.remove": {
    before: [
      { type: "msg.sub.add", ...RESEARCHER, ...GENERAL },
      { type: "msg.sub.add", ...RESEARCHER, pattern: "email/**" },
    ],
    request: { type: "msg.sub.remove", ...RESEARCHER, ...GENERAL },
    answer: {
      type: "msg.sub.remove.ok",
      ...RESEARCHER,
      ...GENERAL,
      subscriptions: [subscription("email/**")],
    },
  },
  "msg.sub.list": {
    before: [{ type: "msg.sub.add", ...RESEARCHER, pattern: "slack/**" }],
    request: { type: "msg.sub.list", ...RESEARCHER },
    answer: { type: "msg.sub.list.ok", ...RESEARCHER, subscriptions: [subscription("slack/**")] },
  },
  "msg.unmatched": {
    before: [SLACK],
    request: { type: "msg.unmatched", options: { limit: 50 } },
    answer: {
      type: "msg.unmatched.ok",
      messages: [message({ ...FROM_SLACK, reason: "nobody subscribes to this path" })],
    },
  },
  "msg.unmatched.clear": {
    before: [SLACK],
    request: { type: "msg.unmatched.clear" },
    answer: { type: "msg.unmatched.clear.ok", cleared: true },
  },
  "msg.session.sub.add": {
    request: { type: "msg.session.sub.add", ...MONITOR, ...GENERAL },
    answer: {
      type: "msg.session.sub.add.ok",
      ...MONITOR,
      subscriptions: [subscription("slack/team/#general")],
    },
  },
  "msg.session.sub.remove": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.sub.remove", ...MONITOR, ...GENERAL },
    answer: { type: "msg.session.sub.remove.ok", ...MONITOR, subscriptions: [] },
  },
  "msg.session.sub.list": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.sub.list", ...MONITOR },
    answer: { type: "msg.session.sub.list.ok", subscriptions: [subscription("slack/team/#general")] },
  },
  "msg.session.listen": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.listen", ...MONITOR },
    answer: { type: "msg.session.listen.ok", ...MONITOR },
    afterwards: {
      request: SLACK,
      push: { type: "msg.session.push", ...MONITOR, message: message(FROM_SLACK) },
    },
  },
  "msg.session.receive": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }, SLACK],
    request: { type: "msg.session.receive", ...MONITOR },
    answer: {
      type: "msg.session.receive.ok",
      messages: [message({ ...FROM_SLACK, status: "delivered" })],
    },
  },
  "msg.session.history": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }, SLACK],
    request: { type: "msg.session.history", ...MONITOR, options: { limit: 50 } },
    answer: { type: "msg.session.history.ok", messages: [message(FROM_SLACK)] },
  },
};

describe("every type of the WebSocket protocol", () => {
  it("is in the table: eleven of msg.*, six of msg.session.*", () => {
    const types = Object.keys(ROWS);
    expect(types.filter((type) => type.startsWith("msg.session."))).toHaveLength(6);
    expect(types).toHaveLength(17);
  });

  for (const [type, { before = [], request, answer, afterwards }] of Object.entries(ROWS)) {
    it(`${type}: the document's request has the document's answer`, async () => {
      const { caller } = await stageWith("writer", "researcher");
      for (const frame of before) expect((await caller.ask(frame)).type).toMatch(/\.ok$/);
      expect(await caller.ask(request)).toEqual(answer);
      if (afterwards === undefined) return;
      await caller.ask(afterwards.request);
      expect(await caller.pushes.next()).toEqual(afterwards.push);
    });

    it.each([7, "seven", 0, ""])(`${type}: echoes reqId %j`, async (reqId) => {
      const { caller } = await stageWith("writer", "researcher");
      for (const frame of before) await caller.ask(frame);
      expect(await caller.ask({ ...request, reqId })).toEqual({ ...answer, reqId });
    });
  }

  it("ping: pong", async () => {
    const { caller } = await stageWith();
    expect(await caller.ask({ type: "ping" })).toEqual({ type: "pong" });
    expect(await caller.ask({ type: "ping", reqId: 3 })).toEqual({ type: "pong", reqId: 3 });
  });

  it("msg.ack: a listener says that it has it", async () => {
    const { stage, caller } = await stageWith("writer", "researcher");
    await caller.ask({ type: "msg.listen", ...RESEARCHER });
    await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    const { id } = await caller.heard();
    expect(await caller.ask({ type: "msg.ack", messageId: id, ...RESEARCHER })).toEqual({
      type: "msg.ack.ok",
      messageId: id,
    });
    expect(stage.store.read.deliveriesOf(id).map(({ state }) => state)).toEqual(["read"]);
    expect((await caller.ask({ type: "msg.receive", ...RESEARCHER })).messages).toEqual([]);
  });
});
