import { describe, expect, it } from "vitest";
import { FORGED_ID, letter, refusal } from "../../../../tests/desk/forged-letters.ts";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";
import { reminderStamp, waysInOf } from "../../../core/rights/ways-in.ts";
import { codeOfPage, PAGE } from "../../outside/pages.ts";

const BELLHOP = { from: "bellhop/reminders@a", source: "bellhop" } as const;

function waysOf(desk: HostDesk, id = FORGED_ID) {
  const message = desk.store.read.message(id);
  if (message === undefined) throw new Error("it never came");
  return waysInOf(message, false, "typed");
}

describe("what another host's Bellhop says", () => {
  it.each(["person/dev", "person/dev@a", "person/dev@b"])(
    "a reminder that %s is said to have set is no person's words, without the right",
    async (setBy) => {
      const { cluster, b } = await aliceAndBob();
      const message = { ...BELLHOP, ...reminderStamp(setBy, "run it") };
      expect(await refusal(cluster, b, letter({ message }))).toBeUndefined();
      expect(waysOf(b)).toBe("best-first");
      expect(b.store.read.message(FORGED_ID)).toMatchObject({
        ...{ command: "reminder", payload: { text: "run it" } },
      });
    },
  );

  it("with the right, a reminder of the person there is typed, and says whose it is", async () => {
    const { cluster, a, b, bob } = await aliceAndBob(["send", "person"]);
    const claims = { user: "dev" };
    await a.done(a.use.remind({ to: "b:bob", text: "look", afterMs: 5_000, claims }));
    await cluster.advance(10_000);
    expect(bob.program.submitted).toEqual([expect.stringContaining("[message from: a:bellhop ")]);
    const [delivery] = b.store.read.itemsAfter(undefined, 0, 10);
    expect(delivery?.message.payload).toMatchObject({ setBy: "person/dev@a" });
    expect(waysOf(b, delivery?.message.id)).toBe("typed-only");
  });

  it("it makes no page here, and no buttons", async () => {
    const { cluster, b } = await aliceAndBob(["send", "person"]);
    const payload = { code: "abc", buttons: [{ label: "Allow", nonce: "n" }], session: "00000001" };
    await refusal(cluster, b, letter({ message: { ...BELLHOP, command: PAGE, payload } }));
    const message = b.store.read.message(FORGED_ID);
    expect(codeOfPage(message)).toBeUndefined();
    expect(message).not.toHaveProperty("command");
    expect(message).not.toHaveProperty("payload");
  });

  it("it does not go around the limits on loops", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    for (const desk of [a, b])
      desk.settings = { ...desk.settings, loops: { ...desk.settings.loops, hops: 3 } };
    for (const round of [0, 1]) {
      await a.sendAs(alice, "b:bob", `question ${round}`);
      await cluster.advance(8_000);
      await b.sendAs(bob, "a:alice", `answer ${round}`);
      await cluster.advance(8_000);
    }
    const [last] = b.byBody("answer 1");
    await refusal(cluster, b, letter({ message: { ...BELLHOP, replyTo: last?.messageId } }));
    expect(b.store.read.message(FORGED_ID)?.hops).toBe(4);
    expect(b.store.read.isUnmatched(FORGED_ID)).toBe(true);
  });
});
