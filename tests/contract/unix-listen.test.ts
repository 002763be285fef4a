/** Listening on the Unix socket: pushes in snake_case under the request's own id, until it is ended or the caller leaves. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { UnixCaller } from "./broker-callers.ts";
import { BrokerStage, CLAIMS, until } from "./broker-stage.ts";

const LISTEN = { type: "listen", req_id: 1, agent: "reader" };

/** Whether one that has ended its side is still there is found out soon. */
const PROBING = { unix: { probeMs: 20 } };

async function readerStage(options: Parameters<typeof BrokerStage.open>[0] = {}) {
  const stage = await BrokerStage.open(options);
  await stage.agents("writer", "reader");
  return { stage, reader: await stage.unix() };
}

async function send(stage: BrokerStage, count: number, more: object = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { messageId } = await stage.use.route({
      path: "agent/reader",
      from: "writer",
      command: `${number}`,
      claims: CLAIMS,
      ...more,
    });
    ids.push(messageId);
  }
  return ids;
}

interface Push {
  readonly type: "push";
  readonly req_id: unknown;
  readonly message: { readonly id: string; readonly command: string; readonly redelivered?: true };
}

async function hear(caller: UnixCaller, count: number): Promise<readonly Push[]> {
  const heard: Push[] = [];
  while (heard.length < count) heard.push((await caller.pushes.next()) as unknown as Push);
  return heard;
}

