import { describe, expect, it } from "vitest";
import { letter, refusal } from "../../../../tests/desk/forged-letters.ts";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

const DAY = 86_400_000;

/** A letter that Bob got, and its bag, which whoever runs the engine has kept. */
async function keptBag() {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice } = hosts;
  b.crash();
  const sent = await a.sendAs(alice, "b:bob", "delete everything");
  await cluster.advance();
  const [bag = new Uint8Array()] = cluster.hub.waiting("b");
  await b.ready();
  await cluster.advance();
  expect(b.byBody("delete everything")).toHaveLength(1);
  return { ...hosts, sent, bag };
}

describe("whoever runs the engine", () => {
  it("cannot have an old letter typed again, once it is forgotten here", async () => {
    const { cluster, b, bob, sent, bag } = await keptBag();
    for (let times = 0; times < 2; times += 1) {
      cluster.clock.sleeps((b.settings.retentionDays + 31) * DAY);
      await cluster.advance();
      await b.done(b.office.forget());
    }
    expect(b.store.read.takenAs(sent.messageId)).toBeUndefined();
    expect(b.store.read.message(sent.messageId)).toBeUndefined();
    const typed = bob.program.submitted.length;
    cluster.hub.put("b", "again", bag);
    await cluster.advance();
    expect(bob.program.submitted).toHaveLength(typed);
    expect(b.byBody("delete everything")).toEqual([]);
  });

  it("cannot make a letter young again: its time is over", async () => {
    const { cluster, b } = await aliceAndBob();
    const sentAt = cluster.clock.now() - 3 * DAY;
    const parcel = letter({ timeoutMs: DAY });
    cluster.forges("a", "b", [parcel], { sentAt });
    await cluster.advance();
    expect(b.store.read.takenLetter("a", parcel.delivery)?.refusal).toBe("it came after its time");
  });

  it("cannot let letters expire by what it stamps on them", async () => {
    const { cluster, b } = await aliceAndBob();
    cluster.hub.falseAgeMs = 1_000 * DAY;
    expect(await refusal(cluster, b, letter({ timeoutMs: DAY }))).toBeUndefined();
  });
});

describe("a host whose clock is wrong", () => {
  it("by an hour loses nothing, and nothing expires too early", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    for (const skewMs of [-3_600_000, 3_600_000]) {
      b.skewMs = skewMs;
      await cluster.advance(60_000);
      const sent = await a.sendAs(alice, "b:bob", `by ${skewMs}`, { timeoutMs: 20_000 });
      await cluster.advance(10_000);
      expect(a.state(sent)).toBe("delivered");
    }
    expect(bob.program.submitted).toHaveLength(2);
  });

  it("by a month is told so", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    a.skewMs = -30 * DAY;
    await cluster.advance(60_000);
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toMatch(
      /^on b: "it was sent more than 25 days ago, by the clocks of both hosts/u,
    );
  });
});
