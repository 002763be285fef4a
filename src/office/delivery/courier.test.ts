import { describe, expect, it, vi } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";

/** Paused while they come in, so that all are there before the first is chosen. */
async function queueUp(desk: Desk, requests: readonly (readonly [string, Partial<SendRequest>])[]) {
  await desk.use.pause({ who: "coder", paused: true });
  const sent: SendResponse[] = [];
  for (const [body, more] of requests) sent.push(await desk.send("coder", body, more));
  await desk.use.pause({ who: "coder", paused: false });
  return sent;
}

/** Which message each prompt was, oldest first. */
function bodies({ program }: DeskAgent): readonly string[] {
  return program.submitted.map((prompt) => prompt.replace(/^\[[^\]]*\] /u, ""));
}

describe("a courier's order", () => {
  it("drains interrupt, normal, idle-first and idle, one batch at a time", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 1 };
    await queueUp(desk, [
      ["idle 1", { priority: "idle" }],
      ["first 1", { priority: "idle-first" }],
      ["first 2", { priority: "idle-first" }],
      ["normal 1", {}],
      ["idle 2", { priority: "sequential" }],
      ["normal 2", { priority: "important" }],
    ]);
    const urgent = await desk.send("coder", "now!", { priority: "urgent" });
    await desk.advance(60_000);
    expect(desk.state(urgent)).toBe("delivered");
    const drained = bodies(coder);
    // The pause let the interrupt pass before everything else was released.
    expect(drained.filter((body) => body !== "now!")).toEqual([
      "normal 1",
      "normal 2",
      "first 2",
      "first 1",
      "idle 1",
      "idle 2",
    ]);
  });

  it("puts ten waiting messages into one prompt and the eleventh into the next", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await queueUp(
      desk,
      Array.from({ length: 11 }, (_, at) => [`message ${at}`, {}] as const),
    );
    await desk.advance(1_500);
    expect(sent.map((one) => desk.state(one))).toEqual([...Array(10).fill("delivered"), "queued"]);
    await desk.advance(10_000);
    expect(coder.program.submitted[0]).toMatch(
      /^\[10 messages\] \(1\) from dev #\w{6}: message 0 \(2\) from dev/u,
    );
    expect(bodies(coder)[1]).toBe("message 10");
    expect(desk.state(sent[10] as SendResponse)).toBe("delivered");
  });

  it("lets a raw message go alone", async () => {
    const { desk, coder } = await oneAgent();
    await queueUp(desk, [
      ["before", {}],
      ["/compact", { raw: true, keys: ["Enter"] }],
      ["after", {}],
    ]);
    await desk.advance(30_000);
    expect(bodies(coder)).toEqual(["before", "/compact", "after"]);
  });

  it("goes by the place a person gave a message", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 1 };
    coder.program.becomes({ busy: true });
    const one = await desk.send("coder", "one");
    await desk.send("coder", "two");
    const three = await desk.send("coder", "three");
    await desk.use.queue_change({ id: three.messageId, change: "move", before: one.messageId });
    coder.program.becomes({ busy: false });
    await desk.advance(30_000);
    expect(bodies(coder)).toEqual(["three", "one", "two"]);
  });

  it("moves a message before another also where the last one in goes first", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 1 };
    coder.program.becomes({ busy: true });
    const one = await desk.send("coder", "one", { priority: "idle-first" });
    await desk.send("coder", "two", { priority: "idle-first" });
    const three = await desk.send("coder", "three", { priority: "idle-first" });
    await desk.use.queue_change({ id: one.messageId, change: "move", before: three.messageId });
    coder.program.becomes({ busy: false });
    await desk.advance(30_000);
    expect(bodies(coder)).toEqual(["one", "three", "two"]);
  });

  it("puts a hundred into one prompt where the owner wants so, and all of them are proven by it", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 100 };
    coder.program.becomes({ busy: true });
    const sent = [];
    for (let number = 0; number < 105; number += 1) sent.push(await desk.send("coder", `number ${number}`));
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(coder.program.submitted.map((text) => /^\[(\d+) messages/u.exec(text)?.[1])).toEqual(["100", "5"]);
    for (const one of sent) expect(desk.state(one)).toMatch(/^(delivered|read)$/u);
  });

  it("does not batch a person's message with an agent's where each prefers another way in", async () => {
    const { desk, coder, sent } = await oneOfEach("offered");
    expect(coder.program.submitted).toHaveLength(1);
    expect(desk.inbox.received).toHaveLength(1);
    expect(sent.map((one) => desk.delivery(one).transport)).toEqual(["paste", "native"]);
  });

  it("makes one prompt of what a person and an agent said where no inbox is offered", async () => {
    const { desk, coder, sent } = await oneOfEach("not-offered");
    expect(coder.program.submitted).toEqual([
      expect.stringMatching(
        /^\[2 messages\] \(1\) from dev .*: from a person \(2\) from tester .*: from an agent/u,
      ),
    ]);
    expect(sent.map((one) => desk.state(one))).toEqual(["delivered", "delivered"]);
  });
});

