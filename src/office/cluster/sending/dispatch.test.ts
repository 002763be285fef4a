import { expect, it } from "vitest";
import { aDelivery, aMessage } from "../../../../tests/contract/store-samples.ts";
import { openDesk } from "../../../../tests/desk/desk.ts";
import { keyOf, wordSealer } from "../../../../tests/desk/host-desks.ts";
import { Dispatch, type DispatchParts } from "./dispatch.ts";

const OWED = [["x.1", "again"]] as const;

it("news that could not be sealed are still owed, and letters say why they do not go", async () => {
  const { store, clock } = await openDesk();
  const message = aMessage();
  await store.write((tx) => {
    tx.insertMessage(message);
    tx.insertDelivery(aDelivery(message.id, { to: "host/b" }));
  });
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  let isBroken = true;
  const owed: (readonly [string, string])[] = [...OWED];
  const parts = {
    context: {
      store,
      clock,
      ids: { message: () => "bag" },
      checkpoint: () => {},
      log: { info: log, warn: log, error: log },
    },
    ...{ host: "a", to: "b", states: { changed: () => {} } },
    engine: { standing: () => ({ state: "up", since: 0, server: "memory" }), store: async () => {} },
    sealer: {
      ...wordSealer("a"),
      seal: (bytes: Uint8Array) => {
        if (isBroken) throw new Error("no entropy");
        return bytes;
      },
    },
    telling: {
      take: () => owed.splice(0),
      giveBack: (_: string, back: typeof owed) => owed.push(...back),
      record: () => {},
      news: () => [
        { host: "b", digest: "d", news: { kind: "news", delivery: "x.1", number: 1, state: "read" } },
      ],
    },
    admitted: () => ({ host: "b", key: keyOf("b"), rights: ["send"] }),
    onStored: () => {},
  } as unknown as DispatchParts;
  const dispatch = new Dispatch(parts);
  dispatch.start();
  await clock.advance(100);
  expect(logged).toEqual(["cluster.dispatch_failed"]);
  expect(owed).toEqual(OWED);
  expect(dispatch.trouble).toBe("no entropy");
  expect(store.read.deliveriesOf(message.id)).toMatchObject([
    { state: "delivering", hold: { reason: "offline", release: "when Bellhop can send it: no entropy" } },
  ]);
  isBroken = false;
  await clock.advance(10_000);
  expect(dispatch.trouble).toBeUndefined();
  await dispatch.stop();
});
