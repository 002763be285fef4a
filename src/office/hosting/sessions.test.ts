import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";
import { BellhopError } from "../../core/errors.ts";
import type { RunResponse } from "../../wire/shapes/sessions.ts";
import type { RunRequest } from "../../wire/verbs/sessions.ts";

const ORDER: RunRequest = {
  command: ["plain"],
  folder: "/home/dev/shop",
  environment: { PATH: "/bin", BELLHOP_SESSION_ID: "0badcafe", CLAUDECODE: "1" },
  claims: { user: "dev" },
};

async function hostedDesk(): Promise<{ readonly desk: Desk; readonly hosts: DeskHosts }> {
  const desk = await openDesk();
  const hosts = new DeskHosts(desk);
  desk.hosts = hosts;
  await desk.ready();
  return { desk, hosts };
}

function run(desk: Desk, more: Partial<RunRequest> = {}): Promise<RunResponse> {
  return desk.done(desk.use.run({ ...ORDER, ...more }));
}

describe("a program that is run", () => {
  it("is an agent by its folder's name, or the name given, with its role", async () => {
    const { desk } = await hostedDesk();
    expect(await run(desk)).toMatchObject({ agent: "shop", terminal: { kind: "pty" } });
    expect((await run(desk)).agent).toBe("shop-2");
    const { agent, sessionId } = await run(desk, { name: "coder", role: "writes code" });
    expect(agent).toBe("coder");
    expect(await desk.done(desk.use.session({ who: sessionId }))).toMatchObject({ role: "writes code" });
  });

  it("gets our variables and none of its parent's", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId, agent } = await run(desk);
    const { environment } = hosts.orders[0] ?? {};
    expect(environment).toMatchObject({ PATH: "/bin", BELLHOP_SESSION_ID: sessionId, BELLHOP_AGENT: agent });
    expect(environment).not.toHaveProperty("CLAUDECODE");
  });

  it("takes what waited for the agent of its name", async () => {
    const { desk, hosts } = await hostedDesk();
    await desk.done(desk.use.agent_add({ name: "coder" }));
    const sent = await desk.send("coder", "when you are there");
    const { sessionId } = await run(desk, { name: "coder" });
    await desk.advance(5_000);
    expect(hosts.agent(sessionId).program.submitted.join()).toContain("when you are there");
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is refused by a name that runs already, or that is none", async () => {
    const { desk, hosts } = await hostedDesk();
    await run(desk, { name: "coder" });
    await expect(run(desk, { name: "coder" })).rejects.toMatchObject({ code: "agent.exists" });
    await expect(run(desk, { name: "No Name" })).rejects.toMatchObject({ code: "name.invalid" });
    expect(hosts.orders).toHaveLength(1);
  });

  it("is started once by two who ask in the same moment", async () => {
    const { desk, hosts } = await hostedDesk();
    const both = await desk.done(
      Promise.allSettled([
        desk.use.run({ ...ORDER, name: "coder" }),
        desk.use.run({ ...ORDER, name: "coder" }),
      ]),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(hosts.orders).toHaveLength(1);
  });

  it("leaves nothing behind when it cannot be started", async () => {
    const { desk, hosts } = await hostedDesk();
    const failure = new BellhopError("host.start_failed", { message: "no PTY left", next: "Wait." });
    hosts.refuses = failure;
    await expect(run(desk, { name: "coder" })).rejects.toBe(failure);
    hosts.refuses = undefined;
    hosts.checks = new BellhopError("program.unknown", { message: "no such program", next: "Check." });
    await expect(run(desk)).rejects.toMatchObject({ code: "program.unknown" });
    expect(desk.store.read.agents()).toEqual([]);
    expect(desk.store.read.sessions({ exitedSince: 0 })).toEqual([]);
  });

  it.each(["new", "known"])(
    "is ended when its start fails after all, and its agent is %s",
    async (agentIs) => {
      const { desk, hosts } = await hostedDesk();
      if (agentIs === "known") await desk.done(desk.use.agent_add({ name: "coder" }));
      const failure = new Error("nobody can be asked what became of it");
      hosts.failsOnce = failure;
      await expect(run(desk, { name: "coder" })).rejects.toBe(failure);
      const [order] = hosts.orders;
      expect(await hosts.facts(order?.sessionId ?? "")).toMatchObject({ state: "exited" });
      expect(hosts.forgotten).toEqual([order?.sessionId]);
      expect(desk.store.read.agents().map(({ name }) => name)).toEqual(agentIs === "known" ? ["coder"] : []);
      expect(desk.store.read.sessions({ exitedSince: 0 }).map(({ name }) => name)).toEqual(
        agentIs === "known" ? ["main"] : [],
      );
      expect((await desk.done(desk.use.ls({}))).sessions).toEqual([]);
    },
  );

  it("is still there to be stopped when its start fails and it does not end", async () => {
    const { desk, hosts } = await hostedDesk();
    hosts.failsOnce = new Error("nobody can be asked what became of it");
    hosts.obeys = "never";
    await expect(run(desk, { name: "coder" })).rejects.toThrow("nobody can be asked");
    expect((await desk.done(desk.use.ls({}))).sessions).toMatchObject([{ agent: "coder" }]);
    hosts.obeys = "at-once";
    expect(await desk.done(desk.use.session_stop({ who: "coder" }))).toMatchObject({ outcome: "stopped" });
  });

  it("leaves the agent that was there before, when it cannot be started", async () => {
    const { desk, hosts } = await hostedDesk();
    await desk.done(desk.use.agent_add({ name: "coder" }));
    hosts.refuses = new Error("no PTY left");
    await expect(run(desk, { name: "coder" })).rejects.toThrow("no PTY left");
    expect(desk.store.read.agents().map(({ name }) => name)).toEqual(["coder"]);
    expect(desk.store.read.sessions({ exitedSince: 0 }).map(({ name }) => name)).toEqual(["main"]);
  });
});

