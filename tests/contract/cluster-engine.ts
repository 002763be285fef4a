/** What every engine between hosts does, the real one and the double. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ClusterEngine, EngineEars } from "../../src/ports/cluster-engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { until } from "../rig/scripted-agent.ts";
import { bytes, isDown, isUp, Listening, text } from "./cluster-listening.ts";

export interface EngineStage {
  /** An engine as the daemon makes it; after a restart of its host another one. */
  engine(host: HostName, clock: Clock): ClusterEngine;
  /** The server ends, with all it has on disk, and comes back. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 180_000;

/** Waits are over thirty times as soon: a lease of 90 s is one of 3. */
const hurriedClock: Clock = {
  now: systemClock.now,
  monotonic: systemClock.monotonic,
  after: (delayMs, call) => systemClock.after(delayMs / 30, call),
};

export function describeEngine(name: string, open: () => Promise<EngineStage>): void {
  describe(`${name}`, () => {
    let stage: EngineStage;
    const engines: ClusterEngine[] = [];

    function start(host: HostName, ears: EngineEars = new Listening(), clock: Clock = systemClock) {
      const engine = stage.engine(host, clock);
      engines.push(engine);
      engine.open(ears);
      return engine;
    }

    async function started(host: HostName, ears?: EngineEars, clock?: Clock): Promise<ClusterEngine> {
      const engine = start(host, ears, clock);
      await isUp(engine);
      return engine;
    }

    beforeEach(async () => {
      stage = await open();
    });

    afterEach(async () => {
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
      await stage.close();
    });

    it("hands out bags in the order in which they were stored, each once", async () => {
      const ears = new Listening();
      const [laptop] = [await started("laptop"), await started("cloud", ears)];
      const names = Array.from({ length: 20 }, (_, index) => `bag ${index}`);
      for (const one of names) await laptop.store("cloud", one, bytes(one));
      await ears.has(20);
      await laptop.store("cloud", "last", bytes("last"));
      await ears.has(21);
      expect(ears.taken).toEqual([...names, "last"]);
      expect(ears.mostAtOnce).toBe(1);
      expect(ears.bags.every(({ again }) => again === 0)).toBe(true);
    });

    it("hands out to each host what is meant for it, with every byte", async () => {
      const [forCloud, forLaptop] = [new Listening(), new Listening()];
      const laptop = await started("laptop", forLaptop);
      const cloud = await started("cloud", forCloud);
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      await laptop.store("cloud", "a", all);
      await cloud.store("laptop", "b", bytes("for the laptop"));
      await laptop.store("laptop", "c", bytes("to itself"));
      await forCloud.has(1);
      await forLaptop.has(2);
      expect(Buffer.from(forCloud.bags[0]?.bytes ?? []).equals(all)).toBe(true);
      expect(forLaptop.taken).toEqual(["for the laptop", "to itself"]);
    });

    it("keeps what is stored for a host that is away, and says how old it is", async () => {
      const laptop = await started("laptop");
      await laptop.store("cloud", "one", bytes("one"));
      const storedAt = systemClock.monotonic();
      await laptop.store("cloud", "two", bytes("two"));
      await until(() => systemClock.monotonic() - storedAt > 300, "some time to pass", PATIENCE_MS);
      const ears = new Listening();
      await started("cloud", ears);
      await ears.has(2);
      const longestMs = systemClock.monotonic() - storedAt + 1_000;
      expect(ears.taken).toEqual(["one", "two"]);
      for (const { ageMs } of ears.bags) {
        expect(ageMs).toBeGreaterThan(250);
        expect(ageMs).toBeLessThan(longestMs);
      }
    });

    it("hands out again what could not be taken, and nothing else before it", async () => {
      const ears = new Listening();
      ears.refusals = 2;
      const laptop = await started("laptop");
      for (const one of ["one", "two", "three"]) await laptop.store("cloud", one, bytes(one));
      await started("cloud", ears);
      await ears.has(3);
      expect(ears.taken).toEqual(["one", "two", "three"]);
      expect(ears.bags.map((bag) => text(bag.bytes))).toEqual(["one", "one", "one", "two", "three"]);
      // Not one more each time: NATS may have handed it out when nobody asked any more, because the machine is crowded.
      const [first, second = 0, third] = ears.bags.map(({ again }) => again);
      expect(first).toBe(0);
      expect(second).toBeGreaterThan(0);
      expect(third).toBeGreaterThan(second);
    });

    it("stores a name once", async () => {
      const ears = new Listening();
      const laptop = await started("laptop");
      await laptop.store("cloud", "name", bytes("first"));
      await laptop.store("cloud", "name", bytes("again"));
      await started("cloud", ears);
      await ears.has(1);
      await laptop.store("cloud", "name", bytes("after it was taken"));
      await laptop.store("cloud", "other", bytes("other"));
      await ears.has(2);
      expect(ears.taken).toEqual(["first", "other"]);
    });

    it("refuses a bag that is too large, and takes the next", async () => {
      const ears = new Listening();
      const laptop = await started("laptop");
      await started("cloud", ears);
      await expect(laptop.store("cloud", "large", new Uint8Array(2_000_000))).rejects.toThrow("bytes");
      await laptop.store("cloud", "small", bytes("small"));
      await ears.has(1);
      expect(laptop.standing().state).toBe("up");
    });

    it("tells the others what a host says of itself, and those that come later", async () => {
      const [early, late, own] = [new Listening(), new Listening(), new Listening()];
      await started("early", early);
      const laptop = await started("laptop", own);
      await laptop.announce(bytes("I have a coder"));
      await early.hears("laptop", "I have a coder");
      await started("late", late);
      await late.hears("laptop", "I have a coder");
      await laptop.announce(bytes("and a reviewer"));
      await Promise.all([early, late].map((ears) => ears.hears("laptop", "and a reviewer")));
      expect(own.heard).toEqual([]);
    });

    it("tells at once that a host left; what is stored for it stays", async () => {
      const ears = new Listening();
      const cloud = await started("cloud", ears);
      const laptop = await started("laptop");
      await laptop.announce(bytes("hello"));
      await ears.hears("laptop", "hello");
      await laptop.depart();
      await ears.hears("laptop", undefined);
      await laptop.close();
      await cloud.store("laptop", "later", bytes("later"));
      const back = new Listening();
      await started("laptop", back);
      await back.has(1);
      expect(back.taken).toEqual(["later"]);
    });

    it("repeats an announcement, and tells that a host is silent when its lease is over", async () => {
      const ears = new Listening();
      await started("cloud", ears, hurriedClock);
      const laptop = await started("laptop", new Listening(), hurriedClock);
      await laptop.announce(bytes("hello"));
      await until(() => ears.heard.length >= 5, "it to be said again", PATIENCE_MS);
      expect(ears.heard.every(({ host, said }) => host === "laptop" && said === "hello")).toBe(true);
      await laptop.close();
      await ears.hears("laptop", undefined);
    });

    it("is down while the server is, with a reason, and comes back with everything", async () => {
      const [ears, others] = [new Listening(), new Listening()];
      const laptop = await started("laptop", others);
      const cloud = await started("cloud", ears);
      await laptop.announce(bytes("hello"));
      await ears.hears("laptop", "hello");
      let letThrough = (): void => {};
      ears.gate = new Promise((resolve) => {
        letThrough = resolve;
      });
      await laptop.store("cloud", "before", bytes("before"));
      await laptop.store("cloud", "also before", bytes("also before"));
      await until(() => ears.bags.length === 1, "the first bag", PATIENCE_MS);
      await stage.stop();
      expect(await isDown(laptop)).toMatch(/\w/u);
      await isDown(cloud);
      await expect(laptop.store("cloud", "no", bytes("no"))).rejects.toThrow(/\w/u);
      await laptop.announce(bytes("hello again"));
      letThrough();
      await stage.start();
      await isUp(laptop);
      await isUp(cloud);
      await laptop.store("cloud", "after", bytes("after"));
      await until(() => ears.taken.includes("after"), "the last bag", PATIENCE_MS);
      // The first may come twice: its receipt did not arrive.
      expect([...new Set(ears.taken)]).toEqual(["before", "also before", "after"]);
      expect(ears.mostAtOnce).toBe(1);
      await ears.hears("laptop", "hello again");
      expect(others.standings.map(({ state }) => state)).toEqual(expect.arrayContaining(["up", "down"]));
      expect(others.standings.at(-1)?.state).toBe("up");
    });

    it("opens without a server, says so, and connects once there is one", async () => {
      await stage.stop();
      const ears = new Listening();
      const laptop = start("laptop", ears);
      expect(laptop.standing().state).toBe("starting");
      await expect(laptop.store("cloud", "no", bytes("no"))).rejects.toThrow(/\w/u);
      expect(await isDown(laptop)).toMatch(/\w/u);
      await stage.start();
      await isUp(laptop);
      await laptop.store("laptop", "yes", bytes("yes"));
      await ears.has(1);
    });

    it("closes while nothing answers, and is of no use afterwards", async () => {
      await stage.stop();
      const laptop = start("laptop");
      await laptop.close();
      await expect(laptop.store("cloud", "no", bytes("no"))).rejects.toThrow("closed");
      await laptop.close();
      await stage.start();
    });

    it("closes when the bag in somebody's hands is taken, and leaves the rest to the next one", async () => {
      const first = new Listening();
      let letThrough = (): void => {};
      first.gate = new Promise((resolve) => {
        letThrough = resolve;
      });
      const laptop = await started("laptop");
      const cloud = await started("cloud", first);
      for (const one of ["one", "two"]) await laptop.store("cloud", one, bytes(one));
      await until(() => first.bags.length === 1, "the first bag", PATIENCE_MS);
      const closed = cloud.close();
      letThrough();
      await closed;
      expect(first.taken).toEqual(["one"]);
      const next = new Listening();
      await started("cloud", next);
      await next.has(1);
      expect(next.taken).toEqual(["two"]);
      expect(first.taken).toEqual(["one"]);
    });
  });
}
