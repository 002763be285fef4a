/** What a person, or an agent with its own messages, does to the queue. */
import { describe, expect, it } from "vitest";
import { aDelivery, aMessage } from "../../../tests/contract/store-samples.ts";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { CHAT, connectedPhone } from "../../../tests/desk/phone.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

async function busyAgent() {
  const set = await oneAgent();
  set.coder.program.becomes({ busy: true });
  return set;
}

/** In delivery order. */
async function order(desk: Desk): Promise<readonly string[]> {
  const { deliveries } = await desk.use.session({ who: "coder" });
  return deliveries.map(({ preview }) => preview);
}

function claimsOf(agent: DeskAgent) {
  const { server, pane } = agent.sighting.identity;
  return { user: "dev", tmux: { socket: server, pane } };
}

const change = (desk: Desk, sent: SendResponse, priority: string) =>
  desk.use.queue_change({ id: sent.shortId, change: "priority", priority });

describe("what waits to go out through a bridge", () => {
  it("is cancelled with the words of whoever removes it, and not said by the next bot", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = "down";
    const sent = await desk.sendAs(coder, CHAT, "for the old bot");
    await desk.advance(1_000);
    const { deliveries } = await desk.use.queue_clear({ who: "bridge/telegram", why: "it was removed" });
    expect([deliveries.length, desk.state(sent), desk.lastNote(sent)]).toEqual([
      1,
      "cancelled",
      "it was removed",
    ]);
    phone.answer = { kind: "said" };
    await desk.advance(120_000);
    expect(phone.texts()).toEqual([]);
  });
});

describe("what waits to go to another host", () => {
  it("is cancelled by the name of its mailbox", async () => {
    const { desk } = await oneAgent();
    const message = aMessage();
    await desk.store.write((tx) => {
      tx.insertMessage(message);
      tx.insertDelivery(aDelivery(message.id, { to: "host/laptop" }));
    });
    const { who, deliveries } = await desk.use.queue_clear({ who: "host/laptop", why: "it is gone" });
    expect([who, deliveries.length]).toEqual(["host/laptop", 1]);
    expect(desk.store.read.deliveriesOf(message.id)).toMatchObject([{ state: "cancelled" }]);
  });
});

