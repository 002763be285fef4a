import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OWNER, route, subscribe } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";
import type { RunRequest } from "../../wire/verbs/sessions.ts";

async function names(desk: Desk): Promise<readonly string[]> {
  return (await desk.done(desk.use.ls({}))).sessions.map(({ agent }) => agent);
}

function agents(desk: Desk): readonly string[] {
  return desk.store.read.agents().map(({ name }) => name);
}

/** Reads a batch from its file. */
function withFile(prompt: string): string {
  const [, file] = /Read (\/\S+)/.exec(prompt) ?? [];
  return file === undefined ? prompt : readFileSync(file, "utf8");
}

describe("the same program, started again in the same folder", () => {
  it("is the same agent, five times over, and nothing that waits for it is lost", async () => {
    const { desk, coder, session: id } = await oneAgent();
    await subscribe(desk, "coder", "news/agent");
    await subscribe(desk, "coder:main", "news/session");
    let running = coder;
    for (let time = 1; time <= 5; time += 1) {
      desk.ends(running);
      await names(desk);
      const set = { text: `reminded ${time}`, afterMs: 20_000, claims: OWNER };
      await desk.done(desk.use.remind({ ...set, to: "coder" }));
      const sent = [
        await desk.send("coder", `to the agent ${time}`),
        await desk.send(id, `to the session ${time}`),
      ];
      expect(sent.map((one) => desk.state(one))).toEqual(["queued", "queued"]);
      running = desk.agent("coder");
      expect(await names(desk)).toEqual(["coder"]);
      expect(desk.sessionOf(running)).toBe(id);
      await route(desk, "news/agent", { body: `news ${time}` });
      await route(desk, "news/session", { body: `own news ${time}` });
      await desk.advance(60_000);
      expect(sent.map((one) => desk.state(one))).toEqual(["delivered", "delivered"]);
      const read = running.program.submitted.map(withFile).join("\n");
      for (const text of ["to the agent", "to the session", "reminded", "news", "own news"])
        expect(read).toContain(`${text} ${time}`);
    }
    expect(agents(desk)).toEqual(["coder"]);
    expect(desk.store.read.sessionsOf("coder")).toHaveLength(1);
  });

  it("is it also when the daemon was away meanwhile", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.crash();
    desk.ends(coder);
    const again = desk.agent("coder");
    await desk.open();
    expect(await names(desk)).toEqual(["coder"]);
    expect(desk.sessionOf(again)).toBe(id);
  });

  it("keeps the name that a person gave it, and its pause", async () => {
    const { desk, coder } = await oneAgent();
    await desk.done(desk.use.name({ who: "coder", name: "reviewer", claims: OWNER }));
    await desk.done(desk.use.pause({ who: "reviewer", paused: true }));
    desk.ends(coder);
    await names(desk);
    desk.agent("coder");
    expect(await names(desk)).toEqual(["reviewer"]);
    expect(desk.store.read.agent("reviewer")).toMatchObject({ chosen: true, paused: true });
  });

  it("begins a conversation of its own: nothing that was true of the one before is said of it", async () => {
    const { desk, coder, session: id } = await oneAgent({ registry: { programSessionId: "one" } });
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "fix it", transcriptPath: "/t" }));
    desk.ends(coder);
    await names(desk);
    desk.agent("coder", { registry: { programSessionId: "two" } });
    await names(desk);
    const session = desk.store.read.session(id);
    expect(session).toMatchObject({ agent: "coder", programSessionId: "two", hooked: false });
    expect(session).not.toHaveProperty("transcriptPath");
    expect(session).not.toHaveProperty("lastPrompt");
  });

  it("is each of two that ran there, when both are started again, seen at once or not", async () => {
    const desk = await openDesk();
    const two = [desk.agent("coder"), desk.agent("coder")];
    await desk.ready();
    const before = two.map((agent) => desk.sessionOf(agent));
    for (const ended of two.splice(0)) desk.ends(ended);
    await names(desk);
    const again = [desk.agent("coder"), desk.agent("coder")];
    expect(await names(desk)).toEqual(["coder", "coder-2"]);
    expect(again.map((agent) => desk.sessionOf(agent))).toEqual(before);
    desk.agent("coder");
    expect(await names(desk)).toEqual(["coder", "coder-2", "coder-3"]);
  });

  it("is of several the one that ended last, unless they ended together", async () => {
    const desk = await openDesk();
    const [first, second] = [desk.agent("coder"), desk.agent("coder")];
    await desk.ready();
    desk.ends(first);
    await names(desk);
    await desk.advance(3_600_000);
    desk.ends(second);
    await names(desk);
    desk.agent("coder");
    expect(await names(desk)).toEqual(["coder-2"]);
  });
});

