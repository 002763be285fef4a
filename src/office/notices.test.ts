import { describe, expect, it } from "vitest";
import { type Desk, type DeskAgent, openDesk } from "../../tests/office-desk.ts";
import type { DeskProgram } from "../../tests/office-profiles.ts";
import type { DeliveryState } from "../core/message.ts";
import type { Item } from "../ports/store.ts";

const onDelivery = { notifyOnDelivery: true } as const;
const after = { notifyAfterMs: 300_000 } as const;

interface Pair {
  readonly desk: Desk;
  /** Is written to. */
  readonly coder: DeskAgent;
  /** Writes, and wants to be told. */
  readonly tester: DeskAgent;
}

async function pair(program: DeskProgram = "stashing"): Promise<Pair> {
  const desk = await openDesk();
  const coder = desk.agent("coder");
  const tester = desk.agent("tester", { program });
  await desk.ready();
  return { desk, coder, tester };
}

/** Everything Bellhop itself has said, oldest first. */
function notices(desk: Desk): readonly Item[] {
  return desk.store.read.deliveries({}).filter(({ message }) => message.source === "bellhop");
}

function said(desk: Desk): readonly (readonly [command: string, to: string, state: DeliveryState])[] {
  return notices(desk).map(({ message, delivery }) => [message.command ?? "", delivery.to, delivery.state]);
}

/** What was typed into a program, without our header. */
function typedInto({ program }: DeskAgent): readonly string[] {
  return program.submitted.map((prompt) => prompt.replace(/^\[message from: bellhop #\w{6}\] /u, ""));
}

describe("a sender who asked for it", () => {
  it("is told that the message was delivered, in these words", async () => {
    const { desk, coder, tester } = await pair();
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(typedInto(tester)).toEqual([
      `[bellhop] Message delivered to coder (${desk.sessionOf(coder)})\nOriginal: "do task X"`,
    ]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
  });

  it("is told a while after the delivery, in these words and not earlier", async () => {
    const { desk, coder, tester } = await pair();
    const sent = await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(1_000);
    expect(desk.state(sent)).toBe("delivered");
    await desk.advance(298_500);
    expect(said(desk)).toEqual([]);
    await desk.advance(10_000);
    expect(typedInto(tester)).toEqual([
      [
        "[bellhop] Reminder: 5m since your message to coder was delivered",
        'Original: "do task X"',
        `You can check status with: bellhop output ${desk.sessionOf(coder)}`,
      ].join("\n"),
    ]);
    await desk.advance(600_000);
    expect(tester.program.submitted).toHaveLength(1);
  });

  it("is told both, each once", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
    expect(typedInto(tester).map((text) => text.split("\n")[0])).toEqual([
      expect.stringContaining("Message delivered to coder"),
      "[bellhop] Reminder: 5m since your message to coder was delivered",
    ]);
  });

  it("counts the while from the delivery, however long it waited before", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(400_000);
    expect(said(desk)).toEqual([]);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    const receipts = desk.store.read.receiptsOf(desk.delivery(sent).id);
    const deliveredAt = receipts.find(({ state }) => state === "delivered")?.at ?? 0;
    expect(desk.store.read.nextTimer()).toBe(deliveredAt + 300_000);
  });

  it("is told through its inbox, the whole text", async () => {
    const { desk, coder, tester } = await pair();
    desk.inbox.offer = { kind: "offered" };
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(tester.program.submitted).toEqual([]);
    expect(desk.inbox.received).toEqual([
      expect.stringMatching(
        new RegExp(
          `^\\[message from: bellhop #\\w{6}\\]\\n\\[bellhop\\] Message delivered to coder \\(${desk.sessionOf(coder)}\\)\\nOriginal: "do task X"$`,
          "u",
        ),
      ),
    ]);
  });

  it("is told nothing when it did not ask", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X");
    await desk.send("coder", "and this", { notifyOnDelivery: false });
    await desk.advance(60_000);
    expect(said(desk)).toEqual([]);
  });

  it("is told of an answer that came before the proof", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.echoes = "no";
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(1_500);
    expect(desk.state(sent)).toBe("delivering");
    const { server, pane } = coder.sighting.identity;
    await desk.done(
      desk.use.reply({
        id: sent.messageId,
        body: "done",
        claims: { user: "dev", tmux: { socket: server, pane } },
      }),
    );
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("replied");
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
  });

  it("is told that it expired, and that it failed", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "too late", { ...onDelivery, ...after, timeoutMs: 30_000 });
    await desk.advance(40_000);
    expect(typedInto(tester)).toEqual([
      `[bellhop] Message to coder (${desk.sessionOf(coder)}) expired: nobody took it within 30s\nOriginal: "too late"`,
    ]);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    const once = await desk.sendAs(tester, "coder", "only once", {
      ...onDelivery,
      ...after,
      atMostOnce: true,
    });
    coder.beforeAnswer = async () => {
      desk.crash();
      desk.ends(coder);
    };
    await desk.advance(3_000);
    await desk.open();
    await desk.advance(20_000);
    expect(desk.state(once)).toBe("failed");
    expect(typedInto(tester).at(-1)).toBe(
      `[bellhop] Message to coder (${desk.delivery(once).attempt?.sessionId}) could not be delivered\nOriginal: "only once"`,
    );
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["expiry-notice", "failure-notice"]);
  });

  it("is named the agent of a session that is written to and not there", async () => {
    const { desk, coder, tester } = await pair();
    const session = desk.sessionOf(coder);
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.sendAs(tester, session, "too late", { ...onDelivery, timeoutMs: 30_000 });
    await desk.advance(40_000);
    expect(typedInto(tester)[0]).toMatch(
      new RegExp(`^\\[bellhop\\] Message to coder \\(${session}\\) expired`, "u"),
    );
  });

  it("is told nothing of what a person took back", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "never mind", { ...onDelivery, ...after });
    await desk.use.queue_change({ id: sent.messageId, change: "cancel" });
    await desk.advance(600_000);
    expect(said(desk)).toEqual([]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
  });

  it("is told when late evidence comes, once", async () => {
    const { desk, coder, tester } = await pair();
    await desk.hooked(coder);
    coder.program.onSubmit = () => {};
    coder.program.echoes = "no";
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(said(desk)).toEqual([]);
    for (let times = 0; times < 2; times += 1)
      await desk.done(
        desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted[0] ?? "" }),
      );
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
    await desk.advance(300_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
  });
});

