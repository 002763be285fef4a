import { describe, expect, it, vi } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

interface Family {
  readonly desk: Desk;
  readonly hosts: DeskHosts;
  readonly parent: DeskAgent;
  readonly child: DeskAgent;
  readonly childId: string;
  readonly prompt: SendResponse;
}

async function family(by: "agent" | "person" = "agent"): Promise<Family> {
  const desk = await openDesk();
  const hosts = new DeskHosts(desk);
  desk.hosts = hosts;
  const parent = desk.agent("lead");
  await desk.ready();
  const { server, pane } = parent.sighting.identity;
  const spawned = await desk.done(
    desk.use.spawn({
      command: ["plain"],
      folder: "/home/dev/login",
      environment: {},
      prompt: "implement the login",
      claims: { user: "dev", ...(by === "agent" ? { tmux: { socket: server, pane } } : {}) },
    }),
  );
  const prompt = { ...spawned, unmatched: false, deliveries: [] };
  return { desk, hosts, parent, child: hosts.agent(spawned.sessionId), childId: spawned.sessionId, prompt };
}

const unsure = (agent: DeskAgent): number =>
  agent.program.submitted.filter((prompt) => prompt.includes("nothing shows whether its turn has ended"))
    .length;
const told = (agent: DeskAgent): number =>
  agent.program.submitted.filter((prompt) => prompt.includes("has ended its first turn")).length;

const gone = (agent: DeskAgent): number =>
  agent.program.submitted.filter((prompt) => prompt.includes("ended before its first turn was over")).length;

describe("a child that dies in its first turn", () => {
  it.each(["before it has its message", "while it works"])("%s: the parent hears it once", async (when) => {
    const { desk, hosts, parent, child, childId } = await family();
    if (when === "while it works") {
      await desk.hooked(child);
      child.program.becomes({ busy: true });
      await desk.advance(5_000);
    }
    desk.ends(child);
    const exit = { code: 1, signal: null, at: desk.clock.now() };
    hosts.ended.set(childId, { state: "exited", exit });
    await desk.done(desk.use.ls({}));
    await desk.advance(10_000);
    expect(gone(parent)).toBe(1);
    expect(parent.program.submitted.join()).toContain(`bellhop output ${childId}`);
    await desk.open();
    await desk.advance(10_000);
    expect([gone(parent), told(parent)]).toEqual([1, 0]);
  });

  it("while nobody looked: the parent hears it after the start", async () => {
    const { desk, hosts, parent, child, childId } = await family();
    desk.crash();
    desk.ends(child);
    hosts.ended.set(childId, { state: "exited" });
    await desk.open();
    await desk.advance(10_000);
    expect(gone(parent)).toBe(1);
  });

  it("by a restart that somebody asked for: nobody is told, for it goes on", async () => {
    const { desk, parent, child, childId } = await family();
    child.program.becomes({ busy: true });
    await desk.done(desk.use.restart({ who: childId, environment: {} }));
    await desk.advance(10_000);
    expect(gone(parent)).toBe(0);
  });

  it("after its first turn: nobody is told", async () => {
    const { desk, hosts, parent, child, childId } = await family();
    await desk.hooked(child);
    await desk.advance(5_000);
    await desk.turnEnds(child);
    desk.ends(child);
    hosts.ended.set(childId, { state: "exited" });
    await desk.done(desk.use.ls({}));
    await desk.advance(10_000);
    expect([gone(parent), told(parent)]).toEqual([0, 1]);
  });
});

