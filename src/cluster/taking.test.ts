import type { Consumer } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { EngineTime } from "./engine-time.ts";
import { NotHandedOut, Taking } from "./taking.ts";

/** Knows of no bag, and notes how it was asked. */
class EmptyConsumer {
  readonly asked: { readonly expires: number; readonly idle_heartbeat: number }[] = [];

  fetch(options: { readonly expires: number; readonly idle_heartbeat: number }) {
    this.asked.push(options);
    return Promise.resolve({ stop: () => {}, async *[Symbol.asyncIterator]() {} });
  }
}

/** Nothing is handed out; `waits` says whether there is something. */
function emptyHanded(clock: FakeClock, consumer: EmptyConsumer, waits: () => boolean) {
  return new Taking(
    {
      consumer: consumer as unknown as Consumer,
      clock,
      time: new EngineTime(clock),
      waits: () => Promise.resolve(waits()),
      hand: () => Promise.resolve(),
    },
    new AbortController().signal,
  );
}

describe("questions for a bag", () => {
  it("are short while a connection is young: whoever is chosen to answer them has not heard those before", async () => {
    const clock = new FakeClock(new OpenWork());
    const consumer = new EmptyConsumer();
    const taking = emptyHanded(clock, consumer, () => false);
    await taking.next();
    await clock.advance(60_000);
    await taking.next();
    const [young, old] = consumer.asked;
    expect(young?.expires).toBeLessThanOrEqual(2_000);
    expect(young?.idle_heartbeat).toBeLessThanOrEqual(1_000);
    expect(old).toMatchObject({ expires: 10_000, idle_heartbeat: 3_000 });
  });
});

describe("a server that hands out nothing", () => {
  it("though something waits, twice in a row, is told so", async () => {
    const clock = new FakeClock(new OpenWork());
    const taking = emptyHanded(clock, new EmptyConsumer(), () => true);
    await taking.next();
    await clock.advance(6_000);
    await taking.next();
    await clock.advance(5_000);
    await taking.next();
    await clock.advance(1_000);
    await expect(taking.next()).rejects.toThrow(NotHandedOut);
  });

  it("may have something wait for a moment, and is asked about it once a minute", async () => {
    const clock = new FakeClock(new OpenWork());
    const looks: number[] = [];
    const waiting = [true, false, false];
    const taking = emptyHanded(clock, new EmptyConsumer(), () => {
      looks.push(clock.monotonic() - began);
      return waiting[looks.length - 1] ?? false;
    });
    const began = clock.monotonic();
    for (let second = 0; second < 80; second += 1) {
      await taking.next();
      await clock.advance(1_000);
    }
    expect(looks).toEqual([6_000, 12_000, 72_000]);
  });
});