describe("a hosted session that ended", () => {
  it("keeps its mail, its last screen and how it ended", async () => {
    const { desk } = await hostedDesk();
    const { sessionId } = await run(desk, { name: "coder" });
    expect(await desk.done(desk.use.session_stop({ who: "coder" }))).toMatchObject({ outcome: "stopped" });
    const sent = await desk.send("coder", "later");
    expect(desk.delivery(sent)).toMatchObject({
      state: "queued",
      hold: {
        reason: "offline",
        release: expect.stringMatching(/ is started again: bellhop restart coder /u),
      },
    });
    expect(await desk.done(desk.use.peek({ who: "coder" }))).toMatchObject({ screen: "goodbye" });
    expect(await desk.done(desk.use.session({ who: sessionId }))).toMatchObject({
      readiness: "exited",
      exit: { code: 0 },
    });
    for (const refused of [desk.use.attach, desk.use.session_stop])
      await expect(desk.done<unknown>(refused({ who: "coder" }))).rejects.toMatchObject({
        code: "session.exited",
      });
  });

  it("starts again as the same session, and gets its mail", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, { name: "coder" });
    await desk.done(desk.use.session_stop({ who: "coder" }));
    const sent = await desk.send("coder", "later");
    const again = await desk.done(desk.use.restart({ who: "coder", environment: { PATH: "/bin" } }));
    expect(again).toMatchObject({ sessionId, agent: "coder" });
    await desk.advance(5_000);
    expect(hosts.agent(sessionId).program.submitted.join()).toContain("later");
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is restarted while it runs only once it has ended", async () => {
    const { desk, hosts } = await hostedDesk();
    await run(desk, { name: "coder" });
    hosts.obeys = "never";
    const restart = () => desk.done(desk.use.restart({ who: "coder", environment: {} }));
    await expect(restart()).rejects.toMatchObject({ code: "agent.busy" });
    expect(hosts.orders).toHaveLength(1);
    hosts.obeys = "at-once";
    await restart();
    expect(hosts.orders).toHaveLength(2);
  });

  it("is not stopped to go on with a conversation that nobody knows", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, { name: "coder" });
    await expect(
      desk.done(desk.use.restart({ who: "coder", resume: true, environment: {} })),
    ).rejects.toMatchObject({
      code: "conversation.unknown",
      next: expect.stringContaining("bellhop restart"),
    });
    expect(hosts.agent(sessionId).process).toBe("alive");
  });

  it("is not stopped for a restart that cannot work", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, { name: "coder" });
    hosts.checks = new BellhopError("program.unknown", { message: "gone", next: "Install it." });
    await expect(desk.done(desk.use.restart({ who: "coder", environment: {} }))).rejects.toMatchObject({
      code: "program.unknown",
    });
    expect(hosts.agent(sessionId).process).toBe("alive");
  });

  it("is forgotten after the time that messages are kept", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, { name: "coder" });
    await run(desk, { name: "other" });
    await desk.done(desk.use.session_stop({ who: "coder" }));
    await desk.done(desk.office.forget());
    expect(hosts.forgotten).toEqual([]);
    desk.clock.sleeps(31 * 86_400_000);
    await desk.done(desk.office.forget());
    expect(hosts.forgotten).toEqual([sessionId]);
  });
});

