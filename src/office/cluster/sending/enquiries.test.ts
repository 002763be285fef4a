import { describe, expect, it } from "vitest";
import { post } from "../../../../tests/contract/store-samples.ts";
import { FakeClock, OpenWork } from "../../../../tests/desk/clock.ts";
import { emptyStore } from "../../../../tests/desk/empty-store.ts";
import type { DeliveryId, DeliveryState } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { Ground } from "../../presence/ground.ts";
import { Enquiries, SILENT_MS } from "./enquiries.ts";

const SOON_MS = 3_000;
const HOUR_MS = 3_600_000;
/** Several pages. */
const MANY = 1_200;
/** Of what is quiet. */
const MOST_DOUBTED = 500;

async function stage() {
  const store = await emptyStore();
  const clock = new FakeClock(new OpenWork());
  let letters = 0;
  const answers: number[] = [];
  /** Counts what is read of letters. */
  const counted = <T extends readonly unknown[]>(found: T): T => {
    letters += found.length;
    answers.push(found.length);
    return found;
  };
  const read: StoreReader = {
    ...store.read,
    sentLetters: (filter) => counted(store.read.sentLetters(filter)),
    lettersUnderWay: (filter) => counted(store.read.lettersUnderWay(filter)),
    quietLetters: (filter) => counted(store.read.quietLetters(filter)),
  };
  const context = { store: { ...store, read }, clock, log: { error: () => {} } };
  const enquiries = new Enquiries({ context } as unknown as Ground, "b");
  const send = (count: number, state: DeliveryState, told: Partial<SentLetter> = {}) =>
    store.write((tx) => Array.from({ length: count }, () => sent(tx, clock.now(), state, told)));
  const heardNow = (delivery: DeliveryId) =>
    store.write((tx) => {
      const letter = tx.sentLetter(delivery);
      if (letter !== undefined) tx.putSentLetter({ ...letter, heardAt: clock.now() });
      enquiries.heard(delivery);
    });
  const readBy = async (work: () => Promise<unknown>): Promise<number> => {
    letters = 0;
    await work();
    return letters;
  };
  return { store, clock, enquiries, send, heardNow, readBy, answers };
}

function sent(tx: StoreWriter, now: number, state: DeliveryState, told: Partial<SentLetter>): DeliveryId {
  const { deliveryId } = post(tx, { delivery: { to: "host/b", state } });
  const letter = { host: "b", sentAt: now, storedAt: now, attempts: 1, heeded: 1, isOver: false };
  tx.putSentLetter({ ...letter, delivery: deliveryId, ...told });
  return deliveryId;
}

describe("when the engine is back", () => {
  it("all that is under way is asked for soon, and nothing of what was ever delivered is read", async () => {
    const { clock, enquiries, send, readBy } = await stage();
    await send(MANY, "delivered");
    await send(10, "read");
    const underWay = await send(3, "delivering");
    const read = await readBy(async () => {
      void enquiries.connected();
      await clock.advance(0);
    });
    expect(read).toBe(3);
    enquiries.announced();
    expect(enquiries.due()).toEqual([]);
    await clock.advance(SOON_MS);
    expect(new Set(enquiries.due())).toEqual(new Set(underWay));
  });

  it("that is so although something was heard of it: more may have been said since, and lost", async () => {
    const { store, clock, enquiries, send, heardNow } = await stage();
    const [waits = "", delivered = ""] = await send(2, "delivering");
    void enquiries.connected();
    await clock.advance(0);
    enquiries.announced();
    await heardNow(waits);
    await store.write((tx) => tx.moveDelivery(delivered, { at: clock.now(), state: "delivered" }));
    await heardNow(delivered);
    await clock.advance(SOON_MS);
    expect(enquiries.due()).toEqual([waits]);
    await heardNow(waits);
    expect(enquiries.due()).toEqual([]);
    expect(enquiries.nextAt()).toBe("on-signal");
  });

  it("that is so however much is under way, page by page", async () => {
    const { clock, enquiries, send } = await stage();
    const underWay = await send(MANY, "delivering");
    void enquiries.connected();
    await clock.advance(0);
    enquiries.announced();
    await clock.advance(SOON_MS);
    const asked = [enquiries.due(), enquiries.due(), enquiries.due()].flat();
    expect(new Set(asked)).toEqual(new Set(underWay));
  });
});

it("what was not asked for after all, because its bag did not go, is due again at once", async () => {
  const { clock, enquiries, send } = await stage();
  const [one = "", other = ""] = await send(2, "delivering");
  void enquiries.connected();
  await clock.advance(0);
  enquiries.announced();
  await clock.advance(SOON_MS);
  expect(new Set(enquiries.due())).toEqual(new Set([one, other]));
  enquiries.heard(other);
  enquiries.notAsked([one, other]);
  expect(enquiries.hasAskedFor(one)).toBe(false);
  expect(enquiries.due()).toEqual([one]);
  expect(enquiries.hasAskedFor(one)).toBe(true);
});

/** More than a page of letters that nobody waits for any more. */
const READ = 501;

it("at a start what is quiet is asked for, however much is read: that is stepped over page by page", async () => {
  const { clock, enquiries, send, answers } = await stage();
  await send(MANY, "read");
  const quiet = [...(await send(1, "delivered")), ...(await send(1, "unconfirmed"))];
  await clock.advance(HOUR_MS);
  void enquiries.lookAtAll();
  await clock.advance(0);
  expect(answers).toEqual([0, 500, 500, 202]);
  enquiries.announced();
  await clock.advance(SILENT_MS);
  enquiries.announced();
  expect(enquiries.due()).toEqual(quiet);
});

describe("every hour", () => {
  it("what has become quiet is asked for, delivered or not, and nothing is read twice for that", async () => {
    const { clock, enquiries, send, readBy, heardNow } = await stage();
    enquiries.start();
    await send(READ, "read");
    const [delivered = ""] = await send(1, "delivered");
    const [waits = ""] = await send(1, "delivering");
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(READ + 2);
    await clock.advance(1);
    enquiries.announced();
    await clock.advance(SILENT_MS);
    expect(new Set(enquiries.due())).toEqual(new Set([delivered, waits]));
    await heardNow(delivered);
    // One says nothing, and is asked for as before.
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(0);
    expect(enquiries.due()).toEqual([]);
    enquiries.announced();
    expect(enquiries.due()).toEqual([waits]);
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(1);
    enquiries.stop();
  });

  it("more than are in doubt at once are left for the next time, and only those are read again", async () => {
    const { clock, enquiries, send, readBy } = await stage();
    enquiries.start();
    const start = clock.now();
    const delivered: DeliveryId[] = [];
    for (let at = 0; at < MOST_DOUBTED + 20; at += 1)
      delivered.push(...(await send(1, "delivered", { sentAt: start + 1 + at, storedAt: start + 1 + at })));
    await clock.advance(HOUR_MS);
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(MOST_DOUBTED + 20);
    // Nobody was there who could be asked.
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(20);
    for (const delivery of delivered.slice(0, MOST_DOUBTED)) enquiries.heard(delivery);
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(20);
    enquiries.announced();
    await clock.advance(SILENT_MS);
    enquiries.announced();
    expect(enquiries.due()).toEqual(delivered.slice(MOST_DOUBTED));
    expect(await readBy(() => clock.advance(HOUR_MS))).toBe(0);
    enquiries.stop();
  });
});
