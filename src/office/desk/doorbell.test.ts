import { describe, expect, it } from "vitest";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { leaves, withPhone } from "../../../tests/desk/paged.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import { RING_AFTER_MS, RING_AGAIN_MS } from "../../core/doorbell.ts";

const ONE = "A message waits and no way in is open. Take it: bellhop inbox coder --take";
const SHUT = { ...AS_SHIPPED, transports: () => ["doorbell"] as const };

const lines = ({ told }: Desk) => told.map(({ text }) => text);

async function receiptsOf(desk: Desk, id: string) {
  const { deliveries } = await desk.done(desk.use.show({ id }));
  return deliveries[0]?.receipts.filter(({ transport }) => transport === "doorbell") ?? [];
}

describe("a message for which no way in can open", () => {
  it("rings at the agent's own terminal and at the others, and stays queued until somebody takes it", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = SHUT;
    const { messageId } = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(coder.program.terminal.announcements).toEqual([`[bellhop] ${ONE}`]);
    expect(desk.told).toEqual([
      { text: `[bellhop] ${ONE}`, line: true, bell: false, except: coder.sighting.identity.pane },
    ]);
    const shown = await desk.done(desk.use.show({ id: messageId }));
    expect(shown.deliveries[0]).toMatchObject({
      state: "queued",
      hold: { reason: "unknown" },
      receipts: [{ state: "queued" }, { state: "queued", transport: "doorbell" }],
    });
    expect(shown.deliveries[0]).not.toHaveProperty("transport");
    const { because } = (await desk.done(desk.use.explain({ id: messageId }))).deliveries[0] ?? {};
    expect(because).toContain("The person was told that it waits. To take it: bellhop inbox coder --take");
    expect(coder.program.submitted).toEqual([]);
    await desk.done(desk.use.receive({ agent: "coder", claims: { user: "dev" } }));
    const taken = await desk.done(desk.use.show({ id: messageId }));
    expect(taken.deliveries[0]).toMatchObject({ state: "delivered", transport: "receive" });
  });

  it("rings once, also across a restart, and again after a day", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...SHUT, inputPollMs: 3_600_000 };
    const { messageId } = await desk.send("coder", "hello");
    await desk.advance(60_000);
    await desk.open();
    await desk.advance(3_600_000);
    expect(await receiptsOf(desk, messageId)).toHaveLength(1);
    expect(coder.program.terminal.announcements).toHaveLength(1);
    await desk.advance(RING_AGAIN_MS);
    expect(await receiptsOf(desk, messageId)).toHaveLength(2);
    expect(lines(desk)).toHaveLength(2);
  });

  it("rings together with those that come with it, and not for each of a flood", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = SHUT;
    for (let count = 0; count < 30; count += 1) await desk.send("coder", `message ${count}`);
    await desk.advance(5_000);
    const rings = coder.program.terminal.announcements;
    expect(rings.length).toBeLessThanOrEqual(2);
    expect(rings[0]).toContain("messages wait and no way in is open");
    await desk.advance(600_000);
    expect(coder.program.terminal.announcements).toEqual(rings);
  });

  it("rings nowhere if the owner wants no lines, but is recorded", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...SHUT, notify: [] };
    const { messageId } = await desk.send("coder", "hello");
    await desk.advance(60_000);
    expect(coder.program.terminal.announcements).toEqual([]);
    expect(desk.told).toEqual([]);
    expect(await receiptsOf(desk, messageId)).toHaveLength(1);
  });

  it("is told on the phone of a person who is away, once", async () => {
    const { desk, phone } = await withPhone();
    desk.settings = { ...desk.settings, transports: SHUT.transports };
    leaves(desk);
    await desk.send("docs", "hello");
    await desk.advance(600_000);
    expect(phone.texts()).toEqual([
      "[docs] cannot be reached.\nA message waits and no way in is open. Take it: bellhop inbox docs --take",
    ]);
  });

  it("goes in without a word more if the owner opens a way", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = SHUT;
    await desk.send("coder", "hello");
    await desk.advance(3_000);
    desk.settings = AS_SHIPPED;
    desk.office.reconsider();
    await desk.advance(20_000);
    expect(coder.program.submitted).toHaveLength(1);
    await desk.advance(RING_AGAIN_MS * 2);
    expect(coder.program.terminal.announcements).toHaveLength(1);
  });
});

describe("a message that waits for a screen that cannot be read", () => {
  it("rings only if that lasts", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ composer: "hidden" });
    await desk.advance(5_000);
    await desk.send("coder", "hello");
    await desk.advance(RING_AFTER_MS - 10_000);
    expect(coder.program.terminal.announcements).toEqual([]);
    await desk.advance(20_000);
    expect(coder.program.terminal.announcements).toEqual([`[bellhop] ${ONE}`]);
  });

  it("does not ring if the screen can be read again in time", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ composer: "hidden" });
    await desk.send("coder", "hello");
    await desk.advance(30_000);
    coder.program.becomes({ composer: "shown" });
    await desk.advance(600_000);
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.terminal.announcements).toEqual([]);
  });
});

it("does not ring for a draft, a dialog or a busy program: those pass", async () => {
  const { desk, coder } = await oneAgent({ program: "keepless" });
  for (const change of [{ busy: true }, { busy: false, dialog: "Allow?" }] as const) {
    coder.program.becomes(change);
    await desk.send("coder", "hello");
    await desk.advance(300_000);
  }
  expect(coder.program.terminal.announcements).toEqual([]);
});
