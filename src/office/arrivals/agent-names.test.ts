import { describe, expect, it } from "vitest";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";

async function listed(desk: Desk) {
  return (await desk.done(desk.use.ls({}))).sessions;
}

describe("a name that a person gives", () => {
  it("renames the agent with its mailbox, and leads its headline", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.use.name({ who: "coder", name: "reviewer", claims: { user: "dev" } });
    expect(await listed(desk)).toMatchObject([{ agent: "reviewer", headline: "reviewer", queued: 1 }]);
    expect(desk.delivery(sent).to).toBe("agent/reviewer");
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    await expect(desk.send("coder", "x")).rejects.toMatchObject({ code: "recipient.unknown" });
  });

  it("takes over an agent that has no program, with its mail", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const sent = await desk.send("reviewer", "hello");
    await desk.use.name({ who: "coder", name: "reviewer", claims: { user: "dev" } });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("is refused when another running agent has it", async () => {
    const { desk } = await oneAgent();
    desk.agent("tester");
    await desk.done(desk.office.scan());
    const rename = desk.use.name({ who: "coder", name: "tester", claims: { user: "dev" } });
    await expect(rename).rejects.toMatchObject({ code: "agent.exists" });
  });

  it.each(["", "Has Spaces", "../x", "a".repeat(65), "-x"])(
    "is refused when it cannot be one: %j",
    async (name) => {
      const { desk } = await oneAgent();
      await expect(desk.use.name({ who: "coder", name, claims: { user: "dev" } })).rejects.toMatchObject({
        code: "name.invalid",
      });
    },
  );

  it("goes to the caller's own session where none is named", async () => {
    const { desk, coder } = await oneAgent();
    const { server, pane } = coder.sighting.identity;
    await desk.use.name({
      who: "",
      name: "reviewer",
      claims: { user: "dev", tmux: { socket: server, pane } },
    });
    expect(await listed(desk)).toMatchObject([{ agent: "reviewer" }]);
    const nobody = desk.use.name({ who: "", name: "other", claims: { user: "dev" } });
    await expect(nobody).rejects.toMatchObject({ code: "usage.invalid" });
  });

  it("stays over a restart", async () => {
    const { desk, session: id } = await oneAgent();
    await desk.use.name({ who: "coder", name: "reviewer", claims: { user: "dev" } });
    await desk.open();
    expect(await listed(desk)).toMatchObject([{ id, agent: "reviewer" }]);
  });
});

describe("who takes a message to an agent", () => {
  /** Two sessions of one agent: a second conversation of "coder" runs besides the first. */
  async function twoSessions(main: "first" | "none") {
    const desk = await openDesk();
    const first = desk.agent("coder");
    const second = desk.agent("other");
    await desk.ready();
    await desk.store.write((tx) => {
      for (const session of tx.sessions()) {
        const isFirst = session.identity?.agentPid === first.sighting.identity.agentPid;
        tx.putSession({ ...session, agent: "coder", main: main === "first" && isFirst });
      }
    });
    await desk.ready();
    return { desk, first, second };
  }

  it("is its main session", async () => {
    const { desk, first, second } = await twoSessions("first");
    await desk.done(desk.hook(second, { name: "something" }));
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
    expect([first, second].map(({ program }) => program.submitted.length)).toEqual([1, 0]);
  });

  it("is else the one that was active most recently", async () => {
    const { desk, first, second } = await twoSessions("none");
    await desk.done(desk.hook(second, { name: "something" }));
    const sent = await desk.send("coder", "hello");
    await desk.advance(15_000);
    expect(desk.state(sent)).toBe("delivered");
    expect([first, second].map(({ program }) => program.submitted.length)).toEqual([0, 1]);
  });

  it("is another session when the main one ends with mail waiting", async () => {
    const { desk, first, second } = await twoSessions("first");
    first.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(desk.state(sent)).toBe("queued");
    desk.ends(first);
    await desk.done(desk.office.scan());
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(second.program.submitted).toHaveLength(1);
  });

  it("is nobody else for a message to one session", async () => {
    const { desk, first, second } = await twoSessions("first");
    const sent = await desk.send(desk.sessionOf(second), "hello");
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
    expect([first, second].map(({ program }) => program.submitted.length)).toEqual([0, 1]);
  });
});
