import { beforeEach, describe, expect, it } from "vitest";
import type { BoardFrame } from "../../../src/wire/shapes/board.ts";
import { Connection, type Heard } from "./connection.ts";
import { type Link, longestRetryMs, retryAfterMs } from "./link.ts";

/** A daemon and a browser in a few lines; time passes when the test says so. */
class World {
  dialled: { heard: Heard; sent: { type: string }[]; isDropped: boolean }[] = [];
  links: string[] = [];
  frames: BoardFrame[] = [];
  timers = new Set<{ ms: number; act: () => void }>();
  isVisible = true;
  admission: "refused" | "unknown" = "unknown";
  finds: "whole" | "gap" = "whole";
  why = "";
  readonly connection = new Connection({
    dial: (heard) => {
      const socket = { heard, sent: [] as { type: string }[], isDropped: false };
      this.dialled.push(socket);
      return {
        send: (text) => void socket.sent.push(JSON.parse(text)),
        drop: () => {
          socket.isDropped = true;
        },
      };
    },
    key: () => "k3y",
    admission: async () => this.admission,
    after: (ms, act) => {
      const timer = { ms, act };
      this.timers.add(timer);
      return () => void this.timers.delete(timer);
    },
    random: () => 1,
    longestRetryMs: 3_000,
    isVisible: () => this.isVisible,
    onFrame: (frame) => {
      this.frames.push(frame);
      return this.finds;
    },
    onLink: (link: Link) => {
      if (this.links.at(-1) !== link.at) this.links.push(link.at);
      if (link.at === "logged-out") this.why = link.why;
    },
  });

  get last() {
    const last = this.dialled.at(-1);
    if (last === undefined) throw new Error("nothing was dialled");
    return last;
  }
  says(frame: object): void {
    this.last.heard.said(JSON.stringify(frame));
  }
  /** The only timer runs out. */
  passes(): void {
    const [timer] = this.timers;
    if (timer === undefined) throw new Error("nothing waits");
    this.timers.delete(timer);
    timer.act();
  }
  goesLive(): void {
    this.last.heard.opened();
    this.says({ type: "auth.ok" });
    this.says({ type: "watch.ok" });
    this.says({ type: "watch.snapshot", seq: 1 });
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  world.connection.start();
});

describe("the connection", () => {
  it("shows the key first, then watches, and is live with the first snapshot", () => {
    world.last.heard.opened();
    expect(world.last.sent).toEqual([{ type: "auth", key: "k3y" }]);
    world.says({ type: "auth.ok" });
    expect(world.last.sent.at(-1)).toMatchObject({ type: "watch" });
    expect(world.links).toEqual(["connecting"]);
    world.says({ type: "watch.snapshot", seq: 1 });
    expect(world.links).toEqual(["connecting", "live"]);
  });

  it("asks for a snapshot after a gap, and hears no change before it", () => {
    world.goesLive();
    world.finds = "gap";
    world.says({ type: "watch.changes", seq: 5 });
    expect(world.last.sent.at(-1)).toMatchObject({ type: "watch" });
    world.finds = "whole";
    world.says({ type: "watch.changes", seq: 6 });
    expect(world.frames).toHaveLength(2);
    world.says({ type: "watch.snapshot", seq: 1 });
    world.says({ type: "watch.changes", seq: 2 });
    expect(world.frames).toHaveLength(4);
    expect(world.links).toEqual(["connecting", "live"]);
  });

  it("comes back by itself, and is stale until the new snapshot", () => {
    world.goesLive();
    world.last.heard.closed(1001);
    expect(world.links.at(-1)).toBe("stale");
    world.passes();
    expect(world.dialled).toHaveLength(2);
    world.goesLive();
    expect(world.links).toEqual(["connecting", "live", "stale", "live"]);
  });

  it("waits longer after each failure, and briefly again after a success", async () => {
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) {
      world.last.heard.closed(1006);
      await Promise.resolve();
      waits.push([...world.timers][0]?.ms ?? 0);
      world.passes();
    }
    expect(waits).toEqual([500, 1_000, 2_000, 3_000, 3_000, 3_000, 3_000, 3_000]);
    world.goesLive();
    world.last.heard.closed(1001);
    expect([...world.timers][0]?.ms).toBe(500);
  });

  it("does nothing while hidden, and dials at once when seen again", () => {
    world.goesLive();
    world.isVisible = false;
    world.last.heard.closed(1001);
    expect(world.timers.size).toBe(0);
    world.isVisible = true;
    world.connection.wake();
    expect(world.dialled).toHaveLength(2);
  });

  it("asks a connection whether it is alive when the page is seen again, and takes nothing until it answers", () => {
    world.goesLive();
    world.connection.wake();
    expect(world.last.sent.at(-1)).toEqual({ type: "ping" });
    expect(world.links.at(-1)).toBe("live");
    world.passes();
    expect(world.links.at(-1)).toBe("checking");
    world.says({ type: "pong" });
    expect(world.links.at(-1)).toBe("live");
    expect(world.dialled).toHaveLength(1);
    world.connection.wake();
    world.passes();
    world.passes();
    expect(world.dialled[0]?.isDropped).toBe(true);
    expect(world.dialled).toHaveLength(2);
    expect(world.links.at(-1)).toBe("stale");
  });

  it("asks a connection that was quiet for long, but not while nobody looks", () => {
    world.goesLive();
    expect([...world.timers].map(({ ms }) => ms)).toEqual([30_000]);
    world.says({ type: "watch.changes", seq: 2 });
    expect(world.timers.size).toBe(1);
    world.passes();
    expect(world.last.sent.at(-1)).toEqual({ type: "ping" });
    world.says({ type: "watch.changes", seq: 3 });
    world.isVisible = false;
    world.passes();
    expect(world.timers.size).toBe(0);
    expect(world.last.sent.filter(({ type }) => type === "ping")).toHaveLength(1);
  });

  it("gives up a connection that never says anything", () => {
    world.passes();
    expect(world.last.isDropped).toBe(true);
    world.passes();
    expect(world.dialled).toHaveLength(2);
  });

  it("is logged out by the daemon's word, says why, and stays so", () => {
    world.goesLive();
    world.says({ type: "auth.error", message: "This browser was logged out.", next: "Run it." });
    world.last.heard.closed(4401);
    expect(world.links.at(-1)).toBe("logged-out");
    expect(world.why).toBe("This browser was logged out. Run it.");
    world.connection.wake();
    expect(world.dialled).toHaveLength(1);
    expect(world.timers.size).toBe(0);
  });

  it("is logged out if it is refused before it opens", async () => {
    world.admission = "refused";
    world.last.heard.closed(1006);
    await Promise.resolve();
    expect(world.links.at(-1)).toBe("logged-out");
    world.connection.start();
    world.goesLive();
    expect(world.links.slice(-2)).toEqual(["connecting", "live"]);
  });
});