async function oneOfEach(offer: "offered" | "not-offered") {
  const { desk, coder } = await oneAgent({ program: "stashing" });
  desk.inbox.offer = offer === "offered" ? { kind: offer } : { kind: offer, why: "a test says so" };
  const tester = desk.agent("tester");
  await desk.office.scan();
  await desk.use.pause({ who: "coder", paused: true });
  const person = await desk.send("coder", "from a person");
  const agent = await desk.sendAs(tester, "coder", "from an agent");
  await desk.use.pause({ who: "coder", paused: false });
  await desk.advance(20_000);
  return { desk, coder, sent: [person, agent] };
}

describe("what keeps a message back", () => {
  it("holds while its program works, and goes when the work is done", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" }, attempts: 0 });
    expect(coder.program.terminal.received).toHaveLength(0);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("keeps the time since when a hold lasts", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await desk.advance(1_000);
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    const since = desk.delivery(sent).hold?.since;
    await desk.advance(30_000);
    expect(desk.delivery(sent).hold?.since).toBe(since);
  });

  it("holds while paused, lets an interrupt pass, and goes on when released", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.pause({ who: "coder", paused: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.delivery(sent).hold?.reason).toBe("paused");
    const urgent = await desk.send("coder", "urgent", { priority: "interrupt" });
    await desk.advance(5_000);
    expect(desk.state(urgent)).toBe("delivered");
    expect(desk.state(sent)).toBe("queued");
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(bodies(coder)).toEqual(["urgent", "hello"]);
  });

  it("pauses an agent only, never a person of the same name", async () => {
    const { desk } = await oneAgent();
    await expect(desk.use.pause({ who: "person/coder", paused: true })).rejects.toMatchObject({
      code: "agent.unknown",
    });
    expect(desk.store.read.agent("coder")?.paused).toBe(false);
  });

  it("keeps back what a person withholds until they let it go", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "hold" });
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({
      state: "queued",
      release: "withheld",
      hold: { reason: "paused" },
    });
    await desk.use.queue_change({ id: sent.shortId, change: "now" });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("lets one through a pause when a person says now", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.pause({ who: "coder", paused: true });
    const first = await desk.send("coder", "first");
    const second = await desk.send("coder", "second");
    await desk.use.queue_change({ id: second.shortId, change: "now" });
    await desk.advance(5_000);
    expect([desk.state(first), desk.state(second)]).toEqual(["queued", "delivered"]);
    expect(bodies(coder)).toEqual(["second"]);
  });

  it("does not skip a dialog when a person says now", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ dialog: "Allow this?" });
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "now" });
    await desk.advance(30_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("says of every message behind a held one why it waits", async () => {
    const { desk, coder } = await oneAgent();
    const tester = desk.agent("tester");
    await desk.office.scan();
    coder.program.types("half a thought");
    await desk.done(desk.use.ls({}));
    await desk.advance(5_000);
    const person = await desk.send("coder", "from a person");
    const agent = await desk.sendAs(tester, "coder", "from an agent");
    await desk.advance(20_000);
    expect(desk.delivery(person).hold).toMatchObject({ reason: "typing" });
    expect(desk.delivery(agent).hold).toBeDefined();
  });
});

describe("between the choice and the first key", () => {
  it("types nothing when the message was cancelled in that moment", async () => {
    const { desk, coder } = await oneAgent();
    const cancelled: Promise<unknown>[] = [];
    desk.onStep((step) => {
      if (step !== "deliver.chosen" || cancelled.length > 0) return;
      cancelled.push(desk.use.queue_change({ id: sent.messageId, change: "cancel" }));
    });
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.history(sent)).toEqual(["queued", "cancelled"]);
    expect(coder.program.terminal.received).toHaveLength(0);
    desk.expectFailures("courier.round_failed");
  });

  it("types not a byte while the disk cannot take the record, and delivers when it can", async () => {
    const { desk, coder } = await oneAgent();
    desk.disk.refuses = "delivering";
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(coder.program.terminal.received).toHaveLength(0);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });
    desk.disk.refuses = undefined;
    await desk.advance(5_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered"]);
    expect(coder.program.submitted).toHaveLength(1);
    desk.expectFailures("courier.round_failed");
  });

  it("records what happened as soon as a full disk takes writes again", async () => {
    const { desk, coder } = await oneAgent();
    desk.disk.refuses = "delivered";
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivering");
    desk.disk.refuses = undefined;
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
    desk.expectFailures("courier.round_failed", "courier.record_failed");
  });
});

describe("a courier whose store cannot be written", () => {
  it("touches no key, not even the one that interrupts, until it can be again", async () => {
    const { desk, coder } = await oneAgent();
    const trouble = vi.spyOn(desk.store, "trouble").mockReturnValue({
      code: "store.lost",
      since: desk.clock.now(),
      message: "Gone.",
      next: "Look.",
    });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "now!", { priority: "urgent" });
    await desk.advance(60_000);
    expect(coder.program.pressed).toEqual([]);
    expect(desk.state(sent)).toBe("queued");
    trouble.mockRestore();
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
  });
});
