import { expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

it("what is refused is in the log of the host that refused it, which keeps no message of it", async () => {
  const { cluster, a, b, alice } = await aliceAndBob();
  b.admits("a", ["hear"]);
  const { messageId, shortId } = await a.sendAs(alice, "b:bob", "hello");
  await cluster.advance();
  await expect(b.use.show({ id: shortId })).rejects.toMatchObject({
    code: "message.unknown",
    next: expect.stringContaining(
      'What this host has refused is only on the host that sent it, and in "bellhop logs".',
    ),
  });
  expect(b.store.read.message(messageId)).toBeUndefined();
  expect(b.logged.filter(({ event }) => event === "cluster.refused")).toMatchObject([
    { host: "a", message: shortId, because: expect.stringMatching(/^a may not send messages here/u) },
  ]);
});
