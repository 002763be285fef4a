import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../tests/desk/desk.ts";
import { DeskHosts } from "../../tests/desk/hosts.ts";
import type { SendResponse } from "../wire/shapes/messages.ts";

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

const told = (agent: DeskAgent): number =>
  agent.program.submitted.filter((prompt) => prompt.includes("has ended its first turn")).length;

describe("a child", () => {
  it("gets what its parent says first, and knows him", async () => {
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
    expect(desk.state(prompt)).toBe("read");
    expect(desk.lastNote(prompt)).toContain("as its screen shows");
    await desk.advance(5_000);
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
    child.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
    await desk.open();
    await desk.advance(20_000);
    expect(told(parent)).toBe(1);
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