describe("somebody else it is", () => {
  it.each([
    ["in another folder", "elsewhere", {}, "elsewhere"],
    ["when it is another program", "coder", { program: "two-step" }, "coder-2"],
    ["when an agent's program has started it", "coder", { environment: { CODEX_THREAD_ID: "t" } }, "coder-2"],
    ["when nobody can say who has started it", "coder", { environment: "unreadable" }, "coder-2"],
  ] as const)("%s", async (_, folder, options, name) => {
    const { desk, coder } = await oneAgent();
    desk.ends(coder);
    await names(desk);
    desk.agent(folder, options);
    expect(await names(desk)).toEqual([name]);
  });

  it("while nobody says that the one before has ended, or while that one is suspended", async () => {
    const { desk, coder } = await oneAgent();
    coder.standing = "stopped";
    desk.agent("coder");
    expect(await names(desk)).toEqual(["coder", "coder-2"]);

    const other = await oneAgent();
    other.coder.process = "unknown";
    other.desk.agent("coder");
    await other.desk.open();
    expect(other.desk.store.read.agents().map(({ name }) => name)).toEqual(["coder", "coder-2"]);
  });

  it("while the one before runs on where nobody looks any more, whatever was written down", async () => {
    const { desk, coder, session: id } = await oneAgent();
    const record = desk.store.read.session(id);
    if (record === undefined) throw new Error("it was not written down");
    desk.agents.splice(desk.agents.indexOf(coder), 1);
    await desk.store.write((tx) => tx.putSession({ ...record, exitedAt: desk.clock.now() }));
    const alive = { ...coder, sighting: { ...coder.sighting, program: "no-such-program" } };
    desk.agents.push(alive as typeof coder);
    desk.agent("coder");
    await desk.open();
    expect(agents(desk)).toEqual(["coder", "coder-2"]);
  });

  it("when its conversation proves to be another's who ran there: each is who it was, and gets its own mail", async () => {
    const desk = await openDesk();
    const [first, second] = [
      desk.agent("coder", { registry: { programSessionId: "first" } }),
      desk.agent("coder", { registry: { programSessionId: "second" } }),
    ];
    await desk.ready();
    const [one, two] = [desk.sessionOf(first), desk.sessionOf(second)];
    for (const agent of [first, second]) desk.ends(agent);
    await names(desk);
    const again = desk.agent("coder");
    again.program.becomes({ busy: true });
    expect(await names(desk)).toEqual(["coder"]);
    const [forFirst, forSecond] = [
      await desk.send("coder", "for one"),
      await desk.send("coder-2", "for two"),
    ];
    await desk.done(desk.hook(again, { turn: "session-start", programSessionId: "second" }));
    expect(await names(desk)).toEqual(["coder-2"]);
    expect(desk.sessionOf(again)).toBe(two);
    expect(desk.store.read.session(one)).toMatchObject({ agent: "coder", programSessionId: "first" });
    again.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect([desk.state(forFirst), desk.state(forSecond)]).toEqual(["queued", "delivered"]);
    expect(again.program.submitted.join()).not.toContain("for one");
    expect(agents(desk)).toEqual(["coder", "coder-2"]);
    desk.agent("coder");
    expect(await names(desk)).toEqual(["coder-2", "coder"]);
  });
});

const ORDER: RunRequest = {
  command: ["plain"],
  folder: "/home/dev/shop",
  environment: { PATH: "/bin" },
  claims: OWNER,
};

async function hostedDesk(): Promise<{ readonly desk: Desk; readonly hosts: DeskHosts }> {
  const desk = await openDesk();
  const hosts = new DeskHosts(desk);
  desk.hosts = hosts;
  await desk.ready();
  return { desk, hosts };
}

