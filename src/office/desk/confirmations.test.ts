import { expect, it } from "vitest";
import { aRelay } from "../../../tests/contract/store-outside.ts";
import { withPhone } from "../../../tests/desk/paged.ts";
import { CHAT } from "../../../tests/desk/phone.ts";

it("confirms what arrived, however many wait elsewhere", async () => {
  const { desk, phone } = await withPhone();
  const claims = { user: "dev" };
  await desk.done(desk.use.pause({ who: "coder", paused: true }));
  for (let index = 0; index < 60; index += 1) {
    const { messageId } = await desk.done(desk.use.send({ to: "coder", body: "wait", claims }));
    const relay = aRelay(`waits${index}`, {
      path: CHAT,
      relayed: messageId,
      owesConfirmation: true,
      at: index,
    });
    await desk.store.write((tx) => tx.putRelay(relay));
  }
  await phone.writes("[docs] go on");
  await desk.advance(20_000);
  expect(phone.texts()).toEqual([expect.stringMatching(/^✓ Delivered to \[/u)]);
});
