import { expect, it } from "vitest";
import { FORGED_ID, letter, refusal } from "../../../../tests/desk/forged-letters.ts";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";
import { LONGEST_DURATION_MS } from "../../../core/time/duration.ts";

it("a letter that would wait for longer than anything may is refused, and its mailbox stays readable", async () => {
  const { cluster, b, bob } = await aliceAndBob();
  bob.program.becomes({ busy: true });
  const timeoutMs = Number.MAX_SAFE_INTEGER - cluster.clock.now() - 5_000;
  expect(await refusal(cluster, b, letter({ timeoutMs }))).toMatch(/cannot be read here/u);
  // Somebody sets the clock here, and deadlines move with it.
  cluster.clock.setWallClock(3_600_000);
  await cluster.advance(120_000);
  await b.send("bob", "still here");
  expect((await b.use.queue({ who: "bob" })).deliveries).toHaveLength(1);
  expect(b.store.read.message(FORGED_ID)).toBeUndefined();
});

it("the longest timeout of all crosses, although the clock was set back meanwhile", async () => {
  const { cluster, a, alice } = await aliceAndBob();
  cluster.hub.goDown();
  const sent = await a.sendAs(alice, "b:bob", "no hurry", { timeoutMs: LONGEST_DURATION_MS });
  cluster.clock.setWallClock(-3_600_000);
  cluster.hub.comeUp();
  await cluster.advance();
  expect(a.state(sent)).toBe("delivered");
});
