/** What a client asks for briefly, and of which daemon. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { VERSION } from "../wire/version.ts";
import type { Line } from "./line.ts";
import { unixLine } from "./unix-line.ts";

type Asked = Readonly<Record<string, unknown>>;

const CLAIMS = { user: "dev" };
const toClose: (() => void)[] = [];

afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

/** `asked` collects its requests. */
async function daemon(answer: (asked: Asked, socket: Socket) => object): Promise<{
  readonly line: Line;
  readonly asked: readonly Asked[];
}> {
  const asked: Asked[] = [];
  const folder = mkdtempSync(join(tmpdir(), "bh-brief-"));
  const server: Server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (text) => {
      const request = JSON.parse(text) as Asked;
      asked.push(request);
      const said = { req_id: request.req_id, version: VERSION, ...answer(request, socket) };
      if (!socket.destroyed) socket.write(`${JSON.stringify(said)}\n`);
    });
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "sock"), resolve));
  const line = unixLine(join(folder, "sock"), CLAIMS);
  toClose.push(
    () => line.close(),
    () => server.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  return { line, asked };
}

const sent = { ok: true, result: { message_id: "m1", unmatched: false } };

it("asks for a brief answer once the daemon has said that it can be brief", async () => {
  const { line, asked } = await daemon(({ brief }) =>
    brief === true ? sent : { ...sent, can_be_brief: true },
  );
  for (let count = 0; count < 2; count += 1)
    expect(await line.ask("route", { path: "a/b", text: "x" })).toEqual({
      messageId: "m1",
      unmatched: false,
    });
  expect(asked.map(({ brief }) => brief)).toEqual([undefined, true]);
});

it("asks an earlier daemon for whole answers, also one of its own version", async () => {
  const { line, asked } = await daemon(({ brief }) =>
    brief === undefined ? sent : refusal("request.malformed"),
  );
  for (let count = 0; count < 2; count += 1) await line.ask("send", { to: "a", text: "x" });
  expect(asked.map(({ brief }) => brief)).toEqual([undefined, undefined]);
});

const TOLD: BrokerMessage = {
  id: "m1" as BrokerMessage["id"],
  shortId: "abc123",
  from: "writer",
  path: "agent/reader" as BrokerMessage["path"],
  command: "message",
  payload: { text: "hello" },
  body: "hello",
  status: "pending",
  timestamp: 7 as BrokerMessage["timestamp"],
  source: "internal",
  externalId: null,
  state: "queued",
  handled: false,
};
const IN_FULL = { ...TOLD, shortId: undefined, externalId: undefined, short_id: "abc123", external_id: null };
const IN_BRIEF = ["m1", "abc123", "writer", "agent/reader", "hello", 7, "queued"];

it.each([
  ["a daemon that can be brief", "brief" as const, [true]],
  ["an earlier one, which refuses that", "whole" as const, [true, undefined]],
])("listens to %s", async (_, told, wanted) => {
  const { line, asked } = await daemon(({ brief, req_id }, socket) => {
    if (brief === true && told === "whole") return refusal("request.malformed");
    const push = told === "brief" ? { brief: IN_BRIEF } : { message: IN_FULL };
    setImmediate(() => socket.write(`${JSON.stringify({ type: "push", req_id, ...push })}\n`));
    return { ok: true, result: { agent: "reader" } };
  });
  const heard = await new Promise((hear, over) => {
    line
      .listen({ agent: "reader", consume: false }, { hear, over })
      .then(({ close }) => toClose.push(close), over);
  });
  expect(heard).toEqual(TOLD);
  expect(asked.map(({ brief }) => brief)).toEqual(wanted);
});

it("reads for a consumer at once, since what it has got counts as taken, and for others when they take it", async () => {
  const how = { hear: "at once", hearUnread: "when taken" } as const;
  for (const [consume, wanted] of [
    [true, how.hear],
    [false, how.hearUnread],
  ] as const) {
    const { line } = await daemon(({ req_id }, socket) => {
      const push = { type: "push", req_id, brief: IN_BRIEF };
      setImmediate(() => socket.write(`${JSON.stringify(push)}\n`));
      return { ok: true, result: { agent: "reader" } };
    });
    const heard = await new Promise((tell, over) => {
      const ear = { hear: () => tell(how.hear), hearUnread: () => tell(how.hearUnread), over };
      line.listen({ agent: "reader", consume }, ear).then(({ close }) => toClose.push(close), over);
    });
    expect(heard).toBe(wanted);
  }
});

it("does not ask again when listening is refused for another reason", async () => {
  const { line, asked } = await daemon(() => refusal("recipient.unknown"));
  const listening = line.listen({ agent: "nobody", consume: false }, { hear() {}, over() {} });
  await expect(listening).rejects.toMatchObject({ code: "recipient.unknown" });
  expect(asked).toHaveLength(1);
});

function refusal(code: string): object {
  return { ok: false, error: { code, message: "No.", next: "Ask otherwise." } };
}