describe("a notice", () => {
  it("is an ordinary message: it waits for a busy reader and comes with what else waits", async () => {
    const { desk, coder, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "one", onDelivery);
    await desk.sendAs(coder, "tester", "from an agent");
    await desk.advance(20_000);
    expect(said(desk)).toEqual([["delivery-notice", `session/${desk.sessionOf(tester)}`, "queued"]]);
    tester.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(tester.program.submitted).toEqual([
      expect.stringMatching(/^\[2 messages from: bellhop, coder\] Read/u),
    ]);
    expect(said(desk)).toEqual([["delivery-notice", expect.anything(), "delivered"]]);
  });

  it("never causes a notice, and never expires", async () => {
    const { desk, tester } = await pair();
    desk.settings = { ...desk.settings, defaultTimeoutMs: 60_000 };
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "one", { ...onDelivery, ...after });
    await desk.advance(600_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "queued"],
      ["follow-up", "queued"],
    ]);
    for (const { delivery } of notices(desk)) {
      expect(delivery).not.toHaveProperty("owes");
      expect(delivery).not.toHaveProperty("timeoutAt");
    }
    tester.program.becomes({ busy: false });
    await desk.advance(600_000);
    expect(notices(desk)).toHaveLength(2);
    expect(said(desk).map(([, , state]) => state)).toEqual(["delivered", "delivered"]);
  });

  it("goes to a person's inbox, and counts as delivered when it is read there", async () => {
    const { desk, coder } = await pair();
    const sent = await desk.send("coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(said(desk)).toEqual([["delivery-notice", "person/dev", "queued"]]);
    const [notice] = notices(desk);
    const { message } = await desk.done(desk.use.read({ id: notice?.message.shortId ?? "" }));
    expect(message.body).toBe(
      `[bellhop] Message delivered to coder (${desk.sessionOf(coder)})\nOriginal: "do task X"`,
    );
    expect(said(desk)).toEqual([["delivery-notice", "person/dev", "read"]]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("tells an agent when a person has read its message", async () => {
    const { desk, tester } = await pair();
    const sent = await desk.sendAs(tester, "person/dev", "look at this", onDelivery);
    await desk.advance(10_000);
    expect(said(desk)).toEqual([]);
    await desk.done(desk.use.read({ id: sent.messageId }));
    await desk.advance(10_000);
    expect(typedInto(tester)).toEqual(['[bellhop] Message delivered to dev\nOriginal: "look at this"']);
  });

  it("is not written for a script that no mailbox belongs to", async () => {
    const { desk } = await pair();
    const claims = { user: "dev", programSessions: { CLAUDE_CODE_SESSION_ID: "nobody-knows" } };
    const sent = await desk.send("coder", "do task X", { ...onDelivery, ...after, claims });
    await desk.advance(600_000);
    expect(desk.store.read.message(sent.messageId)?.from).toBe("program/claude");
    expect(said(desk)).toEqual([]);
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });
});

describe("a sender who is gone", () => {
  it("is not written to", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    coder.program.becomes({ busy: false });
    await desk.advance(600_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk)).toEqual([]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });

  it("is not written to when the while after the delivery has passed", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(60_000);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(300_000);
    expect(said(desk)).toEqual([]);
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });

  it("leaves no notice waiting: what was queued for its session is dropped", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    const session = desk.sessionOf(tester);
    const other = await desk.send(session, "from a person");
    await desk.advance(10_000);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(1_000);
    expect(said(desk)).toEqual([["delivery-notice", `session/${session}`, "cancelled"]]);
    const [notice] = notices(desk);
    expect(desk.store.read.receiptsOf(notice?.delivery.id ?? "").at(-1)?.note).toBe(
      "the session that was to be told has ended",
    );
    // What somebody wrote stays.
    expect(desk.state(other)).toBe("queued");
  });

  it("leaves none either when the disk was full just then", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    desk.disk.state = "full";
    desk.ends(tester);
    await desk.done(desk.use.ls({})).catch(() => {});
    await desk.advance(10_000);
    desk.expectFailures("notices.failed", "courier.round_failed");
    desk.disk.state = "works";
    await desk.advance(10_000);
    expect(said(desk).map(([, , state]) => state)).toEqual(["cancelled"]);
  });

  it("leaves none either when it ended while no daemon ran", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    const session = desk.sessionOf(tester);
    const other = await desk.send(session, "from a person");
    await desk.advance(10_000);
    desk.crash();
    desk.ends(tester);
    await desk.ready();
    expect(said(desk)).toEqual([["delivery-notice", `session/${session}`, "cancelled"]]);
    expect(desk.state(other)).toBe("queued");
  });

  it("leaves none when it ends in the very step in which the notice is written", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    desk.onStep((step) => {
      if (step !== "notice.owed") return;
      desk.ends(tester);
      void desk.office.scan();
    });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(said(desk).filter(([, , state]) => state === "queued")).toEqual([]);
  });

  it("is told in the session that goes on with its conversation", async () => {
    const { desk, coder } = await pair();
    const first = desk.agent("writer", { registry: { programSessionId: "conversation" } as never });
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    coder.program.becomes({ busy: true });
    await desk.sendAs(first, "coder", "do task X", onDelivery);
    desk.ends(first);
    const second = desk.agent("writer", { registry: { programSessionId: "conversation" } as never });
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    coder.program.becomes({ busy: false });
    await desk.advance(30_000);
    expect(second.program.submitted).toHaveLength(1);
    expect(said(desk).map(([, , state]) => state)).toEqual(["delivered"]);
  });

  it("is not taken for gone by a daemon that could not look", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, timeoutMs: 30_000 });
    const session = desk.sessionOf(tester);
    desk.crash();
    await desk.advance(60_000);
    desk.scan = "unknown";
    await desk.open();
    await desk.advance(5_000);
    desk.scan = "scanned";
    await desk.done(desk.use.ls({}));
    await desk.advance(20_000);
    expect(said(desk)).toEqual([["expiry-notice", `session/${session}`, "delivered"]]);
  });
});

