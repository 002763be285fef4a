import { describe, expect, it } from "vitest";
import { aDelivery, aMessage } from "../../../tests/contract/store-samples.ts";
import { deskWith, route, subscribe } from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";
import type { Ground } from "../presence/ground.ts";
import { MOST_TALKS, TrafficCount } from "./traffic.ts";

const MINUTE_MS = 60_000;
const traffic = (desk: Desk, request = {}) => desk.done(desk.use.traffic(request));

describe("who wrote to whom", () => {
  it("is counted by sender and owner of the mailbox, the busiest first, dead letters apart", async () => {
    const desk = await deskWith("api", "web");
    await subscribe(desk, "web:night", "news/*");
    for (let count = 0; count < 3; count += 1) await route(desk, "agent/web", { from: "api" });
    await route(desk, "agent/api", { from: "web" });
    // The session and its agent get it, which has it to be received only.
    await route(desk, "news/today", { from: "api" });
    await route(desk, "nobody/there", { from: "api" });
    await desk.advance(1);
    expect(await traffic(desk)).toEqual({
      until: desk.clock.now(),
      talks: [
        { from: "agent/api", to: "agent/web", messages: 4 },
        { from: "agent/web", to: "agent/api", messages: 1 },
      ],
      others: { pairs: 0, messages: 0 },
      unmatched: [{ from: "agent/api", messages: 1 }],
    });
  });

  it("is counted within a time until now", async () => {
    const desk = await deskWith("api", "web");
    await route(desk, "agent/web", { from: "api" });
    await route(desk, "nobody/there", { from: "api" });
    await desk.advance(10 * MINUTE_MS);
    await route(desk, "agent/web", { from: "api" });
    await desk.advance(MINUTE_MS);
    const within = async (withinMs: number) => {
      const { talks, unmatched } = await traffic(desk, { withinMs });
      return [talks[0]?.messages ?? 0, unmatched[0]?.messages ?? 0];
    };
    expect(await within(30_000)).toEqual([0, 0]);
    expect(await within(5 * MINUTE_MS)).toEqual([1, 0]);
    expect(await within(60 * MINUTE_MS)).toEqual([2, 1]);
  });

  it("and what is told as it comes overlap in nothing: what is told is as new as the count, or newer", async () => {
    const desk = await deskWith("api", "web");
    const told: number[] = [];
    await desk.office.streams.routes(({ at }) => told.push(at), { user: "dev" });
    await route(desk, "agent/web", { from: "api" });
    const { until, talks } = await traffic(desk);
    const later = told.filter((at) => at >= until).length;
    expect((talks[0]?.messages ?? 0) + later).toBe(1);
  });

  it("counts the newest if there are too many, and says from when on", async () => {
    const desk = await deskWith("api", "web");
    for (let count = 0; count < 12; count += 1) {
      await route(desk, "agent/web", { from: "api" });
      await desk.advance(1_000);
    }
    const few = new TrafficCount(
      {
        context: { store: desk.store, clock: desk.clock },
        directory: { ownerOf: (address: string) => address },
      } as unknown as Ground,
      5,
    );
    const counted = await desk.done(few.within());
    expect(counted.talks).toEqual([{ from: "agent/api", to: "agent/web", messages: 5 }]);
    expect(counted.until - (counted.since ?? 0)).toBeGreaterThanOrEqual(5_000);
    expect(counted.until - (counted.since ?? 0)).toBeLessThan(7_000);
  });

  it("names a thousand pairs, and counts the others", async () => {
    const desk = await deskWith();
    await desk.done(
      desk.store.write((tx) => {
        for (let number = 0; number < MOST_TALKS + 2; number += 1) {
          const message = aMessage({ from: `agent/a${number}`, createdAt: 1 });
          tx.insertMessage(message);
          tx.insertDelivery(aDelivery(message.id, { to: "agent/b", queuedAt: 1 }));
        }
      }),
    );
    const { talks, others } = await traffic(desk);
    expect(talks).toHaveLength(MOST_TALKS);
    expect(others).toEqual({ pairs: 2, messages: 2 });
  });
});
