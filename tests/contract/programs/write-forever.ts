import { writeSync } from "node:fs";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { aDelivery, aMessage } from "../store-samples.ts";

/** Writes messages, several in flight, and prints each one as soon as its write was acknowledged. */
const [path = "", run = "0", inFlight = "1"] = process.argv.slice(2);
const store = await openStore({ path });

async function writer(number: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const id = `run${run}-${number}-${count}`;
    await store.write((tx) => {
      tx.insertMessage(aMessage({ id, shortId: id, body: "x".repeat((count * 997) % 20_000) }));
      tx.insertDelivery(aDelivery(id));
    });
    writeSync(1, `${id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, (_, number) => writer(number)));