describe("another priority", () => {
  it("takes effect while the message waits, and its history says so", async () => {
    const { desk } = await busyAgent();
    const first = await desk.send("coder", "first", { priority: "idle" });
    await desk.send("coder", "second", { priority: "idle" });
    const third = await desk.send("coder", "third");
    expect(await order(desk)).toEqual(["third", "first", "second"]);
    await change(desk, third, "sequential");
    expect(await order(desk)).toEqual(["first", "second", "third"]);
    expect(desk.delivery(third)).toMatchObject({ priority: "idle" });
    expect(desk.lastNote(third)).toBe("priority changed by hand from normal to idle");
    await change(desk, first, "idle");
    expect(desk.lastNote(first)).toBeUndefined();
  });

  it("interrupts the agent at once", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "stop", { priority: "idle" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("queued");
    await change(desk, sent, "urgent");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("is refused for what is no priority, with what was meant", async () => {
    const { desk } = await busyAgent();
    const sent = await desk.send("coder", "first");
    await expect(change(desk, sent, "urgnt")).rejects.toMatchObject({
      code: "usage.invalid",
      next: 'Did you mean "urgent"? Use interrupt, normal, idle-first or idle.',
    });
  });

  it("is the sender's own affair, and nobody else's", async () => {
    const { desk, coder } = await busyAgent();
    const reviewer = desk.agent("reviewer");
    await desk.done(desk.use.ls({}));
    const theirs = await desk.sendAs(reviewer, "coder", "mine", { priority: "idle" });
    const persons = await desk.send("coder", "not mine", { priority: "idle" });
    const as = (agent: DeskAgent, id: string) =>
      desk.office.useCases.queue_change({ id, change: "priority", priority: "normal" }, claimsOf(agent));
    await as(reviewer, theirs.messageId);
    expect(desk.delivery(theirs).priority).toBe("normal");
    await expect(as(reviewer, persons.messageId)).rejects.toMatchObject({ code: "rights.missing" });
    await as(coder, persons.messageId);
    expect(desk.delivery(persons).priority).toBe("normal");
  });
});

describe("moving", () => {
  it("goes before a message of another priority, and takes that priority", async () => {
    const { desk } = await busyAgent();
    await desk.send("coder", "one");
    const two = await desk.send("coder", "two");
    const late = await desk.send("coder", "late", { priority: "idle" });
    await desk.use.queue_change({ id: late.shortId, change: "move", before: two.shortId });
    expect(await order(desk)).toEqual(["one", "late", "two"]);
    expect(desk.delivery(late).priority).toBe("normal");
    const last = await desk.send("coder", "last", { priority: "idle-first" });
    await desk.send("coder", "newest", { priority: "idle-first" });
    await desk.use.queue_change({ id: two.shortId, change: "move", before: last.shortId });
    expect(await order(desk)).toEqual(["one", "late", "newest", "two", "last"]);
  });

  it("goes between an agent's mailbox and its session's, and to nobody else's", async () => {
    const { desk, session } = await busyAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const one = await desk.send("coder", "one");
    const two = await desk.send(session, "two");
    const other = await desk.send("reviewer", "other");
    await desk.use.queue_change({ id: two.shortId, change: "move", before: one.shortId });
    expect(await order(desk)).toEqual(["two", "one"]);
    await expect(
      desk.use.queue_change({ id: two.shortId, change: "move", before: other.shortId }),
    ).rejects.toMatchObject({
      message: `The two messages wait for different recipients: session/${session} and agent/reviewer.`,
    });
  });
});

describe("moving after another", () => {
  it("goes right after it, also as the last, and takes its priority", async () => {
    const { desk } = await busyAgent();
    const [one, two] = [await desk.send("coder", "one"), await desk.send("coder", "two")];
    const three = await desk.send("coder", "three", { priority: "idle" });
    await desk.use.queue_change({ id: one.shortId, change: "move", after: two.shortId });
    expect(await order(desk)).toEqual(["two", "one", "three"]);
    await desk.use.queue_change({ id: two.shortId, change: "move", after: three.shortId });
    expect(await order(desk)).toEqual(["one", "three", "two"]);
    expect(desk.delivery(two).priority).toBe("idle");
    await desk.send("coder", "four", { priority: "idle" });
    expect(await order(desk)).toEqual(["one", "three", "two", "four"]);
  });

  it("says in which order everything is then delivered, however often it is done", async () => {
    const { desk, coder } = await busyAgent();
    const sent = [
      await desk.send("coder", "one"),
      await desk.send("coder", "two"),
      await desk.send("coder", "three"),
    ];
    const [one, two, three] = sent.map(({ shortId }) => shortId) as [string, string, string];
    for (let round = 0; round < 60; round += 1) {
      const [moved, before] = round % 2 === 0 ? [one, three] : [two, three];
      await desk.use.queue_change({ id: moved, change: "move", before });
    }
    expect(await order(desk)).toEqual(["one", "two", "three"]);
    await desk.use.queue_change({ id: three, change: "move", before: one });
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    const [prompt = ""] = coder.program.submitted;
    const places = ["three", "one", "two"].map((word) => prompt.indexOf(word));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(sent.map((each) => desk.state(each))).toEqual(["delivered", "delivered", "delivered"]);
  });

  it("is refused beside what was released, for one that is gone, and without a place", async () => {
    const { desk } = await busyAgent();
    const [one, two, gone] = [
      await desk.send("coder", "one"),
      await desk.send("coder", "two"),
      await desk.send("coder", "gone"),
    ];
    await desk.use.queue_change({ id: gone.shortId, change: "cancel" });
    const move = (id: string, place: object) => desk.use.queue_change({ id, change: "move", ...place });
    await expect(move(one.shortId, { after: gone.shortId })).rejects.toMatchObject({
      code: "delivery.not_queued",
    });
    await expect(move(gone.shortId, { after: one.shortId })).rejects.toMatchObject({
      code: "delivery.not_queued",
    });
    expect(await order(desk)).toEqual(["one", "two"]);
    await desk.use.queue_change({ id: two.shortId, change: "hold" });
    await move(two.shortId, { before: one.shortId });
    expect(await order(desk)).toEqual(["two", "one"]);
  });
});

describe("holding back", () => {
  it("is taken back by unhold: it waits by the rules again, and its old reason is gone", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "one", { priority: "idle" });
    await desk.use.queue_change({ id: sent.shortId, change: "hold" });
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "paused" } });
    await desk.done(desk.use.queue_change({ id: sent.shortId, change: "unhold" }));
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is not the agent's to take back", async () => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "one");
    await desk.use.queue_change({ id: sent.shortId, change: "hold" });
    const unhold = desk.office.useCases.queue_change({ id: sent.shortId, change: "unhold" }, claimsOf(coder));
    await expect(unhold).rejects.toMatchObject({ code: "rights.missing" });
    expect(desk.delivery(sent).release).toBe("withheld");
  });
});

