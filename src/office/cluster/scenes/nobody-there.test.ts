import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

const mailOf = (desk: HostDesk) =>
  desk.store.read
    .deliveries({ mailboxes: ["person/dev"], states: ["queued"] })
    .map(({ message }) => message.body);

function claimsOf(agent: DeskAgent) {
  const { server, pane } = agent.sighting.identity;
  return { user: "dev", tmux: { socket: server, pane } };
}

/** `b` has an agent `carol` as `a` knows; in truth she has been removed. */
async function carolGone() {
  const hosts = await aliceAndBob();
  const { cluster, a, b } = hosts;
  await b.done(b.use.agent_add({ name: "carol" }));
  await cluster.advance();
  cluster.hub.cutOff("a");
  await b.done(b.use.agent_remove({ name: "carol" }));
  return { ...hosts, a };
}

describe("an agent that another host does not have", () => {
  it("is refused at once, if that host is up and has said who is there", async () => {
    const { a } = await aliceAndBob();
    await expect(a.done(a.use.send({ to: "b:bop", body: "x", claims }))).rejects.toMatchObject({
      code: "recipient.unknown",
      message: 'b has no agent "bop".',
      next: expect.stringContaining('Did you mean "b:bob"?'),
    });
    await expect(a.done(a.use.send({ to: "agent/bop@b", body: "x", claims }))).rejects.toMatchObject({
      code: "recipient.unknown",
    });
    expect(a.byBody("x")).toEqual([]);
  });

  it("may be there, if somebody there hears what is said to it, or if that host is away", async () => {
    const { cluster, a, b } = await aliceAndBob();
    await b.done(b.use.sub_add({ agent: "bob", pattern: "agent/*", claims }));
    await cluster.advance();
    await a.send("b:bop", "heard");
    await cluster.advance();
    expect(a.byBody("heard")).toMatchObject([{ state: "delivered" }]);
    cluster.hub.cutOff("a");
    await a.send("b:carl", "away");
    expect(a.byBody("away")).toMatchObject([{ state: "queued" }]);
  });

  it("is told to the person who wrote to it, with the reason", async () => {
    const { cluster, a } = await carolGone();
    const sent = await a.send("b:carol", "are you there?");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("failed");
    expect(mailOf(a)).toEqual([
      '[bellhop] Message to b:carol could not be delivered: on b: "Nobody takes it: nobody has this address"\nOriginal: "are you there?"',
    ]);
  });

  it("is told to the agent that wrote to it", async () => {
    const { cluster, a, alice } = await carolGone();
    await a.sendAs(alice, "b:carol", "are you there?");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    expect(alice.program.submitted).toEqual([
      expect.stringContaining("Message to b:carol could not be delivered"),
    ]);
    expect(mailOf(a)).toEqual([]);
  });

  it("is told to whoever set a reminder for it, and to the owner", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    await b.done(b.use.agent_add({ name: "carol" }));
    await cluster.advance();
    const as = claimsOf(alice);
    await a.done(a.use.remind({ to: "b:carol", text: "look", everyMs: 60_000, claims: as }));
    await b.done(b.use.agent_remove({ name: "carol" }));
    await cluster.advance(200_000);
    const said = /Reminder of alice .*to agent\/carol@b was not sent: b has no agent "carol"\./u;
    expect(alice.program.submitted).toEqual([expect.stringMatching(said)]);
    expect(mailOf(a)).toEqual([expect.stringMatching(said)]);
  });
});

it("a proof that its recipient there cannot give is refused there, and told: nothing is typed", async () => {
  const { cluster, a, alice, bob } = await aliceAndBob();
  const sent = await a.sendAs(alice, "b:bob", "prove it", { require: "submitted" });
  await cluster.advance(20_000);
  expect(a.state(sent)).toBe("failed");
  expect(bob.program.submitted).toEqual([]);
  expect(alice.program.submitted).toEqual([
    expect.stringContaining('on b: "bob can prove a delivery only by ’screen’, not by ’submitted’"'),
  ]);
});
