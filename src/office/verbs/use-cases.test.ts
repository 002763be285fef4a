import { describe, expect, it } from "vitest";
import { oneAgent } from "../../../tests/desk/desk.ts";

describe("agents", () => {
  it("are added once, under a name that can be one", async () => {
    const { desk } = await oneAgent();
    expect(await desk.use.agent_add({ name: "reviewer" })).toMatchObject({
      name: "reviewer",
      origin: "added",
    });
    await expect(desk.use.agent_add({ name: "reviewer" })).rejects.toMatchObject({ code: "agent.exists" });
    await expect(desk.use.agent_add({ name: "Re Viewer" })).rejects.toMatchObject({ code: "name.invalid" });
    expect((await desk.use.agent_list({})).agents.map(({ name }) => name)).toEqual(["coder", "reviewer"]);
  });

  it("are not removed while their program runs", async () => {
    const { desk } = await oneAgent();
    await expect(desk.use.agent_remove({ name: "coder", force: true })).rejects.toMatchObject({
      code: "agent.busy",
    });
  });

  it("are not removed with mail waiting, unless that is cancelled", async () => {
    const { desk } = await oneAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const sent = await desk.send("reviewer", "hello");
    await expect(desk.use.agent_remove({ name: "reviewer" })).rejects.toMatchObject({ code: "agent.busy" });
    expect(desk.state(sent)).toBe("queued");
    const waiting = desk.use.wait({ id: sent.messageId, state: "delivered" });
    expect(await desk.use.agent_remove({ name: "reviewer", force: true })).toEqual({
      name: "reviewer",
      cancelled: 1,
      reminders: 0,
    });
    expect(desk.history(sent)).toEqual(["queued", "cancelled"]);
    await expect(desk.done(waiting)).resolves.toEqual({ state: "cancelled", reached: false });
    await expect(desk.use.agent_show({ name: "reviewer" })).rejects.toMatchObject({ code: "agent.unknown" });
  });

  it("show their sessions, the past ones too", async () => {
    const { desk, coder } = await oneAgent();
    const id = desk.sessionOf(coder);
    desk.ends(coder);
    await desk.done(desk.office.scan());
    expect(await desk.use.agent_show({ name: "agent/coder" })).toMatchObject({
      name: "coder",
      sessions: [{ id, live: false }],
    });
  });
});

describe("a name that nobody has", () => {
  it("is answered with the one that was meant, wherever it is given", async () => {
    const { desk } = await oneAgent();
    const meant = { next: expect.stringContaining('Did you mean "coder"?') };
    const claims = { user: "dev" };
    await expect(desk.send("codr", "x")).rejects.toMatchObject({ code: "recipient.unknown", ...meant });
    await expect(desk.done(desk.use.peek({ who: "cdoer" }))).rejects.toMatchObject(meant);
    await expect(desk.use.agent_show({ name: "coderr" })).rejects.toMatchObject(meant);
    await expect(desk.use.receive({ agent: "codr", claims })).rejects.toMatchObject(meant);
    await expect(desk.send("nobody-at-all", "x")).rejects.toMatchObject({
      next: expect.not.stringContaining("Did you mean"),
    });
    expect(await desk.send("agent/codr", "x")).toMatchObject({ unmatched: true, meant: "agent/coder" });
    expect(await desk.send("slack/codr", "x")).not.toHaveProperty("meant");
  });
});

describe("waiting for a state", () => {
  it("ends when the state is reached or passed", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    const waits = (["delivering", "delivered"] as const).map((state) =>
      desk.use.wait({ id: sent.messageId, state }),
    );
    await expect(desk.done(Promise.all(waits))).resolves.toMatchObject([
      { reached: true },
      { reached: true },
    ]);
  });

  it("ends at unconfirmed, which is not delivered", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    const waiting = desk.use.wait({ id: sent.messageId, state: "delivered", timeoutMs: 60_000 });
    await expect(desk.done(waiting)).resolves.toEqual({ state: "unconfirmed", reached: false });
  });

  it("ends at the deadline with an error that says where to look", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    const waiting = desk.use.wait({ id: sent.shortId, state: "delivered", timeoutMs: 5_000 });
    await expect(desk.done(waiting)).rejects.toMatchObject({ code: "wait.timed_out", exitCode: 7 });
    expect(desk.state(sent)).toBe("queued");
  });

  it("ends at once for a dead letter", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("agent/nobody", "hello");
    const waiting = desk.use.wait({ id: sent.messageId, state: "delivered" });
    await expect(desk.done(waiting, 100)).resolves.toEqual({ state: "failed", reached: false });
  });
});

describe("reading a message", () => {
  it("gives an agent the whole body and changes nothing", async () => {
    const { desk } = await oneAgent();
    const body = "x".repeat(5_000);
    const sent = await desk.send("coder", body);
    await desk.advance(3_000);
    expect((await desk.use.read({ id: sent.shortId, claims: { user: "dev" } })).message.body).toBe(body);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is told to those who wait for a person to read", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.sendAs(coder, "person/dev", "done");
    const waiting = desk.use.wait({ id: sent.messageId, state: "read" });
    await desk.use.read({ id: sent.shortId, claims: { user: "dev" } });
    await expect(desk.done(waiting, 100)).resolves.toEqual({ state: "read", reached: true });
  });
});

describe("a word with a slash at its end", () => {
  it.each([
    ["zz/", 'no agent is called "zz"'],
    ["/zz", 'no agent is called "zz"'],
    ["coder/", 'Leave the slash out to reach "coder"'],
    ["/", "write a path such as slack/team"],
  ])("%s is no name and no path, and says what to write", async (who, next) => {
    const { desk } = await oneAgent();
    await expect(desk.send(who, "hello")).rejects.toMatchObject({
      code: "name.invalid",
      message: `"${who}" is neither a name nor a whole path.`,
      next: expect.stringContaining(next),
    });
  });
});