describe("the line of a room", () => {
  it("hears frames of exactly its type, with others that listen, until it ends", () => {
    const heard: string[] = [];
    const end = world.connection.hear("screen.bytes", ({ text }) => heard.push(`first ${text}`));
    world.connection.hear("screen.bytes", ({ text }) => heard.push(`second ${text}`));
    world.goesLive();
    world.says({ type: "screen.bytes", text: "a" });
    world.says({ type: "screen", text: "b" });
    world.says({ text: "of no type" });
    end();
    world.says({ type: "screen.bytes", text: "c" });
    expect(heard).toEqual(["first a", "second a", "second c"]);
  });

  it("may end while it hears", () => {
    const heard: string[] = [];
    const end = world.connection.hear("once", () => {
      heard.push("first");
      end();
    });
    world.connection.hear("once", () => heard.push("second"));
    world.goesLive();
    world.says({ type: "once" });
    world.says({ type: "once" });
    expect(heard).toEqual(["first", "second", "second"]);
  });

  it("says nothing, and says so, unless the page is live", () => {
    expect(world.connection.say({ type: "routes.subscribe" })).toBe(false);
    world.goesLive();
    expect(world.connection.say({ type: "routes.subscribe" })).toBe(true);
    expect(world.last.sent.at(-1)).toEqual({ type: "routes.subscribe" });
    world.last.heard.closed(1001);
    expect(world.connection.say({ type: "lost" })).toBe(false);
    expect(world.last.sent).not.toContainEqual({ type: "lost" });
  });

  it("is said again on every new socket, and not again after a gap on the same one", () => {
    const end = world.connection.onLive(() => world.connection.say({ type: "hello" }));
    const hellos = () => world.last.sent.filter(({ type }) => type === "hello");
    expect(hellos()).toEqual([]);
    world.goesLive();
    expect(hellos()).toHaveLength(1);
    world.finds = "gap";
    world.says({ type: "watch.changes", seq: 5 });
    world.finds = "whole";
    world.says({ type: "watch.snapshot", seq: 1 });
    expect(hellos()).toHaveLength(1);
    world.last.heard.closed(1001);
    world.passes();
    world.goesLive();
    expect(world.dialled).toHaveLength(2);
    expect(hellos()).toHaveLength(1);
    end();
    world.last.heard.closed(1001);
    world.passes();
    world.goesLive();
    expect(hellos()).toEqual([]);
  });

  it("is said at once if the page is already live", () => {
    world.goesLive();
    world.connection.onLive(() => world.connection.say({ type: "hello" }));
    expect(world.last.sent.at(-1)).toEqual({ type: "hello" });
  });
});

it("dials nothing before it is started: the page may be about to log in", () => {
  const fresh = new World();
  fresh.connection.wake();
  expect(fresh.dialled).toEqual([]);
});

it("a retry is at least half of its time away, and never more than all of it", () => {
  expect(retryAfterMs(0, 0, 5_000)).toBe(250);
  expect(retryAfterMs(0, 1, 5_000)).toBe(500);
  expect(retryAfterMs(1_000, 0, 5_000)).toBe(2_500);
  expect(retryAfterMs(1_000, 1, 5_000)).toBe(5_000);
});

it("retries come closer together if the daemon is on the same machine", () => {
  for (const name of ["bellhop.localhost", "localhost", "127.0.0.1", "[::1]"])
    expect([name, longestRetryMs(name)]).toEqual([name, 3_000]);
  for (const name of ["laptop.example.ts.net", "localhost.example.org", "notlocalhost", "10.127.0.1"])
    expect([name, longestRetryMs(name)]).toEqual([name, 5_000]);
});
