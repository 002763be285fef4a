import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import { CHAT, Phone } from "../../../../tests/desk/phone.ts";

const claims = { user: "dev" } as const;

/** The person's phone is connected on `a`; an agent on `b` has subscribed to everything. */
async function phoneOnA(rights?: Parameters<HostDesk["admits"]>[1]) {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  a.settings = { ...a.settings, desk: { ...a.settings.desk, bridges: ["telegram"], channels: [CHAT] } };
  const coder = a.agent("coder");
  b.agent("spy");
  await cluster.ready();
  if (rights !== undefined) a.admits("b", rights);
  await b.done(b.use.sub_add({ agent: "spy", pattern: "**", claims }));
  const phone = new Phone(a);
  await phone.connect();
  await cluster.advance();
  const wentTo = (body: string) => a.byBody(body).map(({ to }) => to);
  return { cluster, a, b, coder, phone, wentTo };
}

describe("what is said on paths", () => {
  it("what the person says outside goes to the desk here, whoever elsewhere subscribes to it", async () => {
    const { cluster, b, phone, wentTo } = await phoneOnA();
    await phone.writes("a secret");
    await phone.writes("in a group", { path: "telegram/-100" });
    await cluster.advance();
    expect(wentTo("a secret")).toContain("desk/answers");
    expect(wentTo("a secret")).not.toContain("host/b");
    expect(wentTo("in a group")).not.toContain("host/b");
    expect(b.byBody("a secret")).toEqual([]);
  });

  it("nor if they say too much at once, nor when what nobody heard is tried again", async () => {
    const { cluster, a, b, phone } = await phoneOnA();
    a.settings = { ...a.settings, desk: { ...a.settings.desk, channels: [] } };
    let said = 0;
    while (said < 200 && (await phone.writes(`secret ${said}`)) !== "flood") said += 1;
    expect(said).toBeLessThan(200);
    await a.done(a.use.unmatched_reroute({}));
    await cluster.advance();
    expect(b.byBody(`secret ${said}`)).toEqual([]);
    expect(b.store.read.itemsAfter(undefined, 0, 100)).toEqual([]);
  });

  it("what agents here say to the person's channel goes only there", async () => {
    const { cluster, a, b, coder, phone, wentTo } = await phoneOnA();
    await a.sendAs(coder, CHAT, "for you only");
    await a.sendAs(coder, "telegram/*", "for all of them").catch(() => {});
    await cluster.advance();
    expect(phone.texts().join()).toContain("for you only");
    expect(wentTo("for you only")).toEqual(["bridge/telegram"]);
    expect(wentTo("for all of them")).toEqual([]);
    expect(b.store.read.itemsAfter(undefined, 0, 100)).toEqual([]);
  });

  it.each(["program/tool", "bellhop/notices", "host/b", "bridge/telegram"])(
    "what is said to %s is heard by nobody elsewhere",
    async (path) => {
      const { cluster, a, b } = await phoneOnA();
      await a.send(path, "private");
      await cluster.advance();
      expect(b.byBody("private")).toEqual([]);
    },
  );

  it("another path is heard there, if the host may hear", async () => {
    const { cluster, a, b } = await phoneOnA();
    await a.send("team/news", "for all");
    await cluster.advance();
    expect(b.byBody("for all")).toMatchObject([{ to: "agent/spy", state: "delivered" }]);
  });

  it("a host without the right hears nothing, and can still be written to", async () => {
    const { cluster, a, b } = await phoneOnA(["send"]);
    expect(await a.send("team/news", "for all")).toMatchObject({ unmatched: true });
    await a.send("b:spy", "for you");
    await cluster.advance();
    expect(b.byBody("for all")).toEqual([]);
    expect(b.byBody("for you")).toMatchObject([{ state: "delivered" }]);
  });
});
