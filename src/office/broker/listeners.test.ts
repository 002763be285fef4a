import { describe, expect, it } from "vitest";
import {
  acknowledge,
  deskWith,
  listen,
  OWNER,
  receive,
  route,
  sessionAddressOf,
  stateIn,
  subscribe,
} from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { slowReader } from "../../../tests/desk/ears.ts";
import type { OfficeContext } from "../base/context.ts";
import { Listeners, MOST_LISTENERS } from "./listeners.ts";
import { listen as openListener } from "./listening.ts";
import type { Mailboxes } from "./mailboxes.ts";

describe("a listener", () => {
  it("hears what comes from now on, in order, and changes nothing", async () => {
    const desk = await deskWith("researcher");
    await route(desk, "agent/researcher", { body: "before" });
    const ear = await listen(desk, "researcher");
    const first = await route(desk, "agent/researcher", { body: "one" });
    await route(desk, "agent/**", { body: "two" });
    expect(ear.heard).toMatchObject([
      { id: first.messageId, body: "one", status: "pending", handled: false },
      { body: "two", status: "pending", handled: false },
    ]);
    expect((await receive(desk, "researcher")).map(({ body }) => body)).toEqual(["before", "one", "two"]);
  });

  it("hears nothing after it closed, and several hear the same", async () => {
    const desk = await deskWith("researcher");
    const ears = [await listen(desk, "researcher"), await listen(desk, "researcher")];
    await route(desk, "agent/researcher", { body: "one" });
    ears[0]?.close();
    ears[0]?.close();
    await route(desk, "agent/researcher", { body: "two" });
    expect(ears.map((ear) => ear.texts())).toEqual([["one"], ["one", "two"]]);
  });

  it("of an agent hears its copies with who handled them, and that of a session the session's", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:monitor", "x/*");
    const agent = await listen(desk, "researcher");
    const session = await listen(desk, "researcher:monitor");
    expect([agent.session, session.session]).toEqual([undefined, "monitor"]);
    await route(desk, "x/1");
    expect(agent.heard).toMatchObject([
      { handled: true, handledBy: [{ agentId: "researcher", sessionId: "monitor" }] },
    ]);
    expect(session.heard).toHaveLength(1);
    expect(session.heard[0]).not.toHaveProperty("handled");
  });

  it("hears nothing before it is on disk", async () => {
    const desk = await deskWith("researcher");
    const ear = await listen(desk, "researcher");
    desk.disk.state = "full";
    await expect(route(desk, "agent/researcher")).rejects.toMatchObject({ code: "store.disk_full" });
    expect(ear.heard).toEqual([]);
  });

  it("does not hear again what is sent again under the same key", async () => {
    const desk = await deskWith("researcher");
    const ear = await listen(desk, "researcher");
    await route(desk, "agent/researcher", { idempotencyKey: "k" });
    await route(desk, "agent/researcher", { idempotencyKey: "k" });
    expect(ear.heard).toHaveLength(1);
  });

  it("hears what is typed as well", async () => {
    const { desk, coder } = await oneAgent();
    const ear = await listen(desk, "coder");
    await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect([ear.heard.length, coder.program.submitted.length]).toEqual([1, 1]);
  });

  it("that acknowledges has read it", async () => {
    const desk = await deskWith("researcher");
    const ear = await listen(desk, "researcher");
    const sent = await route(desk, "agent/researcher");
    expect(await acknowledge(desk, { messageId: ear.heard[0]?.id ?? "" }, "researcher")).toEqual(["read"]);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("read");
  });

  it("that fails harms nobody", async () => {
    const desk = await deskWith("researcher");
    const answers = [
      () => {
        throw new Error("no");
      },
      () => Promise.reject(new Error("no")),
    ];
    for (const answer of answers) await listen(desk, "researcher", { answer });
    const ear = await listen(desk, "researcher");
    await route(desk, "agent/researcher");
    expect(ear.heard).toHaveLength(1);
    expect(desk.warnings).toEqual(["listener.push_failed", "listener.push_failed"]);
  });

  it("goes on under the agent's mailbox when somebody takes its name", async () => {
    const desk = await deskWith("a");
    const ear = await listen(desk, "a");
    await desk.use.agent_remove({ name: "a" });
    await desk.use.agent_add({ name: "a" });
    await route(desk, "agent/a");
    expect(ear.heard).toHaveLength(1);
  });

  it("is refused for a mailbox that is not there", async () => {
    const desk = await deskWith("a");
    await expect(listen(desk, "nobody")).rejects.toMatchObject({ code: "agent.unknown" });
    await expect(listen(desk, "a:none")).rejects.toMatchObject({ code: "session.unknown" });
  });

  it("is one of ten thousand at most", async () => {
    const listeners = new Listeners({
      context: {} as OfficeContext,
      states: { changed: () => {} } as never,
      released: () => {},
      changed: () => {},
    });
    const { close } = listeners.hear("agent/a", () => "gone");
    for (let count = 1; count < MOST_LISTENERS; count += 1)
      listeners.hear(`agent/${count % 7}`, () => "gone");
    expect(listeners.count).toBe(MOST_LISTENERS);
    const heard = { address: "agent/a", owner: "a", since: 0 };
    const parts = { mailboxes: { heard: () => heard } as unknown as Mailboxes, listeners };
    const ask = () => openListener(parts, { agent: "a", claims: OWNER }, () => "gone");
    await expect(ask()).rejects.toMatchObject({ code: "listener.too_many" });
    close();
    await ask();
    expect(listeners.count).toBe(MOST_LISTENERS);
  });
});

describe("a listener that consumes", () => {
  it("takes what waits already, then what comes, each once", async () => {
    const desk = await deskWith("researcher");
    const before = await route(desk, "agent/researcher", { body: "before" });
    const ear = await listen(desk, "researcher", { consume: true });
    await desk.advance(0);
    await route(desk, "agent/researcher", { body: "after" });
    await desk.advance(0);
    expect(ear.texts()).toEqual(["before", "after"]);
    expect(await receive(desk, "researcher")).toEqual([]);
    expect(
      desk.store.read.receiptsOf(`${before.messageId}.1`).map(({ state, transport }) => [state, transport]),
    ).toEqual([
      ["queued", undefined],
      ["delivering", "receive"],
      ["delivered", "receive"],
    ]);
  });

  it("takes more than one commit holds, in order", async () => {
    const desk = await deskWith("researcher");
    const sending = Array.from({ length: 250 }, (_, number) =>
      desk.use.route({ path: "agent/researcher", body: `${number}`, claims: OWNER }),
    );
    await desk.done(Promise.all(sending));
    const ear = await listen(desk, "researcher", { consume: true });
    await desk.advance(0);
    expect(ear.texts()).toEqual(sending.map((_, number) => `${number}`));
  });

  it("takes handled copies too", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:monitor", "x/*");
    const ear = await listen(desk, "researcher", { consume: true });
    const sent = await route(desk, "x/1");
    await desk.advance(0);
    expect(ear.heard).toMatchObject([{ handled: true }]);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("delivered");
    expect(stateIn(desk, sent, sessionAddressOf(desk, "researcher:monitor"))).toBe("queued");
  });

  it("leaves nothing to the courier while it is there", async () => {
    const { desk, coder } = await oneAgent();
    const ear = await listen(desk, "coder", { consume: true });
    await desk.send("coder", "hello");
    await desk.advance(60_000);
    expect([ear.texts(), coder.program.submitted]).toEqual([["hello"], []]);
    ear.close();
    await desk.send("coder", "for the terminal");
    await desk.advance(5_000);
    expect([ear.heard.length, coder.program.submitted.length]).toEqual([1, 1]);
  });

  it("does not get what the courier has begun", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    await desk.send("coder", "hello");
    await desk.advance(1_000);
    const ear = await listen(desk, "coder", { consume: true });
    await desk.advance(60_000);
    expect([ear.heard.length, coder.program.submitted.length]).toEqual([0, 1]);
  });

  it("shares with others: each message has one taker, and one that left passes on to the next", async () => {
    const desk = await deskWith("researcher");
    const first = await listen(desk, "researcher", { consume: true });
    const second = await listen(desk, "researcher", { consume: true });
    await route(desk, "agent/researcher", { body: "one" });
    await desk.advance(0);
    first.close();
    await route(desk, "agent/researcher", { body: "two" });
    await desk.advance(0);
    expect([...first.texts(), ...second.texts()]).toEqual(["one", "two"]);
    expect(second.heard.at(-1)).not.toHaveProperty("redelivered");
  });

  it("takes turns with the others", async () => {
    const desk = await deskWith("researcher");
    const ears = [];
    for (let count = 0; count < 3; count += 1) ears.push(await listen(desk, "researcher", { consume: true }));
    for (let count = 0; count < 6; count += 1) {
      await route(desk, "agent/researcher");
      await desk.advance(0);
    }
    expect(ears.map(({ heard }) => heard.length)).toEqual([2, 2, 2]);
  });

  it("that reads slowly holds up nobody else", async () => {
    const desk = await deskWith("researcher");
    const reader = slowReader();
    const slow = await listen(desk, "researcher", { consume: true, answer: () => reader.answer() });
    await route(desk, "agent/researcher", { body: "one" });
    await desk.advance(0);
    await route(desk, "agent/researcher", { body: "two" });
    await desk.advance(0);
    expect(slow.texts()).toEqual(["one"]);
    const quick = await listen(desk, "researcher", { consume: true });
    await desk.advance(0);
    expect(quick.texts()).toEqual(["two"]);
    for (const body of ["three", "four"]) await route(desk, "agent/researcher", { body });
    await desk.advance(0);
    expect([slow.texts(), quick.texts()]).toEqual([["one"], ["two", "three", "four"]]);
    quick.close();
    await route(desk, "agent/researcher", { body: "five" });
    reader.read();
    await desk.advance(0);
    expect(slow.texts()).toEqual(["one", "five"]);
    expect(slow.heard.some(({ redelivered }) => redelivered === true)).toBe(false);
  });

  it("may acknowledge before we have written down that it was pushed", async () => {
    const desk = await deskWith("researcher");
    const reader = slowReader();
    const ear = await listen(desk, "researcher", { consume: true, answer: () => reader.answer() });
    const sent = await route(desk, "agent/researcher");
    await desk.advance(0);
    expect(ear.heard).toHaveLength(1);
    expect(await acknowledge(desk, sent, "researcher")).toEqual(["read"]);
    reader.read();
    await desk.advance(0);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("read");
    expect(desk.store.read.receiptsOf(`${sent.messageId}.1`).map(({ state }) => state)).toEqual([
      "queued",
      "delivering",
      "read",
    ]);
  });

  it("does not get what a person keeps back", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher");
    await desk.use.queue_change({ id: sent.messageId, change: "hold" });
    const ear = await listen(desk, "researcher", { consume: true });
    await desk.advance(0);
    expect(ear.heard).toEqual([]);
  });

  it("is no proof where the sender required a stronger one", async () => {
    const desk = await deskWith("researcher");
    await listen(desk, "researcher", { consume: true });
    const sent = await route(desk, "agent/researcher", { require: "submitted" });
    await desk.advance(0);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("unconfirmed");
  });
});