describe("a program in a window of tmux", () => {
  const IN_TMUX = {
    name: "coder",
    where: "tmux",
    claims: { user: "dev", tmux: { socket: "/tmp/work.sock", pane: "%3" } },
  } as const;

  it("is stopped, and started again in its place with its name and mailbox", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, IN_TMUX);
    expect(await desk.done(desk.use.session_stop({ who: "coder" }))).toMatchObject({
      sessionId,
      outcome: "stopped",
    });
    await expect(desk.done(desk.use.session_stop({ who: "coder" }))).rejects.toMatchObject({
      code: "session.exited",
    });
    const sent = await desk.send("coder", "when you are back");
    const again = desk.use.restart({ who: "coder", environment: { PATH: "/usr/bin" } });
    expect(await desk.done(again)).toMatchObject({ sessionId, agent: "coder", terminal: { kind: "tmux" } });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(hosts.windows).toMatchObject([
      { sessionId, command: ["plain"], server: "/tmp/work.sock", beside: "%3" },
      {
        sessionId,
        command: ["plain"],
        server: "/tmp/work.sock",
        environment: { PATH: "/usr/bin", BELLHOP_SESSION_ID: sessionId },
      },
    ]);
    expect(hosts.orders).toEqual([]);
  });

  it("is ended before it is started again, and goes on with its conversation when told to", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk, IN_TMUX);
    const resume = () => desk.done(desk.use.restart({ who: "coder", resume: true, environment: {} }));
    await expect(resume()).rejects.toMatchObject({ code: "conversation.unknown" });
    expect(hosts.windows).toHaveLength(1);
    hosts.obeys = "never";
    const stuck = desk.use.restart({ who: "coder", environment: {} });
    await expect(desk.done(stuck)).rejects.toMatchObject({ code: "agent.busy" });
    hosts.obeys = "at-once";
    await desk.done(desk.use.restart({ who: sessionId, environment: {} }));
    expect(hosts.windows).toHaveLength(2);
    await desk.done(desk.use.session_stop({ who: "coder" }));
    await desk.store.write((tx) => {
      const session = tx.session(sessionId);
      if (session !== undefined) tx.putSession({ ...session, programSessionId: "talk" });
    });
    expect(await resume()).toMatchObject({ sessionId, terminal: { kind: "tmux" } });
    expect(hosts.windows.at(-1)?.command).toEqual(["plain", "--resume", "talk"]);
  });

  it("is not attached to, and nobody is told to", async () => {
    const { desk } = await hostedDesk();
    await run(desk, IN_TMUX);
    await expect(desk.done(desk.use.attach({ who: "coder" }))).rejects.toMatchObject({
      code: "terminal.not_hosted",
      next: expect.stringContaining("go there"),
    });
  });
});

describe("whoever is not hosted", () => {
  it("cannot be attached to, stopped or restarted, and says where it is", async () => {
    const { desk } = await hostedDesk();
    desk.agent("painter");
    await desk.done(desk.use.ls({}));
    await expect(desk.done(desk.use.attach({ who: "painter" }))).rejects.toMatchObject({
      code: "terminal.not_hosted",
      next: expect.stringContaining("tmux"),
    });
    await desk.done(desk.use.agent_add({ name: "reader" }));
    await expect(desk.done(desk.use.session_stop({ who: "reader" }))).rejects.toMatchObject({
      code: "session.unknown",
      next: expect.stringContaining("bellhop run --name reader"),
    });
  });
});
