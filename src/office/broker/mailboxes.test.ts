import { describe, expect, it } from "vitest";
import {
  acknowledge,
  deliveries,
  deskWith,
  OWNER,
  receive,
  route,
  sessionAddressOf,
  stateIn,
  subscribe,
  taken,
  tokenOf,
} from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { LIMITS } from "../../core/message.ts";
import { MOST_RECEIVED, MOST_RECEIVED_BYTES } from "./mailboxes.ts";

describe("receive", () => {
  it("takes what waits, oldest first, once, and proves it", async () => {
    const desk = await deskWith("researcher");
    const first = await route(desk, "agent/researcher", { body: "one", priority: "idle" });
    await route(desk, "agent/researcher", { body: "two", priority: "interrupt" });
    expect(await receive(desk, "researcher")).toMatchObject([
      { body: "one", status: "delivered", handled: false },
      { body: "two", status: "delivered", handled: false },
    ]);
    expect(await receive(desk, "researcher")).toEqual([]);
    const { deliveries: shown } = await desk.use.show({ id: first.messageId });
    expect(shown).toMatchObject([
      {
        state: "delivered",
        transport: "receive",
        evidence: "accepted",
        receipts: [{ state: "queued" }, { state: "delivered", transport: "receive", evidence: "accepted" }],
      },
    ]);
    expect(shown[0]).not.toHaveProperty("hold");
  });

  it("takes an agent's messages without those of its sessions, and the other way round", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:monitor", "x/*");
    await route(desk, "x/1", { body: "both" });
    await route(desk, "agent/researcher", { body: "agent" });
    await route(desk, sessionAddressOf(desk, "researcher:monitor"), { body: "session" });
    expect(await taken(desk, "researcher")).toEqual(["both", "agent"]);
    expect(await taken(desk, "researcher:monitor")).toEqual(["both", "session"]);
  });

  it("finds a session by its name, by its id, and the first one as main", async () => {
    const { desk, coder } = await oneAgent();
    const id = desk.sessionOf(coder);
    await desk.use.pause({ who: "coder", paused: true });
    for (const session of [id, "main"]) {
      await desk.send(`session/${id}`, session);
      expect(await taken(desk, `coder:${session}`)).toEqual([session]);
    }
    await expect(receive(desk, "coder:other")).rejects.toMatchObject({ code: "session.unknown" });
    await expect(receive(desk, "nobody")).rejects.toMatchObject({ code: "agent.unknown" });
  });

  it("does not find a session under an agent that it does not belong to", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a:monitor", "x/*");
    const id = sessionAddressOf(desk, "a:monitor").slice("session/".length);
    await expect(receive(desk, `b:${id}`)).rejects.toMatchObject({ code: "session.unknown" });
    await expect(receive(desk, "b:monitor")).rejects.toMatchObject({ code: "session.unknown" });
    expect(await receive(desk, `a:${id}`)).toEqual([]);
  });

  it("takes as many as it is told, and at most a thousand", async () => {
    const desk = await deskWith("researcher");
    const sending = Array.from({ length: MOST_RECEIVED + 5 }, (_, number) =>
      desk.use.route({ path: "agent/researcher", body: `${number}`, claims: OWNER }),
    );
    await desk.done(Promise.all(sending));
    expect((await receive(desk, "researcher", { limit: 3 })).map(({ body }) => body)).toEqual([
      "0",
      "1",
      "2",
    ]);
    expect(await receive(desk, "researcher", { limit: 10 * MOST_RECEIVED })).toHaveLength(MOST_RECEIVED);
    expect(await taken(desk, "researcher")).toEqual([`${MOST_RECEIVED + 3}`, `${MOST_RECEIVED + 4}`]);
  });

  it("takes what one answer can carry, always something, and leaves the rest", async () => {
    const desk = await deskWith("researcher");
    const long = LIMITS.bodyBytes;
    for (let count = 0; count < 10; count += 1)
      await route(desk, "agent/researcher", { body: `${count}`.padEnd(long, "x") });
    const numbers = async () => (await taken(desk, "researcher")).map((body) => body[0]);
    const first = await numbers();
    // A message without a payload carries its text twice.
    expect(first.length * 2 * long).toBeLessThanOrEqual(MOST_RECEIVED_BYTES);
    const all = [...first, ...(await numbers()), ...(await numbers())];
    expect(all).toEqual(Array.from({ length: 10 }, (_, at) => `${at}`));
  });

  it("leaves alone what a person keeps back", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher", { body: "kept" });
    await route(desk, "agent/researcher", { body: "free" });
    await desk.use.queue_change({ id: sent.messageId, change: "hold" });
    expect(await taken(desk, "researcher")).toEqual(["free"]);
    await desk.use.queue_change({ id: sent.messageId, change: "now" });
    expect(await taken(desk, "researcher")).toEqual(["kept"]);
  });

  it("takes nothing that was cancelled or has expired", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher");
    await route(desk, "agent/researcher", { timeoutMs: 1_000 });
    await desk.use.queue_change({ id: sent.messageId, change: "cancel" });
    await desk.advance(2_000);
    expect(await receive(desk, "researcher")).toEqual([]);
  });

  it("is no proof where the sender required a stronger one", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher", { require: "submitted" });
    expect(await receive(desk, "researcher")).toMatchObject([{ status: "delivered" }]);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("unconfirmed");
    const enough = await route(desk, "agent/researcher", { require: "accepted" });
    await receive(desk, "researcher");
    expect(stateIn(desk, enough, "agent/researcher")).toBe("delivered");
  });

  it("tells whoever waits for the delivery, and whoever asked to be told", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher", { notifyOnDelivery: true });
    const waiting = desk.use.wait({ id: sent.messageId, state: "delivered", timeoutMs: 60_000 });
    await receive(desk, "researcher");
    expect(await desk.done(waiting)).toEqual({ state: "delivered", reached: true });
    const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(told.map(({ message }) => message.command)).toEqual(["delivery-notice"]);
  });
});

describe("one delivery, one taker", () => {
  it("what was received is not typed", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(await taken(desk, "coder")).toEqual(["hello"]);
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
    expect(desk.history(sent)).toEqual(["queued", "delivered"]);
  });

  it("what was typed is not received", async () => {
    const { desk, coder } = await oneAgent();
    await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(coder.program.submitted).toHaveLength(1);
    expect(await receive(desk, "coder")).toEqual([]);
  });

  it.each(["deliver.chosen", "deliver.marked", "paste.before-keys", "paste.after-keys"] as const)(
    "comes once when it is received while its courier is at %s",
    async (moment) => {
      const { desk, coder } = await oneAgent();
      const asking: Promise<readonly string[]>[] = [];
      desk.onStep((step) => {
        if (step === moment && asking.length === 0) asking.push(taken(desk, "coder"));
      });
      const sent = await desk.send("coder", "hello");
      await desk.advance(60_000);
      const [received] = await desk.done(Promise.all(asking));
      expect(coder.program.submitted.length + (received?.length ?? 0)).toBe(1);
      expect(desk.state(sent)).toBe("delivered");
      // The batch that lost its message is chosen again.
      desk.expectFailures("courier.round_failed");
      await desk.send("coder", "after");
      await desk.advance(60_000);
      expect(coder.program.submitted.at(-1)).toContain("after");
    },
  );

  it("comes once to two who receive in the same moment", async () => {
    const desk = await deskWith("researcher");
    await route(desk, "agent/researcher");
    const ask = () => desk.use.receive({ agent: "researcher", claims: OWNER });
    const [first, second] = await desk.done(Promise.all([ask(), ask()]));
    expect([first.messages.length, second.messages.length]).toEqual([1, 0]);
  });

  it("is received again after a crash only if nobody was answered", async () => {
    const desk = await deskWith("researcher");
    await route(desk, "agent/researcher");
    expect(await receive(desk, "researcher")).toHaveLength(1);
    await desk.open();
    expect(await receive(desk, "researcher")).toEqual([]);
  });
});

describe("acknowledging", () => {
  it("makes it read, from waiting, delivered and unconfirmed", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "researcher" });
    const waiting = await route(desk, "agent/researcher");
    expect(await acknowledge(desk, waiting, "researcher")).toEqual(["read"]);
    expect(desk.store.read.deliveriesOf(waiting.messageId)).toMatchObject([
      { state: "read", transport: "receive", evidence: "accepted" },
    ]);
    expect(await receive(desk, "researcher")).toEqual([]);

    const received = await route(desk, "agent/researcher");
    await receive(desk, "researcher");
    expect(await acknowledge(desk, received, "researcher")).toEqual(["read"]);

    coder.program.echoes = "no";
    const typed = await desk.send("coder", "hello");
    await desk.advance(15_000);
    expect(desk.state(typed)).toBe("unconfirmed");
    expect(await acknowledge(desk, typed, "coder")).toEqual(["read"]);
    expect(desk.delivery(typed)).toMatchObject({ state: "read", transport: "paste" });
    expect(desk.lastNote(typed)).toBe("acknowledged by person/dev");
  });

  it("keeps it from being typed", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await acknowledge(desk, sent, "coder");
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("does not touch what is being typed, nor what is over", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const typing = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(await acknowledge(desk, typing, "coder")).toEqual(["delivering"]);
    await desk.use.agent_add({ name: "researcher" });
    const cancelled = await route(desk, "agent/researcher");
    await desk.use.queue_change({ id: cancelled.messageId, change: "cancel" });
    expect(await acknowledge(desk, cancelled, "researcher")).toEqual(["cancelled"]);
  });

  it("is said for one mailbox alone where the message went to several", async () => {
    const desk = await deskWith("a", "b");
    const sent = await route(desk, "agent/**");
    await expect(acknowledge(desk, sent)).rejects.toMatchObject({
      code: "message.ambiguous",
      candidates: ["agent/a", "agent/b"],
    });
    expect(deliveries(desk, sent)).toEqual(["agent/a queued", "agent/b queued"]);
    await acknowledge(desk, sent, "b");
    expect(deliveries(desk, sent)).toEqual(["agent/a queued", "agent/b read"]);
  });

  it("without a mailbox is said for all that its only reader has", async () => {
    const desk = await deskWith("a");
    await subscribe(desk, "a:monitor", "x/*");
    expect(await acknowledge(desk, await route(desk, "x/1"))).toEqual(["read", "read"]);
    expect(await acknowledge(desk, await route(desk, "agent/a"), undefined, tokenOf("a"))).toEqual(["read"]);
  });

  it("of what is not there says so", async () => {
    const desk = await deskWith("a", "b");
    const sent = await route(desk, "agent/a");
    await expect(acknowledge(desk, sent, "b")).rejects.toMatchObject({ code: "message.unknown" });
    await expect(acknowledge(desk, sent, undefined, tokenOf("b"))).rejects.toMatchObject({
      code: "rights.missing",
    });
    await expect(acknowledge(desk, { messageId: "nothing" })).rejects.toMatchObject({
      code: "message.unknown",
    });
    const dead = await route(desk, "agent/nobody");
    await expect(acknowledge(desk, dead)).rejects.toMatchObject({ code: "message.unknown" });
  });
});

describe("the history of a mailbox", () => {
  it("shows every state, oldest first, and of many the newest", async () => {
    const desk = await deskWith("researcher");
    for (const body of ["one", "two", "three"]) await route(desk, "agent/researcher", { body });
    await receive(desk, "researcher", { limit: 2 });
    const history = async (more: object) =>
      (await desk.use.mailbox_history({ agent: "researcher", claims: OWNER, ...more })).messages.map(
        ({ body, status }) => `${body} ${status}`,
      );
    expect(await history({})).toEqual(["one delivered", "two delivered", "three pending"]);
    expect(await history({ limit: 2 })).toEqual(["two delivered", "three pending"]);
  });

  it("is cut by time: from a moment on, and before another", async () => {
    const desk = await deskWith("researcher");
    const times: number[] = [];
    for (const body of ["one", "two", "three"]) {
      times.push(desk.clock.now());
      await route(desk, "agent/researcher", { body });
      await desk.advance(1_000);
    }
    const [, second = 0, third = 0] = times;
    const window = { fromTime: second, toTime: third };
    const { messages } = await desk.use.mailbox_history({ agent: "researcher", claims: OWNER, ...window });
    expect(messages.map(({ body }) => body)).toEqual(["two"]);
  });

  it("of a session is its own", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:monitor", "x/*");
    await route(desk, "x/1", { body: "both" });
    await route(desk, "agent/researcher", { body: "agent" });
    const { messages } = await desk.use.mailbox_history({
      agent: "researcher",
      session: "monitor",
      claims: OWNER,
    });
    expect(messages.map(({ body }) => body)).toEqual(["both"]);
  });
});