function run(desk: Desk, more: Partial<RunRequest> = {}) {
  return desk.done(desk.use.run({ ...ORDER, ...more }));
}

async function stop(desk: Desk, who: string): Promise<void> {
  await desk.done(desk.use.session_stop({ who }));
}

describe("in a terminal of Bellhop's own", () => {
  it("the same program is the same agent, five times over, and gets what waited", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk);
    for (let time = 1; time <= 5; time += 1) {
      await stop(desk, "shop");
      const sent = await desk.send("shop", `message ${time}`);
      expect(await run(desk)).toMatchObject({ agent: "shop", sessionId });
      await desk.advance(5_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(hosts.agent(sessionId).program.submitted.join()).toContain(`message ${time}`);
    }
    expect(agents(desk)).toEqual(["shop"]);
    expect(desk.store.read.sessionsOf("shop")).toHaveLength(1);
  });

  it("it goes on from tmux and back", async () => {
    const { desk } = await hostedDesk();
    const inTmux = desk.agent("shop");
    expect(await names(desk)).toEqual(["shop"]);
    const id = desk.sessionOf(inTmux);
    desk.ends(inTmux);
    await names(desk);
    expect(await run(desk)).toMatchObject({ agent: "shop", sessionId: id });
    await stop(desk, "shop");
    const again = desk.agent("shop");
    expect(await names(desk)).toEqual(["shop"]);
    expect(desk.sessionOf(again)).toBe(id);
    expect(desk.store.read.session(id)).not.toHaveProperty("command");
  });

  it("two starts at once are two agents", async () => {
    const { desk } = await hostedDesk();
    await run(desk);
    await stop(desk, "shop");
    const both = await desk.done(Promise.all([desk.use.run(ORDER), desk.use.run(ORDER)]));
    expect(both.map(({ agent }) => agent).toSorted()).toEqual(["shop", "shop-2"]);
  });

  it("a name goes on with its last session, and is a chosen one from then on", async () => {
    const { desk } = await hostedDesk();
    const { sessionId } = await run(desk);
    await stop(desk, "shop");
    expect(await run(desk, { name: "shop", folder: "/home/dev/other" })).toMatchObject({
      agent: "shop",
      sessionId,
    });
    expect(desk.store.read.agent("shop")).toMatchObject({ chosen: true });
    expect(await run(desk, { name: "another" })).toMatchObject({ agent: "another" });
  });

  it("one that cannot be started leaves the one before as it was", async () => {
    const { desk, hosts } = await hostedDesk();
    const { sessionId } = await run(desk);
    await stop(desk, "shop");
    const before = desk.store.read.session(sessionId);
    hosts.refuses = new Error("no terminal");
    await expect(run(desk, { role: "writes" })).rejects.toThrow("no terminal");
    expect(desk.store.read.session(sessionId)).toEqual(before);
    expect(hosts.forgotten).toEqual([]);
    hosts.refuses = undefined;
    expect(await run(desk)).toMatchObject({ agent: "shop", sessionId });
  });

  it("what an agent starts is its child, and nobody who ran there", async () => {
    const { desk } = await hostedDesk();
    const { sessionId } = await run(desk);
    await stop(desk, "shop");
    const parent = desk.agent("boss");
    await names(desk);
    const claims = { ...OWNER, session: desk.sessionOf(parent) };
    const child = await run(desk, { claims });
    expect(child.agent).toBe("shop-2");
    expect(child.sessionId).not.toBe(sessionId);
    await stop(desk, "shop-2");
    // A person's program does not continue a child either.
    expect(await run(desk)).toMatchObject({ agent: "shop" });
    expect(await run(desk)).toMatchObject({ agent: "shop-3" });
  });
});

describe("a message to an agent whose program has ended", () => {
  it("says who works in its folder now", async () => {
    const desk = await openDesk();
    const [first] = [desk.agent("coder"), desk.agent("coder"), desk.agent("elsewhere")];
    await desk.ready();
    expect(await desk.send("coder", "hello")).not.toHaveProperty("successor");
    desk.ends(first);
    await names(desk);
    expect(await desk.send("coder", "hello")).toMatchObject({ successor: "coder-2" });
    expect(await desk.send("coder-2", "hello")).not.toHaveProperty("successor");
  });
});
