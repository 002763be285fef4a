import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { Leases } from "./leases.ts";

let clock: FakeClock;
let leases: Leases;
let told: string[];
const bytes = (text: string): Uint8Array => Buffer.from(text);

beforeEach(() => {
  clock = new FakeClock(new OpenWork());
  told = [];
  leases = new Leases(clock, (host, said) => {
    told.push(`${host}: ${said === undefined ? "gone" : Buffer.from(said)}`);
  });
});

describe("what a host says of itself", () => {
  it("counts for 90 seconds after it was said", async () => {
    leases.said("laptop", bytes("one"), 0);
    await clock.advance(89_999);
    expect(told).toEqual(["laptop: one"]);
    await clock.advance(1);
    expect(told).toEqual(["laptop: one", "laptop: gone"]);
  });

  it("counts anew each time", async () => {
    leases.said("laptop", bytes("one"), 0);
    await clock.advance(60_000);
    leases.said("laptop", bytes("two"), 0);
    await clock.advance(60_000);
    expect(told).toEqual(["laptop: one", "laptop: two"]);
  });

  it("counts from when it was said, not from when it was heard", async () => {
    leases.said("laptop", bytes("one"), 80_000);
    await clock.advance(10_000);
    expect(told).toEqual(["laptop: one", "laptop: gone"]);
    leases.said("cloud", bytes("long ago"), 90_000);
    expect(told).toHaveLength(2);
  });

  it("is over when it leaves, which is told once, and only of hosts that were there", async () => {
    leases.said("laptop", bytes("one"), 0);
    leases.left("laptop");
    leases.left("laptop");
    leases.left("cloud");
    await clock.advance(100_000);
    expect(told).toEqual(["laptop: one", "laptop: gone"]);
  });

  it("is forgotten silently when nobody listens any more", async () => {
    leases.said("laptop", bytes("one"), 0);
    leases.close();
    expect(clock.waiting).toBe(0);
    await clock.advance(100_000);
    expect(told).toEqual(["laptop: one"]);
  });
});