describe("a change at the moment at which the courier has chosen", () => {
  it.each([
    ["hold", {}, []],
    ["move", { after: "two" }, ["two", "one"]],
    ["priority", { priority: "idle" }, ["two", "one"]],
  ] as const)("counts: %s", async (change, place, expected) => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 1 };
    coder.program.becomes({ busy: true });
    const [one, two] = [await desk.send("coder", "one"), await desk.send("coder", "two")];
    await desk.advance(1_000);
    let changed: Promise<unknown> | undefined;
    desk.onStep((step) => {
      if (step !== "deliver.chosen" || changed !== undefined) return;
      const where = "after" in place ? { after: two.shortId } : place;
      changed = desk.use.queue_change({ id: one.shortId, change, ...where });
    });
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    await changed;
    const words = coder.program.submitted.flatMap((prompt) => /(one|two)/.exec(prompt)?.[0] ?? []);
    expect(words).toEqual(change === "hold" ? ["two"] : expected);
    expect(desk.state(one)).toBe(change === "hold" ? "queued" : "delivered");
  });
});

describe("clearing", () => {
  it("cancels all that waits for one, and nothing of another's", async () => {
    const { desk, session } = await busyAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const [one, two, other] = [
      await desk.send("coder", "one"),
      await desk.send(session, "two"),
      await desk.send("reviewer", "other"),
    ];
    const waiting = desk.use.wait({ id: one.messageId, state: "delivered" });
    const answer = await desk.use.queue_clear({ who: "coder" });
    expect(answer).toMatchObject({
      who: "agent/coder",
      deliveries: [{ state: "cancelled" }, { state: "cancelled" }],
    });
    expect(await desk.done(waiting)).toEqual({ state: "cancelled", reached: false });
    expect([one, two, other].map((sent) => desk.state(sent))).toEqual(["cancelled", "cancelled", "queued"]);
    expect((await desk.use.queue_clear({ who: "coder" })).deliveries).toEqual([]);
  });

  it("of a session leaves its agent's mailbox; an agent clears only its own", async () => {
    const { desk, coder, session } = await busyAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const [one, two] = [await desk.send("coder", "one"), await desk.send(session, "two")];
    await desk.use.queue_clear({ who: session });
    expect([one, two].map((sent) => desk.state(sent))).toEqual(["queued", "cancelled"]);
    const as = (who: string) => desk.office.useCases.queue_clear({ who }, claimsOf(coder));
    await expect(as("reviewer")).rejects.toMatchObject({ code: "rights.missing" });
    expect((await as("coder")).deliveries).toHaveLength(1);
  });
});

describe("what waits for a bridge", () => {
  it("stays while it is held back, goes at once when it is released, and never once it is cancelled", async () => {
    const { desk } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = "down";
    const [held, dropped] = [await desk.send(CHAT, "held"), await desk.send(CHAT, "dropped")];
    await desk.use.queue_change({ id: held.shortId, change: "hold" });
    await desk.use.queue_change({ id: dropped.shortId, change: "cancel" });
    phone.answer = { kind: "said" };
    await desk.advance(120_000);
    expect(phone.texts()).toEqual([]);
    await desk.done(desk.use.queue_change({ id: held.shortId, change: "now" }));
    await desk.advance(1);
    expect(phone.texts()).toEqual(["held"]);
    expect([held, dropped].map((sent) => desk.state(sent))).toEqual(["delivered", "cancelled"]);
  });

  it("changes places with another, which goes first", async () => {
    const { desk } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = "down";
    const first = await desk.send(CHAT, "first");
    const second = await desk.send(CHAT, "second");
    await desk.use.queue_change({ id: second.shortId, change: "move", before: first.shortId });
    phone.answer = { kind: "said" };
    await desk.advance(120_000);
    expect(phone.texts()).toEqual(["second", "first"]);
  });
});

it("holds back any number of messages without keeping the next one waiting", async () => {
  const { desk, coder } = await busyAgent();
  for (let count = 0; count <= 120; count += 1) {
    const { shortId } = await desk.send("coder", `held ${count}`, { priority: "idle" });
    await desk.use.queue_change({ id: shortId, change: "hold" });
  }
  const free = await desk.send("coder", "free", { priority: "idle" });
  coder.program.becomes({ busy: false });
  await desk.advance(20_000);
  expect(desk.state(free)).toBe("delivered");
  expect(coder.program.submitted).toHaveLength(1);
});
