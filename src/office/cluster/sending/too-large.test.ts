import { expect, it, onTestFinished } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";
import { BAG_LIMITS } from "../../../wire/cluster/parcels.ts";

/** Hundreds of letters that no real bag can hold would be hundreds of megabytes. */
function withSmallBags(): void {
  const limits: { bytes: number } = BAG_LIMITS;
  const { bytes } = limits;
  limits.bytes = 4_096;
  onTestFinished(() => {
    limits.bytes = bytes;
  });
}

it("hundreds of letters in a row that no bag can hold do not keep what is behind them", async () => {
  withSmallBags();
  const { cluster, a, alice } = await aliceAndBob();
  cluster.hub.goDown();
  const sends = Array.from({ length: 250 }, (_, at) =>
    a.use.send({ to: "b:bob", body: `much ${at} ${"x".repeat(4_096)}`, claims: { user: "dev" } }),
  );
  const large = await a.done(Promise.all(sends));
  const last = await a.sendAs(alice, "b:bob", "little");
  cluster.hub.comeUp();
  await cluster.advance();
  expect(new Set(large.map((sent) => a.state(sent)))).toEqual(new Set(["failed"]));
  expect(a.state(last)).toBe("delivered");
});
