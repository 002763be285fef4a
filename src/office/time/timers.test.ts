import { describe, expect, it } from "vitest";
import { aDelivery, aMessage } from "../../../tests/contract/store-samples.ts";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";

const HOUR = 3_600_000;

/** Busy from now on: what is sent waits. */
async function busyAgent(): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent();
  coder.program.becomes({ busy: true });
  return { desk, coder };
}

const soon = { timeoutMs: 30_000 } satisfies Partial<SendRequest>;

describe("a message that nobody takes in time", () => {
  it("is said to have waited as long as its sender wrote, whatever the way to the disk took", async () => {
    const { desk } = await busyAgent();
    const queuedAt = desk.clock.now();
    const message = aMessage({ to: "agent/coder", from: "person/dev" });
    await desk.store.write((tx) => {
      tx.insertMessage(message);
      const [owes, asked] = [{ onDelivery: true }, { timeoutMs: 2_000 }];
      tx.insertDelivery(
        aDelivery(message.id, { to: "agent/coder", queuedAt, timeoutAt: queuedAt + 1_987, ...asked, owes }),
      );
    });
    await desk.open();
    await desk.advance(2_000);
    const { deliveries } = await desk.use.show({ id: message.id });
    expect(deliveries[0]?.receipts.at(-1)?.note).toBe("nobody took it within 2s (held: busy)");
    const [notice] = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(notice?.message.body).toContain("nobody took it within 2s\n");
  });

  it("from before the time asked for was kept is only said to be late", async () => {
    const { desk } = await busyAgent();
    const queuedAt = desk.clock.now();
    const message = aMessage({ to: "agent/coder", from: "person/dev" });
    await desk.store.write((tx) => {
      tx.insertMessage(message);
      tx.insertDelivery(aDelivery(message.id, { to: "agent/coder", queuedAt, timeoutAt: queuedAt + 1_987 }));
    });
    await desk.open();
    await desk.advance(2_000);
    const { deliveries } = await desk.use.show({ id: message.id });
    expect(deliveries[0]?.receipts.at(-1)?.note).toBe("nobody took it in time (held: busy)");
  });

  it("expires while its agent is busy, at its time and not before", async () => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(29_999);
    expect(desk.state(sent)).toBe("queued");
    await desk.advance(1);
    expect(desk.history(sent)).toEqual(["queued", "expired"]);
    expect(desk.lastNote(sent)).toBe("nobody took it within 30s (held: busy)");
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("expires while the person is typing, and leaves the draft alone", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("expired");
    expect(desk.lastNote(sent)).toBe("nobody took it within 30s (held: typing)");
    await desk.advance(300_000);
    expect(coder.program).toMatchObject({ draft: "half a thought", submitted: [], pressed: [] });
    expect(desk.drafts()).toEqual([]);
  });

  it("expires where no program runs, and in a person's inbox", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const offline = await desk.send("reviewer", "soon", soon);
    const personal = await desk.sendAs(coder, "person/dev", "soon", soon);
    await desk.advance(30_000);
    expect([desk.state(offline), desk.state(personal)]).toEqual(["expired", "expired"]);
    expect(desk.lastNote(offline)).toBe("nobody took it within 30s (held: offline)");
  });

  it("expires while it is kept back by a person, paused, or blocked by a dialog", async () => {
    const { desk, coder } = await busyAgent();
    const kept = await desk.send("coder", "kept back", soon);
    await desk.use.queue_change({ id: kept.messageId, change: "hold" });
    coder.program.becomes({ busy: false, dialog: "Allow this?" });
    const blocked = await desk.send("coder", "blocked", soon);
    await desk.advance(30_000);
    expect([desk.state(kept), desk.state(blocked)]).toEqual(["expired", "expired"]);
    coder.program.answersDialog();
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("leaves the others where they are", async () => {
    const { desk, coder } = await busyAgent();
    await desk.send("coder", "first");
    const sent = await desk.send("coder", "soon", soon);
    const last = await desk.send("coder", "last", { timeoutMs: 60_000 });
    await desk.advance(30_000);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect([desk.state(sent), desk.state(last)]).toEqual(["expired", "delivered"]);
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.submitted[0]).toMatch(/^\[2 messages\] .*: first \(2\) .*: last$/u);
  });

  it("expires with a hundred and more of its kind at one moment", async () => {
    const { desk } = await busyAgent();
    const sent = await Promise.all(Array.from({ length: 110 }, (_, at) => desk.send("coder", `${at}`, soon)));
    await desk.advance(31_000);
    expect(new Set(sent.map((one) => desk.state(one)))).toEqual(new Set(["expired"]));
    expect(desk.store.read.nextExpiry()).toBeUndefined();
  });

  it("does not expire once it is being delivered, also if that takes longer than it had", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "soon", { timeoutMs: 2_000 });
    await desk.advance(1_500);
    expect(desk.state(sent)).toBe("delivering");
    await desk.advance(30_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "unconfirmed"]);
  });

  it("expires when it is queued again after its time", async () => {
    const { desk, coder } = await oneAgent();
    // Marked as delivering, then provably not typed: the terminal refused, long after.
    let passed = false;
    desk.onStep((step) => {
      if (step !== "deliver.marked" || passed) return;
      passed = true;
      desk.clock.sleeps(HOUR);
      coder.program.types("x");
    });
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(1_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued", "expired"]);
    coder.program.erases();
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("expires after a sleep in which its time ended, and is not typed by a courier that wakes first", async () => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", { timeoutMs: 300_000 });
    // The next look at deadlines is half a minute away, the courier's next round a few seconds.
    await desk.advance(31_000);
    coder.program.becomes({ busy: false });
    desk.clock.sleeps(8 * HOUR);
    await desk.advance(10_000);
    expect(desk.history(sent)).toEqual(["queued", "expired"]);
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("expires after a restart that found it provably not typed, when its time was over by then", async () => {
    const { desk, coder } = await oneAgent();
    desk.crashAt("paste.before-keys");
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(10_000);
    expect([desk.crashed, desk.state(sent)]).toEqual([true, "delivering"]);
    await desk.advance(60_000);
    await desk.open();
    await desk.advance(60_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued", "expired"]);
    expect(coder.program.submitted).toEqual([]);
  });

  it("never expires when it was cancelled first, and cannot be cancelled after", async () => {
    const { desk } = await busyAgent();
    const cancelled = await desk.send("coder", "never mind", soon);
    const expired = await desk.send("coder", "soon", { timeoutMs: 10_000 });
    await desk.use.queue_change({ id: cancelled.messageId, change: "cancel" });
    await desk.advance(60_000);
    expect(desk.history(cancelled)).toEqual(["queued", "cancelled"]);
    await expect(desk.use.queue_change({ id: expired.messageId, change: "cancel" })).rejects.toMatchObject({
      code: "delivery.not_queued",
    });
  });
});

describe("how long a message may wait", () => {
  it("is what the settings say, unless its sender says something else", async () => {
    const { desk } = await busyAgent();
    desk.settings = { ...desk.settings, defaultTimeoutMs: 60_000 };
    const byDefault = await desk.send("coder", "as configured");
    const forEver = await desk.send("coder", "for ever", { timeoutMs: 0 });
    const longer = await desk.send("coder", "longer", { timeoutMs: 120_000 });
    await desk.advance(60_000);
    expect([byDefault, forEver, longer].map((one) => desk.state(one))).toEqual([
      "expired",
      "queued",
      "queued",
    ]);
    await desk.advance(60_000);
    expect(desk.state(longer)).toBe("expired");
    desk.clock.sleeps(300 * 24 * HOUR);
    await desk.advance(60_000);
    expect(desk.state(forEver)).toBe("queued");
  });

  it("is for ever where the settings say nothing", async () => {
    const { desk } = await busyAgent();
    const sent = await desk.send("coder", "whenever");
    expect(desk.delivery(sent)).not.toHaveProperty("timeoutAt");
  });

  it("changes for what is sent after a change of the settings, and for nothing before it", async () => {
    const { desk } = await busyAgent();
    desk.settings = { ...desk.settings, defaultTimeoutMs: 60_000 };
    const before = await desk.send("coder", "before");
    desk.settings = { ...desk.settings, defaultTimeoutMs: 10_000 };
    const after = await desk.send("coder", "after");
    desk.settings = { ...desk.settings, defaultTimeoutMs: 0 };
    const last = await desk.send("coder", "last");
    await desk.advance(10_000);
    expect([before, after, last].map((one) => desk.state(one))).toEqual(["queued", "expired", "queued"]);
    await desk.advance(50_000);
    expect([before, last].map((one) => desk.state(one))).toEqual(["expired", "queued"]);
  });

  it("counts from the first of two with the same key", async () => {
    const { desk } = await busyAgent();
    const first = await desk.send("coder", "once", { ...soon, idempotencyKey: "k" });
    await desk.advance(20_000);
    const again = await desk.send("coder", "once", { ...soon, idempotencyKey: "k" });
    expect(again.messageId).toBe(first.messageId);
    await desk.advance(10_000);
    expect(desk.state(first)).toBe("expired");
  });
});

describe("what became of an expired message", () => {
  it("is shown by show, explain and the queue", async () => {
    const { desk } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(1_000);
    const at = desk.delivery(sent).timeoutAt;
    expect(at).toBe(desk.delivery(sent).queuedAt + 30_000);
    expect((await desk.use.queue({})).deliveries).toMatchObject([
      { messageId: sent.messageId, timeoutAt: at },
    ]);
    await desk.advance(29_000);
    expect((await desk.use.queue({})).deliveries).toEqual([]);
    const shown = await desk.use.show({ id: sent.shortId });
    expect(shown.deliveries).toMatchObject([
      { state: "expired", timeoutAt: at, receipts: [{ state: "queued" }, { at, state: "expired" }] },
    ]);
    expect(shown.deliveries[0]).not.toHaveProperty("hold");
    const { deliveries } = await desk.use.explain({ id: sent.shortId });
    expect(deliveries[0]?.because).toEqual(["It expired: nobody took it within 30s (held: busy)."]);
    expect((await desk.use.history({ who: "coder" })).entries).toMatchObject([
      { delivery: { state: "expired" } },
    ]);
  });

  it("ends the wait of its sender at once", async () => {
    const { desk } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    const waiting = desk.use.wait({ id: sent.messageId, state: "delivered", timeoutMs: 600_000 });
    await desk.advance(30_000);
    expect(await waiting).toEqual({ state: "expired", reached: false });
    const verdict = desk.use.verdict({ id: sent.messageId, timeoutMs: 1_000 });
    expect((await verdict).deliveries).toMatchObject([{ state: "expired" }]);
  });
});

describe("an expiry and the daemon's life", () => {
  it.each(["expiry.due", "expiry.recorded"] as const)("comes once, killed at %s", async (step) => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    desk.crashAt(step);
    await desk.advance(30_000);
    expect(desk.crashed).toBe(true);
    coder.program.becomes({ busy: false });
    await desk.open();
    expect(desk.history(sent)).toEqual(["queued", "expired"]);
    await desk.advance(60_000);
    expect(desk.history(sent)).toEqual(["queued", "expired"]);
    expect(coder.program.submitted).toEqual([]);
  });

  it("comes at the start for what ran out while no daemon ran, before anything is typed", async () => {
    const { desk, coder } = await busyAgent();
    const over = await desk.send("coder", "over", soon);
    const open = await desk.send("coder", "open", { timeoutMs: 2 * HOUR });
    desk.crash();
    coder.program.becomes({ busy: false });
    await desk.advance(HOUR);
    await desk.open();
    expect(desk.state(over)).toBe("expired");
    await desk.advance(60_000);
    expect(desk.state(open)).toBe("delivered");
    expect(coder.program.submitted).toEqual([expect.stringMatching(/open$/u)]);
  });

  it("waits for a disk that is full, and comes then", async () => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    await desk.advance(25_000);
    desk.disk.state = "full";
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("queued");
    desk.expectFailures("timers.failed", "courier.round_failed");
    desk.disk.state = "works";
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("expired");
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("leaves nothing armed when nothing waits for a time", async () => {
    const { desk } = await busyAgent();
    await desk.advance(10_000);
    const before = desk.clock.waiting;
    const sent = await desk.send("coder", "soon", soon);
    expect(desk.clock.waiting).toBeGreaterThan(before);
    await desk.use.queue_change({ id: sent.messageId, change: "cancel" });
    await desk.advance(10_000);
    expect(desk.clock.waiting).toBe(before);
  });

  it("is not kept from coming by a row that nobody can read, nor kept busy by it", async () => {
    const { desk } = await oneAgent();
    const { read } = desk.store;
    const nextTimer = read.nextTimer.bind(read);
    Object.assign(read, { nextTimer: () => Math.min(1, nextTimer() ?? 1) });
    const sent = await desk.send("person/dev", "soon", soon);
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("expired");
  });

  it("ends with the daemon: nothing comes after it closed", async () => {
    const { desk } = await busyAgent();
    const sent = await desk.send("coder", "soon", soon);
    await desk.done(desk.office.close());
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("queued");
  });
});
