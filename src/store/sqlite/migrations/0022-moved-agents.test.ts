import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

const AGENT = `INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES ('coder', 1, 'added', 1, 0)`;
const coder = { name: "coder", createdAt: 1, origin: "added", chosen: true, paused: false } as const;

it("keeps from where an agent came, and where another one went", async () => {
  const path = await databaseBefore(22, AGENT);
  const store = await openStore({ path });
  expect(store.read.agent("coder")).toEqual(coder);
  const gone = { name: "tester", host: "box", leftAt: 5 };
  await store.write((tx) => {
    tx.putAgent({ ...coder, cameFrom: "laptop" });
    tx.putDepartedAgent(gone);
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.agent("coder")).toEqual({ ...coder, cameFrom: "laptop" });
  expect(again.read.departedAgent("tester")).toEqual(gone);
  await again.close();
});
