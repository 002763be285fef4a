import { describe, expect, it } from "vitest";
import { aDelivery, aMessage, anAgent } from "../../../tests/contract/store-samples.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { HELD_AT_ONCE } from "./departures.ts";

/** One message without a reason for waiting, behind 599 that are different. */
async function fillBehind(desk: Desk, different: Parameters<typeof aDelivery>[1]): Promise<void> {
  await desk.store.write((tx) => {
    tx.putAgent(anAgent("reader"));
    for (let count = 0; count < 600; count += 1) {
      const message = aMessage();
      tx.insertMessage(message);
      tx.insertDelivery(aDelivery(message.id, { to: "agent/reader", ...(count < 599 ? different : {}) }));
    }
  });
}

describe("mail that a daemon finds when it starts", () => {
  it("says that it waits for a program, however much of it there is", async () => {
    const desk = await openDesk();
    const many = 2 * HELD_AT_ONCE + 1;
    const held = { reason: "paused", since: 1, release: "when you say so" } as const;
    await desk.store.write((tx) => {
      tx.putAgent(anAgent("reader"));
      for (let count = 0; count < many; count += 1) {
        const message = aMessage();
        tx.insertMessage(message);
        tx.insertDelivery(
          aDelivery(message.id, { to: "agent/reader", ...(count === 0 ? { hold: held } : {}) }),
        );
      }
    });
    await desk.open();
    await desk.advance(1);
    const holds = desk.store.read.deliveries({ states: ["queued"] }).map(({ delivery }) => delivery.hold);
    expect(holds[0]).toEqual(held);
    expect(new Set(holds.slice(1).map((hold) => hold?.release))).toEqual(
      new Set(["when Bellhop sees a program for agent/reader again"]),
    );
    expect(desk.store.read.deliveries({ states: ["queued"], unheld: true })).toEqual([]);
  });

  it("says so a moment later if it stands behind much that says it already", async () => {
    const desk = await openDesk();
    const held = { reason: "paused", since: 1, release: "when you say so" } as const;
    await fillBehind(desk, { hold: held });
    await desk.open();
    await desk.advance(1);
    const unheld = () => desk.store.read.deliveries({ states: ["queued"], unheld: true });
    expect(unheld()).toHaveLength(1);
    await desk.advance(1_000);
    expect(unheld()).toEqual([]);
  });

  it("says so also behind many copies, which are not counted as waiting", async () => {
    const desk = await openDesk();
    const hold = { reason: "unknown", since: 1, release: "it has it too" } as const;
    await fillBehind(desk, { hold, handledBy: ["00000001"] });
    await desk.open();
    await desk.advance(1_001);
    expect(desk.store.read.deliveries({ states: ["queued"], unheld: true })).toEqual([]);
  });

  it("says that it waits for its bridge, or for the cluster", async () => {
    const desk = await openDesk();
    await desk.store.write((tx) => {
      for (const to of ["bridge/telegram", "host/laptop"]) {
        const message = aMessage();
        tx.insertMessage(message);
        tx.insertDelivery(aDelivery(message.id, { to }));
      }
    });
    await desk.open();
    await desk.advance(1);
    const holds = desk.store.read.deliveries({ states: ["queued"] }).map(({ delivery }) => delivery.hold);
    expect(holds).toMatchObject([
      { reason: "unknown", release: "when its bridge is open" },
      { reason: "offline", release: "when this host is in its cluster again" },
    ]);
  });
});