describe("listen on the Unix socket", () => {
  it("answers, then pushes under the id of the request", async () => {
    const { stage, reader } = await readerStage();
    expect(await reader.ask(LISTEN)).toEqual({
      ok: true,
      req_id: 1,
      version: "0",
      result: { agent: "reader", agent_since: expect.any(Number) },
    });
    const brought = { from: "slack-bridge", channel: "slack", externalId: "ts-1" };
    await send(stage, 1, { payload: { keptAsItIs: true }, ...brought });
    expect(await reader.pushes.next()).toEqual({
      type: "push",
      req_id: 1,
      message: {
        id: expect.any(String),
        short_id: expect.stringMatching(/^[a-z0-9]{6}$/),
        from: "slack-bridge",
        path: "agent/reader",
        command: "0",
        payload: { keptAsItIs: true },
        body: expect.any(String),
        status: "pending",
        state: "queued",
        timestamp: expect.any(Number),
        source: "slack",
        external_id: "ts-1",
        handled: false,
      },
    });
  });

  it("is brief if it is asked to be: the usual is left out", async () => {
    const { stage, reader } = await readerStage();
    const brief = { brief: true, version: "0" };
    expect(await reader.ask({ ...LISTEN, ...brief })).toMatchObject({
      ok: true,
      result: { agent: "reader" },
    });
    const asked = { type: "route", req_id: 2, path: "agent/reader", body: "hello", from: "writer" };
    const answer = await reader.ask({ ...asked, ...brief });
    expect(answer).toEqual({
      ok: true,
      req_id: 2,
      version: "0",
      result: { message_id: expect.any(String), unmatched: false },
    });
    const { message_id: id } = answer.result as { readonly message_id: string };
    expect(await reader.pushes.next()).toEqual({
      type: "push",
      req_id: 1,
      brief: [id, expect.any(String), "writer", "agent/reader", "hello", expect.any(Number), "queued"],
    });
    await send(stage, 1);
    expect(await reader.pushes.next()).toMatchObject({ brief: { 7: { command: "0", payload: {} } } });
    const unheard = await reader.ask({ ...asked, req_id: 3, path: "nobody/hears", ...brief });
    expect(unheard).toMatchObject({ result: { unmatched: true } });
  });

  it("tells a brief listener and another one of the same messages", async () => {
    const { stage, reader } = await readerStage();
    const brief = await stage.unix();
    await reader.ask(LISTEN);
    await brief.ask({ ...LISTEN, brief: true, version: "0" });
    const ids = await send(stage, 3);
    expect((await hear(reader, 3)).map(({ message }) => message.id)).toEqual(ids);
    const told = (await hear(brief, 3)) as unknown as readonly { readonly brief: readonly unknown[] }[];
    expect(told.map(({ brief: [id] }) => id)).toEqual(ids);
  });

  it.each([
    ["no word for it", { brief: "yes", version: "0" }],
    ["without a version", { brief: true, version: undefined }],
  ])("refuses to be brief: %s", async (_, more) => {
    const { reader } = await readerStage();
    const answer = await reader.ask({ ...LISTEN, ...more });
    expect(answer).toMatchObject({ ok: false, req_id: 1 });
    expect(JSON.stringify(answer)).toContain('\\"brief\\"');
  });

  it("serves other requests on the same connection, and several listens at once", async () => {
    const { stage, reader } = await readerStage();
    await reader.ask(LISTEN);
    await stage.use.session_add({ agent: "reader", name: "desk" });
    expect(await reader.ask({ ...LISTEN, req_id: "s", session: "desk" })).toMatchObject({
      result: { agent: "reader", session: "desk" },
    });
    const add = { type: "sub_add", agent: "reader", session: "desk", pattern: "news" };
    expect(await reader.ask(add)).toMatchObject({ ok: true });
    await stage.use.route({ path: "news", command: "x", claims: CLAIMS });
    const pushes = await hear(reader, 2);
    expect(pushes.map(({ req_id }) => req_id)).toEqual(["s", 1]);
    expect(pushes[1]?.message).toMatchObject({
      handled: true,
      handled_by: [{ agent_id: "reader", session_id: "desk" }],
    });
  });

  it("ends with unlisten, and its id may be used again", async () => {
    const { stage, reader } = await readerStage();
    await reader.ask(LISTEN);
    expect(await reader.ask({ type: "unlisten", req_id: 2, listen: 1 })).toEqual({
      ok: true,
      req_id: 2,
      version: "0",
      result: { listen: 1 },
    });
    expect(stage.known.listening).toBe(0);
    await send(stage, 1);
    await reader.ask({ type: "status" });
    expect(reader.pushes.waiting).toEqual([]);
    expect(await reader.ask(LISTEN)).toMatchObject({ ok: true });
  });

  it.each<[string, object, string, RegExp]>([
    ["without a req_id", { type: "listen", agent: "reader" }, "request.malformed", /req_id/],
    ["to nobody", { ...LISTEN, agent: "nobody" }, "agent.unknown", /nobody/],
    ["to no session", { ...LISTEN, session: "none" }, "session.unknown", /none/],
    ["with a field that is none", { ...LISTEN, consum: true }, "request.malformed", /consum/],
    ["of nothing, to its end", { type: "unlisten", req_id: 3, listen: 99 }, "request.malformed", /99/],
    ["to its end without saying which", { type: "unlisten", req_id: 3 }, "request.malformed", /listen/],
  ])("is refused %s", async (_, request, code, message) => {
    const { stage, reader } = await readerStage();
    expect(await reader.ask(request)).toMatchObject({
      ok: false,
      error: { code, message: expect.stringMatching(message), next: expect.any(String) },
    });
    expect(stage.known.listening).toBe(0);
  });

  it("is refused under an id that listens already, also when asked in one breath", async () => {
    const { stage, reader } = await readerStage();
    reader.say(LISTEN);
    reader.say(LISTEN);
    const answers = [await reader.lines.next(), await reader.lines.next()];
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    await send(stage, 1);
    await hear(reader, 1);
    await reader.ask({ type: "status" });
    expect(reader.pushes.waiting).toEqual([]);
  });

  it("may listen to so many mailboxes and no more", async () => {
    const { reader } = await readerStage({ unix: { listens: 2 } });
    await reader.ask(LISTEN);
    await reader.ask({ ...LISTEN, req_id: 2, agent: "writer" });
    expect(await reader.ask({ ...LISTEN, req_id: 3 })).toMatchObject({
      error: { code: "listener.too_many" },
    });
  });

  it("takes, with consume: what waits first, each once, in order", async () => {
    const { stage, reader } = await readerStage();
    const waiting = await send(stage, 30);
    await reader.ask({ ...LISTEN, consume: true });
    const coming = await send(stage, 30);
    const heard = await hear(reader, 60);
    expect(heard.map(({ message }) => message.id)).toEqual([...waiting, ...coming]);
    await until(() => stage.store.read.countQueued() === 0);
  });

  it("shares with a taker on a WebSocket: each message has one", async () => {
    const { stage, reader } = await readerStage();
    const other = await stage.ws();
    await reader.ask({ ...LISTEN, consume: true });
    await other.ask({ type: "msg.listen", agentId: "reader", consume: true });
    const ids = await send(stage, 40);
    await until(() => reader.pushes.waiting.length + other.pushes.waiting.length === 40);
    const taken = [
      ...(reader.pushes.waiting as unknown as Push[]).map(({ message }) => message.id),
      ...other.pushes.waiting.map(({ message }) => message.id),
    ];
    expect(taken.toSorted()).toEqual([...ids].sort());
  });

  it("leaves what it had not read to the next, when it goes", async () => {
    const { stage, reader } = await readerStage();
    reader.socket.pause();
    reader.say({ ...LISTEN, consume: true });
    const ids = await send(stage, 100, { body: "x".repeat(100_000) });
    await until(() => stage.store.read.deliveriesOf(ids[0] ?? "")[0]?.state !== "queued");
    reader.end();
    const next = await stage.unix();
    await next.ask({ ...LISTEN, consume: true });
    const states = () => ids.map((id) => stage.store.read.deliveriesOf(id)[0]?.state);
    await until(() => states().every((state) => state === "delivered"));
    await next.ask({ type: "status" });
    const heard = (next.pushes.waiting as unknown as Push[]).map(({ message }) => message);
    // The system had accepted some for the first listener; those in flight when it left are marked for the second.
    expect(heard.length).toBeGreaterThan(50);
    expect(heard.some(({ redelivered }) => redelivered === true)).toBe(true);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
  });

  it("ends with its connection: a thousand leave none behind", async () => {
    const { stage, reader } = await readerStage(PROBING);
    for (let number = 1; number <= 1_000; number += 1)
      reader.say({ ...LISTEN, req_id: number, consume: number % 2 === 0 });
    for (let number = 1; number <= 1_000; number += 1) expect((await reader.lines.next()).ok).toBe(true);
    expect(stage.known.listening).toBe(1_000);
    reader.end();
    await until(() => stage.known.listening === 0);
  });

  it("is cut off when it does not read, and finds its messages pending", async () => {
    const { stage, reader } = await readerStage();
    await reader.ask(LISTEN);
    reader.socket.pause();
    let sent = 0;
    while (stage.known.listening === 1) {
      await send(stage, 1, { body: "x".repeat(200_000) });
      sent += 1;
      expect(sent).toBeLessThan(200);
    }
    expect(stage.log.entries).toContainEqual(expect.objectContaining({ event: "unix.backlog" }));
    expect(stage.store.read.countQueued()).toBe(sent);
  });

  it("is not let go for being quiet", async () => {
    const { stage, reader } = await readerStage({ unix: { idleMs: 30 } });
    await reader.ask(LISTEN);
    const idle = await stage.unix();
    await idle.closed;
    await send(stage, 1);
    await hear(reader, 1);
  });

  it("goes on for a caller that has said its last word, as a shell pipe does", async () => {
    const { stage, reader } = await readerStage();
    reader.socket.end(`${JSON.stringify(LISTEN)}\n`);
    expect(await reader.lines.next()).toMatchObject({ ok: true });
    await send(stage, 2);
    expect((await hear(reader, 2)).map(({ message }) => message.command)).toEqual(["0", "1"]);
  });

  it("does not keep the daemon from stopping", async () => {
    const { stage, reader } = await readerStage();
    await reader.ask(LISTEN);
    await stage.doors.unix.close();
    await reader.closed;
    expect(stage.known.listening).toBe(0);
  });

  it("is heard by a plain program: one line per message", async () => {
    const { stage } = await readerStage(PROBING);
    const script = `
      const socket = require("node:net").connect(process.argv[1]);
      socket.write('{"type":"listen","req_id":1,"agent":"reader"}\\n');
      socket.on("data", (bytes) => process.stdout.write(bytes));`;
    const child = spawn(process.execPath, ["-e", script, stage.socketPath], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    await until(() => text.includes("\n"));
    await send(stage, 3);
    await until(() => text.split("\n").length === 5);
    child.kill();
    await once(child, "exit");
    await until(() => stage.known.listening === 0);
  });
});
