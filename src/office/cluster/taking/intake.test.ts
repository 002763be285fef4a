import { expect, it } from "vitest";
import { openDesk } from "../../../../tests/desk/desk.ts";
import { keyOf, wordSealer } from "../../../../tests/desk/host-desks.ts";
import { BellhopError, type Trouble } from "../../../core/errors.ts";
import type { Parcel } from "../../../wire/cluster/parcels.ts";
import { sealed } from "../packing.ts";
import { Intake, type IntakeParts } from "./intake.ts";

const ID = "0000abcd-0000-4000-8000-000000000001";

const BUG = new TypeError("undefined is not a function");

/** A host whose way in fails, by a bug, for everything that comes. */
async function failing({ error = BUG, trouble }: { error?: Error; trouble?: Trouble } = {}) {
  const { store, clock } = await openDesk();
  const logged: string[] = [];
  const told: object[] = [];
  const log = (event: string, fields: object) => {
    logged.push(event);
    told.push(fields);
  };
  const fail = () => {
    throw error;
  };
  const context = {
    ...{ clock, checkpoint: () => {}, log: { info: log, warn: log, error: log } },
    store: { read: store.read, write: store.write.bind(store), trouble: () => trouble },
  };
  const parts = {
    context,
    states: { changed: () => {} },
    sealer: wordSealer("b"),
    telling: { again: () => {}, neverCame: () => {} },
    accept: { accept: () => Promise.reject(error) },
    admitted: (host: string) => ({ host, key: keyOf(host), rights: ["send"] }),
    dispatchTo: () => ({ heard: () => {}, askAgain: () => {}, sendAgain: async () => {}, oweMissing: fail }),
    onBag: () => {},
    onMissing: () => {},
    formerNames: () => [],
  } as unknown as IntakeParts;
  const takes = (parcels: readonly Parcel[], again: number) => {
    const bag = { from: "a", sentAt: clock.now(), parcels };
    return intake.take({ bytes: sealed(bag, keyOf("b"), wordSealer("a")), ageMs: 0, again });
  };
  const intake = new Intake(parts);
  return { takes, store, logged, told };
}

function letter(): Parcel {
  const message = {
    ...{ id: ID, shortId: "zzzzzz", from: "agent/x@a", to: "agent/y", body: "hi", hops: 0 },
    ...({ form: { kind: "text" }, priority: "normal", source: "agent" } as const),
  };
  return { kind: "letter", delivery: `${ID}.1`, message };
}

it("a letter that fails again and again, by no trouble of the store, keeps no others from coming", async () => {
  const { takes, store, logged } = await failing();
  for (let again = 0; again < 5; again += 1) {
    await expect(takes([letter()], again)).rejects.toThrow("not a function");
    expect(store.read.takenLetter("a", `${ID}.1`)).toBeUndefined();
  }
  await takes([letter()], 5);
  expect(store.read.takenLetter("a", `${ID}.1`)).toMatchObject({ refusal: "it could not be taken here" });
  expect(logged).toEqual(["cluster.letter_failed", "cluster.refused"]);
});

const ENQUIRY: Parcel = { kind: "enquiry", deliveries: [`${ID}.1`] };

it("what else a bag says keeps no others from coming either: it is dropped, and the log names its host", async () => {
  const { takes, logged, told } = await failing();
  for (let again = 0; again < 5; again += 1)
    await expect(takes([ENQUIRY], again)).rejects.toThrow("not a function");
  expect(logged).toEqual([]);
  await takes([ENQUIRY], 5);
  expect(logged).toEqual(["cluster.bag_dropped"]);
  expect(told).toEqual([{ host: "a", cause: String(BUG) }]);
});

const words = { message: "Words.", next: "Do." };
it.each([
  ["the disk is full", { error: new BellhopError("store.disk_full", words) }],
  ["another program has the database", { error: new BellhopError("store.locked", words) }],
  ["the daemon stops", { error: new BellhopError("daemon.stopping", words) }],
  ["the store is in trouble", { trouble: { code: "store.lost", ...words, since: 0 } as Trouble }],
])("nothing is dropped while %s", async (_, why) => {
  const { takes, store, logged } = await failing(why);
  await expect(takes([letter()], 1_000)).rejects.toBeDefined();
  await expect(takes([ENQUIRY], 1_000)).rejects.toBeDefined();
  expect(store.read.takenLetter("a", `${ID}.1`)).toBeUndefined();
  expect(logged).toEqual([]);
});
