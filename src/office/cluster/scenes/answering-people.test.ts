import { expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

it("what an agent reads as the sender can be written to, also if it is the person of another host", async () => {
  const { cluster, a, b, bob } = await aliceAndBob();
  await a.send("b:bob", "are you there?");
  await cluster.advance();
  const shown = /\[message from: (\S+) #/u.exec(bob.program.submitted[0] ?? "")?.[1];
  expect(shown).toBe("a:dev");
  const sent = await b.sendAs(bob, shown ?? "", "yes");
  expect(sent.deliveries).toMatchObject([{ to: "host/a", recipient: "person/dev@a" }]);
  await cluster.advance();
  expect(a.byBody("yes")).toMatchObject([{ to: "person/dev" }]);
});

it("an agent of that name is meant before the person", async () => {
  const { cluster, a, b, bob } = await aliceAndBob();
  await a.use.agent_add({ name: "dev" });
  await cluster.advance();
  expect((await b.sendAs(bob, "a:dev", "x")).deliveries).toMatchObject([{ recipient: "agent/dev@a" }]);
});
