import { describe, expect, it, vi } from "vitest";
import { listen, OWNER, tokenOf } from "../../../tests/desk/broker-verbs.ts";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";

describe("the person, by the name they have on this machine", () => {
  it("is found by an agent that writes to them, and finds it in their inbox", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.sendAs(coder, "dev", "it is done");
    expect(sent.deliveries).toMatchObject([{ to: "person/dev", state: "queued" }]);
    for (const who of ["dev", "person/dev", undefined]) {
      const asked = who === undefined ? {} : { who };
      const { who: whose, entries } = await desk.use.inbox({ ...asked, claims: OWNER });
      expect([whose, entries.map(({ message }) => message.body)]).toEqual(["person/dev", ["it is done"]]);
    }
  });

  it("finds cancelled what was cancelled in the moment in which they read it", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.sendAs(coder, "dev", "it is done");
    const { deliveriesOf } = desk.store.read;
    const looks = vi.spyOn(desk.store.read, "deliveriesOf");
    let cancelled: Promise<unknown> | undefined;
    looks.mockImplementation((id) => {
      const found = deliveriesOf(id);
      // Seen as waiting, but recorded a moment later, after the cancellation.
      if (looks.mock.calls.length === 2)
        cancelled = desk.use.queue_change({ id: sent.shortId, change: "cancel" });
      return found;
    });
    const { message } = await desk.done(desk.use.read({ id: sent.shortId, claims: OWNER }));
    await cancelled;
    looks.mockRestore();
    expect(message.body).toBe("it is done");
    expect(desk.history(sent)).toEqual(["queued", "cancelled"]);
    expect(desk.state(sent)).toBe("cancelled");
  });

  it("is not somebody else: an unknown word stays unknown", async () => {
    const { desk, coder } = await oneAgent();
    await expect(desk.sendAs(coder, "devil", "hello")).rejects.toMatchObject({ code: "recipient.unknown" });
    await expect(desk.sendAs(coder, "", "hello")).rejects.toMatchObject({ code: "recipient.unknown" });
  });

  it("is asked for by address where an agent has the same name; the person themselves means the agent", async () => {
    const desk = await openDesk();
    const [namesake, coder] = [desk.agent("dev"), desk.agent("coder")];
    await desk.ready();
    await expect(desk.sendAs(coder, "dev", "done")).rejects.toMatchObject({
      code: "recipient.ambiguous",
      candidates: ["agent/dev", "person/dev"],
    });
    expect((await desk.sendAs(coder, "person/dev", "done")).deliveries).toMatchObject([{ to: "person/dev" }]);
    expect((await desk.send("dev", "hello")).deliveries).toMatchObject([{ to: "agent/dev" }]);
    expect(namesake.folder).toBe("dev");
  });

  it("listens to what comes for them, or takes it; no agent does", async () => {
    const { desk, coder } = await oneAgent();
    const ear = await listen(desk, "person/dev");
    const first = await desk.sendAs(coder, "dev", "first");
    expect(ear.texts()).toEqual(["first"]);
    expect(desk.state(first)).toBe("queued");
    ear.close();
    const taker = await listen(desk, "person/dev", { consume: true });
    await desk.advance(100);
    const second = await desk.sendAs(coder, "dev", "second");
    await desk.advance(100);
    expect(taker.texts()).toEqual(["first", "second"]);
    expect([desk.state(first), desk.state(second)]).toEqual(["delivered", "delivered"]);
    for (const claims of [tokenOf("coder"), { ...OWNER, session: desk.sessionOf(coder) }])
      await expect(listen(desk, "person/dev", { claims })).rejects.toMatchObject({ code: "rights.missing" });
    await expect(desk.use.inbox({ who: "dev", claims: tokenOf("coder") })).rejects.toMatchObject({
      code: "rights.missing",
    });
  });
});

describe("what is said to all", () => {
  it("reaches who runs, who reads by hand and who is listened for, and nobody whose program has ended", async () => {
    const desk = await openDesk();
    const [gone, heard] = [desk.agent("gone"), desk.agent("heard")];
    desk.agent("runs");
    await desk.ready();
    await desk.done(desk.use.agent_add({ name: "mailbox" }));
    for (const agent of [gone, heard]) desk.ends(agent);
    await desk.done(desk.use.ls({}));
    await listen(desk, "heard");
    const reached = async () =>
      (await desk.send("agent/**", "freeze")).deliveries.map(({ to }) => to.replace("agent/", "")).toSorted();
    expect(await reached()).toEqual(["heard", "mailbox", "runs"]);
    await desk.done(desk.use.sub_add({ agent: "gone", pattern: "agent/*", claims: OWNER }));
    expect(await reached()).toEqual(["gone", "heard", "mailbox", "runs"]);
  });

  it("reaches one of whom nobody can say that it has ended", async () => {
    const { desk, coder } = await oneAgent();
    coder.process = "unknown";
    desk.scan = "unknown";
    await desk.open();
    expect((await desk.send("agent/*", "freeze")).deliveries).toMatchObject([{ to: "agent/coder" }]);
  });
});