describe("a notice and the daemon's life", () => {
  const everyStep = [
    "notice.owed",
    "notice.told",
    "accept.validated",
    "accept.in-transaction",
    "accept.committed",
  ] as const;

  it.each(everyStep)("comes once, killed at %s", async (step) => {
    const { desk, tester } = await pair();
    desk.onStep((reached) => {
      if (reached === "deliver.proven") desk.crashAt(step);
    });
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(desk.crashed).toBe(true);
    expect(desk.state(sent)).toBe("delivered");
    desk.failures.splice(0);
    await desk.open();
    await desk.advance(20_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
    expect(tester.program.submitted).toHaveLength(2);
  });

  it.each(["timer.due", "timer.fired", "accept.in-transaction", "accept.committed"] as const)(
    "follows up once, killed at %s",
    async (step) => {
      const { desk, tester } = await pair();
      await desk.sendAs(tester, "coder", "do task X", after);
      await desk.advance(60_000);
      desk.crashAt(step);
      await desk.advance(300_000);
      expect(desk.crashed).toBe(true);
      desk.failures.splice(0);
      await desk.open();
      await desk.advance(20_000);
      expect(said(desk).map(([command, , state]) => [command, state])).toEqual([["follow-up", "delivered"]]);
      expect(desk.store.read.nextTimer()).toBeUndefined();
      await desk.advance(600_000);
      expect(tester.program.submitted).toHaveLength(1);
    },
  );

  it("follows up at once when the while passed and no daemon ran", async () => {
    const { desk } = await pair();
    await desk.sendAs(desk.agents[1] as DeskAgent, "coder", "do task X", after);
    await desk.advance(60_000);
    desk.crash();
    await desk.advance(3_600_000);
    await desk.open();
    await desk.advance(1_000);
    expect(said(desk).map(([command]) => command)).toEqual(["follow-up"]);
  });

  it("comes for a delivery that is found to have arrived after a restart", async () => {
    const { desk, coder, tester } = await pair();
    coder.beforeAnswer = async () => desk.crash();
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(3_000);
    expect(desk.state(sent)).toBe("delivering");
    coder.beforeAnswer = async () => {};
    await desk.open();
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
  });

  it("waits for a disk that is full, and comes then", async () => {
    const { desk, tester } = await pair();
    desk.onStep((step) => {
      if (step === "notice.owed") desk.disk.state = "full";
    });
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.delivery(sent).owes).toEqual({ onDelivery: true });
    expect(said(desk)).toEqual([]);
    desk.expectFailures("notices.failed", "courier.round_failed");
    desk.onStep(() => {});
    desk.disk.state = "works";
    await desk.advance(20_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
  });

  it("comes for each of many at once", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    tester.program.becomes({ busy: true });
    const asked = { ...onDelivery, timeoutMs: 60_000 };
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => desk.sendAs(tester, "coder", `task ${at}`, asked)),
    );
    await desk.advance(61_000);
    const told = notices(desk).map(({ message }) => /task \d+/u.exec(message.body)?.[0]);
    expect(new Set(told).size).toBe(60);
    expect(told).toHaveLength(60);
  });
});
