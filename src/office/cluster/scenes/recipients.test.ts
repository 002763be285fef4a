import { expect, it } from "vitest";
import { openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `coder` on a; on b `writer`, who hears `team/**`. */
async function twoHosts() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  a.agent("coder");
  b.agent("writer");
  await cluster.ready();
  await b.done(b.use.sub_add({ agent: "writer", pattern: "team/**", claims }));
  await cluster.advance();
  return { cluster, a, b };
}

it("tells whoever writes to another host whom it is for, and from which mailbox it goes", async () => {
  const { a } = await twoHosts();
  const told = async (to: string) => (await a.send(to, "x")).deliveries;
  expect(await told("writer")).toMatchObject([{ to: "host/b", recipient: "agent/writer@b" }]);
  expect(await told("agent/writer")).toMatchObject([{ to: "host/b", recipient: "agent/writer@b" }]);
  expect(await told("person/ada@b")).toMatchObject([{ to: "host/b", recipient: "person/ada@b" }]);
  expect(await told("team/news")).toMatchObject([{ to: "host/b", recipient: "team/news" }]);
  expect((await told("coder"))[0]).not.toHaveProperty("recipient");
});

it("tells it wherever the message is looked at", async () => {
  const { a, cluster } = await twoHosts();
  cluster.hub.cutOff("a");
  await cluster.advance();
  const { messageId: id } = await a.send("b:writer", "x");
  const there = { to: "host/b", recipient: "agent/writer@b" };
  expect((await a.use.show({ id })).deliveries).toMatchObject([there]);
  expect((await a.use.explain({ id })).deliveries).toMatchObject([there]);
  expect((await a.use.queue({})).deliveries).toMatchObject([there]);
  expect((await a.use.history({})).entries).toMatchObject([{ delivery: there }]);
  expect((await a.done(a.use.queue_change({ id, change: "cancel" }))).deliveries).toMatchObject([there]);
});

it("tells whoever answers somebody elsewhere who that is", async () => {
  const { a, b, cluster } = await twoHosts();
  const { messageId } = await a.send("b:writer", "is it green?");
  await cluster.advance();
  const answer = await b.done(b.use.reply({ id: messageId, body: "yes", from: "writer", claims }));
  expect(answer.deliveries).toMatchObject([{ to: "host/a", recipient: "person/dev@a" }]);
});

it("tells it of what is cancelled together", async () => {
  const { a, cluster } = await twoHosts();
  cluster.hub.cutOff("a");
  await cluster.advance();
  await a.send("person/ada@b", "x");
  const { deliveries } = await a.done(a.use.queue_clear({ who: "host/b" }));
  expect(deliveries).toMatchObject([{ to: "host/b", recipient: "person/ada@b", state: "cancelled" }]);
});

it("names both when one cannot be put beside the other", async () => {
  const { a, cluster } = await twoHosts();
  cluster.hub.cutOff("a");
  await cluster.advance();
  const one = await a.send("b:writer", "x");
  await a.use.agent_add({ name: "reader" });
  const other = await a.send("reader", "x");
  const moved = a.use.queue_change({ id: one.messageId, change: "move", after: other.messageId });
  await expect(a.done(moved)).rejects.toMatchObject({
    message: "The two messages wait for different recipients: agent/writer@b and agent/reader.",
  });
});

it("tells who would get it there", async () => {
  const { a } = await twoHosts();
  const tried = async (path: string) => (await a.use.route_try({ path, claims })).recipients;
  expect(await tried("agent/writer@b")).toMatchObject([{ to: "host/b", recipient: "agent/writer@b" }]);
  expect(await tried("team/news")).toMatchObject([{ to: "host/b", recipient: "team/news" }]);
  expect((await tried("agent/coder"))[0]).not.toHaveProperty("recipient");
});

it("names the hosts to which a path went", async () => {
  const { cluster, desks } = await openHosts("a", "laptop");
  const [a, laptop] = desks;
  a.agent("coder");
  laptop.agent("writer");
  await cluster.ready();
  await laptop.done(laptop.use.sub_add({ agent: "writer", pattern: "team/**", claims }));
  await cluster.advance();
  const route = (path: string) => a.done(a.use.route({ path, body: "x", claims }));
  expect(await route("team/news")).toMatchObject({
    delivered: true,
    deliveredTo: [],
    deliveredToHosts: ["laptop"],
  });
  expect(await route("agent/coder")).not.toHaveProperty("deliveredToHosts");
});
