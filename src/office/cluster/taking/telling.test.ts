import { expect, it, onTestFinished } from "vitest";
import { post } from "../../../../tests/contract/store-samples.ts";
import { FakeClock, OpenWork } from "../../../../tests/desk/clock.ts";
import { emptyStore } from "../../../../tests/desk/empty-store.ts";
import type { Hold } from "../../../core/message.ts";
import { Touches } from "../../base/touches.ts";
import { Telling, type TellingParts } from "./telling.ts";

/** A letter of `a` that waits here, and of which `a` was told why. */
async function toldOnce() {
  const touches = new Touches(await emptyStore());
  const { store } = touches;
  const clock = new FakeClock(new OpenWork());
  const owed: string[] = [];
  const context = { store, clock, digest: (text: string) => text };
  const parts = { context, touches, owed: (host: string) => owed.push(host) };
  const telling = new Telling(parts as unknown as TellingParts);
  const deliveryId = await store.write((tx) => {
    const posted = post(tx, { message: { id: "one", shortId: "aaaaaa" } });
    const letter = { host: "a", delivery: "one.1", takenAt: 1, messageId: "one", told: 0, isOver: false };
    tx.putTakenLetter(letter);
    return posted.deliveryId;
  });
  telling.start();
  onTestFinished(async () => {
    telling.stop();
    await store.close();
  });
  const waitsFor = async (release: string): Promise<void> => {
    const hold: Hold = { reason: "busy", since: 1, release };
    await store.write((tx) => tx.updateDelivery(deliveryId, { hold }));
    await clock.advance(1_000);
  };
  const packed = () => telling.news(store.read, "a", telling.take("a", 10));
  const stored = async (news: ReturnType<typeof packed>): Promise<void> => {
    await store.write((tx) => {
      for (const one of news) telling.record(tx, one);
    });
    await clock.advance(1_000);
  };
  await waitsFor("the end of its turn");
  await stored(packed());
  owed.length = 0;
  return { owed, waitsFor, packed, stored };
}

const holds = (
  news: readonly { readonly news: { readonly hold?: { readonly release: string } | undefined } }[],
) => news.map((one) => one.news.hold?.release);

it("owes nothing once NATS has what is true", async () => {
  const { owed, waitsFor, packed, stored } = await toldOnce();
  await waitsFor("a draft");
  const news = packed();
  expect(holds(news)).toEqual(["a draft"]);
  owed.length = 0;
  await stored(news);
  expect(owed).toEqual([]);
  expect(packed()).toEqual([]);
});

it("tells again what was true before, if it became so while something else was on its way to NATS", async () => {
  const { owed, waitsFor, packed, stored } = await toldOnce();
  await waitsFor("a draft");
  const news = packed();
  await waitsFor("the end of its turn");
  owed.length = 0;
  await stored(news);
  expect(owed).toEqual(["a"]);
  expect(holds(packed())).toEqual(["the end of its turn"]);
});
