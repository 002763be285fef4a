import { expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

it("a command in why it waits there says on which host it works", async () => {
  const { cluster, a, b } = await aliceAndBob();
  await b.use.agent_add({ name: "later" });
  const toAgent = await a.send("b:later", "x");
  const toPerson = await a.send("person/dev@b", "y");
  await cluster.advance();
  expect(a.delivery(toAgent).hold?.release).toMatch(/, on b: bellhop name AGENT later/u);
  expect(a.delivery(toPerson).hold?.release).toMatch(/, on b: bellhop read [a-z0-9]{6}"$/u);
});
