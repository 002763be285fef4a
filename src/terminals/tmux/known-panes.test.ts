import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import type { ProcessInfo } from "../../ports/processes.ts";
import { findPrograms, LastLayout } from "./discover.ts";
import { KnownPanes, WALK_AGAIN_MS } from "./known-panes.ts";

const SERVER = { pid: 9, startedAt: "1" };

/** A tmux server with three panes, in which agents start and end. */
class World {
  readonly clock = new FakeClock(new OpenWork());
  readonly panes = [0, 1, 2].map((number) => ({ number, pid: 100 + number, drawnAt: 0, agent: 0 }));
  readonly known = new KnownPanes(this.clock, {
    isInUse: (pid) => this.panes.some(({ agent }) => agent === pid),
  });
  walks = 0;
  readonly #lastLayout = new LastLayout();
  #pids = 1_000;

  constructor() {
    for (const pane of this.panes) this.draws(pane);
  }

  draws(pane: World["panes"][number]): void {
    pane.drawnAt = Math.floor(this.clock.now() / 1_000) * 1_000;
  }

  starts(pane: World["panes"][number], how: "drawing" | "silently" = "drawing"): void {
    this.#pids += 1;
    pane.agent = this.#pids;
    if (how === "drawing") this.draws(pane);
  }

  replaces(pane: World["panes"][number]): void {
    this.#pids += 1;
    pane.pid = this.#pids;
    pane.agent = 0;
  }

  /** The agents that a scan finds, and which of them it reports as unchanged. */
  async scan(known: KnownPanes = this.known) {
    const rows = this.panes.map(
      ({ number, pid, drawnAt }) => `%${number}/${pid}/0/${drawnAt / 1_000}/$0/${number}/0/`,
    );
    const layout = this.#lastLayout.read([
      { ok: true, lines: ["$0/1/0/0/main"] },
      { ok: true, lines: rows },
      { ok: true, lines: ["workstation"] },
    ]);
    if (layout === undefined) throw new Error("not understood");
    const found = await findPrograms(
      layout,
      SERVER,
      "/tmp/sock",
      {
        processes: {
          tree: async (pid) => {
            this.walks += 1;
            const agent = this.panes.find((pane) => pane.pid === pid)?.agent ?? 0;
            return agent === 0 ? [] : [processOf(agent)];
          },
          workingFolder: async () => "/work",
        },
        recognise: (tree) => tree.map((process) => ({ program: "claude", process })),
      },
      known,
    );
    return found.map(({ sighting }) => sighting);
  }

  async agents(known?: KnownPanes): Promise<readonly number[]> {
    return (await this.scan(known)).map(({ identity }) => identity.agentPid);
  }

  /** Like a first scan. */
  walked(): Promise<readonly number[]> {
    return this.agents(new KnownPanes(this.clock, { isInUse: () => true }));
  }

  async calmed(): Promise<void> {
    await this.clock.advance(4_000);
    await this.scan();
    this.walks = 0;
  }
}

const processOf = (pid: number): ProcessInfo => ({
  pid,
  parentPid: 1,
  startedAt: `s${pid}`,
  argv: ["claude"],
  command: "claude",
});

function paneOf(world: World) {
  const [pane] = world.panes;
  if (pane === undefined) throw new Error("no pane");
  return pane;
}

describe("a pane that is known", () => {
  it("is not walked while nothing is drawn there", async () => {
    const world = new World();
    world.starts(paneOf(world));
    await world.calmed();
    expect(await world.agents()).toHaveLength(1);
    expect(world.walks).toBe(0);
  });

  it("is walked when its window was drawn in, also within the second of the last walk", async () => {
    const world = new World();
    await world.calmed();
    world.draws(paneOf(world));
    await world.agents();
    world.starts(paneOf(world), "silently");
    expect(await world.agents()).toHaveLength(1);
  });

  it("is walked when a number is free that a program there had", async () => {
    const world = new World();
    world.starts(paneOf(world));
    await world.calmed();
    paneOf(world).agent = 0;
    expect(await world.agents()).toEqual([]);
  });

  it("is walked once in a while all the same", async () => {
    const world = new World();
    await world.calmed();
    world.starts(paneOf(world), "silently");
    expect(await world.agents()).toEqual([]);
    await world.clock.advance(WALK_AGAIN_MS);
    expect(await world.agents()).toHaveLength(1);
    // New agents are reported.
    expect(await world.scan()).not.toMatchObject([{ asBefore: true }]);
  });

  it("is walked when everything known is forgotten", async () => {
    const world = new World();
    await world.calmed();
    world.known.forget();
    await world.agents();
    expect(world.walks).toBe(3);
  });

  it("is as before only once its program has been there for a while", async () => {
    const world = new World();
    world.starts(paneOf(world));
    await world.calmed();
    expect(await world.scan()).not.toMatchObject([{ asBefore: true }]);
    await world.clock.advance(30_000);
    expect(await world.scan()).toMatchObject([{ asBefore: true }]);
    world.draws(paneOf(world));
    expect(await world.scan()).not.toMatchObject([{ asBefore: true }]);
  });

  it("is looked at no further while tmux lists the same, and told again all the same once in a while", async () => {
    const world = new World();
    world.starts(paneOf(world));
    await world.calmed();
    await world.clock.advance(30_000);
    const [before] = await world.scan();
    const [after] = await world.scan();
    expect(after).toBe(before);
    await world.clock.advance(300_000);
    expect(await world.scan()).not.toMatchObject([{ asBefore: true }]);
  });
});

it("finds whom a walk through everything finds, whoever comes, goes or is replaced", async () => {
  const event = fc.record({
    pane: fc.nat(2),
    what: fc.constantFrom("starts", "ends", "ends-silently", "draws", "is-replaced", "nothing"),
    afterMs: fc.nat(8_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const world = new World();
      for (const { pane: number, what, afterMs } of events) {
        await world.clock.advance(afterMs);
        const pane = world.panes[number] ?? paneOf(world);
        if (what === "starts") world.starts(pane);
        if (what === "ends" || what === "ends-silently") pane.agent = 0;
        if (what === "draws" || what === "ends") world.draws(pane);
        if (what === "is-replaced") world.replaces(pane);
        expect(await world.agents()).toEqual(await world.walked());
      }
    }),
  );
});