describe("a child", () => {
  it("is not called what the config gives rights to, nor what means a session, by the folder its parent chose", async () => {
    const { desk, parent, childId } = await family();
    desk.settings = { ...desk.settings, rights: { everyone: [], byAgent: new Map([["boss", ["raw"]]]) } };
    const { server, pane } = parent.sighting.identity;
    const run = async (folder: string, claims: object) =>
      (
        await desk.done(
          desk.use.run({ command: ["plain"], folder, environment: {}, claims: { user: "dev", ...claims } }),
        )
      ).agent;
    const asAgent = { tmux: { socket: server, pane } };
    expect(await run("/tmp/boss", asAgent)).toBe("boss-2");
    expect(await run("/tmp/boss", { session: "deadbeef" })).toBe("boss-3");
    expect(await run(`/tmp/${childId}`, asAgent)).toBe(`${childId}-2`);
    expect(await run("/home/dev/boss", {})).toBe("boss");
  });

  it("gets what its parent says first, and knows its parent", async () => {
    const { desk, hosts, parent, child, prompt } = await family();
    await desk.advance(5_000);
    expect(child.program.submitted.join()).toContain("implement the login");
    expect(desk.state(prompt)).toBe("delivered");
    expect(hosts.orders[0]?.environment.BELLHOP_PARENT).toBe(desk.sessionOf(parent));
  });

  it("ends its first turn by its hook: the parent hears once", async () => {
    const { desk, parent, child } = await family();
    await desk.hooked(child);
    child.program.becomes({ busy: true });
    await desk.advance(5_000);
    expect(told(parent)).toBe(0);
    await desk.turnEnds(child);
    await desk.advance(5_000);
    expect(told(parent)).toBe(1);
    await desk.turnEnds(child);
    await desk.advance(5_000);
    expect(told(parent)).toBe(1);
  });

  it("ends its first turn on its screen where it has no hooks, and its prompt counts as read", async () => {
    const { desk, parent, child, prompt } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(60_000);
    expect(desk.state(prompt)).toBe("delivered");
    expect(told(parent)).toBe(0);
    child.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.delivery(prompt)).toMatchObject({ state: "read", evidence: "screen" });
    expect(desk.lastNote(prompt)).toContain("as its screen shows");
    await desk.advance(5_000);
    expect([told(parent), unsure(parent)]).toEqual([1, 0]);
  });

  it("that hides its composer while it works is seen to end its first turn all the same", async () => {
    const { desk, parent, child, prompt } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true, composer: "hidden" });
    await desk.advance(20_000);
    child.program.becomes({ busy: false, composer: "shown" });
    await desk.advance(100_000);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["read", 1, 0]);
  });

  it("that shows no sign of work is not said to have read its prompt, nor to have ended its turn", async () => {
    const { desk, parent, child, prompt, childId } = await family();
    await desk.advance(27_000);
    child.program.prints("a thought");
    await desk.advance(13_000);
    expect(child.program.submitted).toHaveLength(1);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["delivered", 0, 0]);
    await desk.advance(30_000);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["delivered", 0, 1]);
    expect(desk.store.read.session(childId)?.owesFirstTurn ?? false).toBe(false);
    await desk.advance(200_000);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["delivered", 0, 1]);
  });

  it("that shows no sign of work but has answered is not spoken of: its parent has heard from it", async () => {
    const { desk, parent, child, prompt, childId } = await family();
    await desk.advance(10_000);
    await desk.sendAs(child, "lead", "done");
    expect(desk.state(prompt)).toBe("replied");
    await desk.advance(200_000);
    expect([told(parent), unsure(parent)]).toEqual([0, 0]);
    expect(desk.store.read.session(childId)?.owesFirstTurn ?? false).toBe(false);
  });

  it("whose first turn was not seen is told of when a later one has ended: the first one has, too", async () => {
    const { desk, parent, child, prompt } = await family();
    await desk.advance(20_000);
    child.program.types("mine");
    child.program.sends();
    child.program.becomes({ busy: true });
    await desk.advance(10_000);
    child.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["delivered", 1, 0]);
  });

  it("that asks something is not spoken of until its dialog is answered", async () => {
    const { desk, parent, child } = await family();
    await desk.advance(5_000);
    child.program.becomes({ dialog: "Allow rm?" });
    await desk.advance(200_000);
    expect([told(parent), unsure(parent)]).toEqual([0, 0]);
    child.program.answersDialog();
    child.program.becomes({ busy: true });
    await desk.advance(10_000);
    child.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect([told(parent), unsure(parent)]).toEqual([1, 0]);
  });

  it("is not said to have ended a turn by what it shows before it has its prompt", async () => {
    const { desk, parent, child, prompt } = await family();
    child.program.becomes({ busy: true });
    await desk.advance(10_000);
    expect(desk.state(prompt)).toBe("queued");
    child.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect([desk.state(prompt), told(parent), unsure(parent)]).toEqual(["delivered", 0, 0]);
  });

  it.each(["agent", "person"] as const)(
    "of a(n) %s is not read again and again while nothing moves there",
    async (by) => {
      const { desk, child } = await family(by);
      await desk.advance(5_000);
      child.program.becomes({ dialog: "Allow rm?" });
      await desk.advance(100_000);
      const read = vi.spyOn(child.program.terminal, "read");
      await desk.advance(60_000);
      expect(read.mock.calls.length).toBeLessThan(5);
    },
  );

  it("is told of once the disk takes it", async () => {
    const { desk, parent, child } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    desk.disk.state = "full";
    child.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.failures.splice(0)).toEqual(
      expect.arrayContaining([expect.stringContaining("session.parent_untold")]),
    );
    desk.disk.state = "works";
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
  });

  it("is told of also where somebody else saw its turn end first", async () => {
    const { desk, parent, child, prompt } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    child.program.becomes({ busy: false });
    for (let look = 0; desk.state(prompt) !== "read" && look < 1_000; look += 1) {
      await desk.advance(10);
      await desk.use.ls({});
    }
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
  });

  it("is told of also where it has answered before its turn ended", async () => {
    const { desk, parent, child, prompt } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    await desk.sendAs(child, "lead", "done");
    expect(desk.state(prompt)).toBe("replied");
    await desk.advance(10_000);
    expect(told(parent)).toBe(0);
    child.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
  });

  it("is still owed for after a crash, and told of once", async () => {
    const { desk, parent, child } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    await desk.open();
    await desk.advance(1_000);
    child.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
    await desk.open();
    await desk.advance(100_000);
    expect([told(parent), unsure(parent)]).toEqual([1, 0]);
  });

  it("that ended its turn while no daemon looked is not said to have", async () => {
    const { desk, parent, child } = await family();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    desk.crash();
    child.program.becomes({ busy: false });
    await desk.open();
    await desk.advance(100_000);
    expect([told(parent), unsure(parent)]).toEqual([0, 1]);
  });

  it("whose parent has gone is told of to nobody", async () => {
    const { desk, parent, child, childId } = await family();
    await desk.hooked(child);
    desk.ends(parent);
    await desk.done(desk.use.ls({}));
    await desk.turnEnds(child);
    await desk.advance(5_000);
    expect(desk.store.read.session(childId)?.owesFirstTurn ?? false).toBe(false);
    expect(desk.store.read.deliveries({ states: ["queued"] })).toEqual([]);
  });

  it("of a person has no parent and owes no word, and yet its first turn is seen to end", async () => {
    const { desk, child, childId, prompt } = await family("person");
    expect(desk.store.read.session(childId)?.parent).toBeUndefined();
    child.program.onSubmit = () => child.program.becomes({ busy: true });
    await desk.advance(10_000);
    expect(desk.state(prompt)).toBe("delivered");
    child.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(prompt)).toBe("read");
    expect(desk.store.read.session(childId)?.owesFirstTurn ?? false).toBe(false);
    expect(desk.store.read.deliveries({ states: ["queued"] })).toEqual([]);
  });
});
