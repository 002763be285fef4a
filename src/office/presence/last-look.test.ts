import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import type { Profile } from "../../ports/profile.ts";
import { LastLook } from "./last-look.ts";
import { unseen } from "./observation.ts";
import { OneAtATime } from "./one-at-a-time.ts";

const PROFILE = {} as unknown as Profile;

async function looked(drewBeforeMs = 10_000) {
  const clock = new FakeClock(new OpenWork());
  const look = new LastLook(clock);
  const drawnAt = clock.now() - drewBeforeMs;
  look.sighted(drawnAt);
  await clock.advance(1);
  look.begin(PROFILE)(true);
  await clock.advance(1);
  return { clock, look, drawnAt };
}

describe("what a screen showed", () => {
  it("is still there while scans say that nothing was drawn", async () => {
    const { clock, look, drawnAt } = await looked();
    expect(look.stillShows(PROFILE)).toBe(true);
    await clock.advance(60_000);
    look.sighted(drawnAt);
    expect(look.stillShows(PROFILE)).toBe(true);
  });

  it.each([
    ["something was drawn", ({ look, clock }) => look.sighted(clock.now())],
    ["the clock was set back, and something was drawn", ({ look, drawnAt }) => look.sighted(drawnAt - 5_000)],
    ["its terminal told of a change", ({ look }) => look.told()],
    ["nobody can say when something was drawn", ({ look }) => look.sighted(undefined)],
    ["the look after that has shown nothing", ({ look }) => look.begin(PROFILE)(false)],
  ] satisfies [string, (scene: Awaited<ReturnType<typeof looked>>) => void][])(
    "need not be there when %s",
    async (_, happens) => {
      const scene = await looked();
      happens(scene);
      expect(scene.look.stillShows(PROFILE)).toBe(false);
    },
  );

  it("need not be there when more can have been drawn in the second that was told", async () => {
    const { look, drawnAt } = await looked(500);
    look.sighted(drawnAt);
    expect(look.stillShows(PROFILE)).toBe(false);
  });

  it("need not be there when it was looked at in that second, however late that is asked", async () => {
    const { clock, look, drawnAt } = await looked(500);
    await clock.advance(5_000);
    look.sighted(drawnAt);
    expect(look.stillShows(PROFILE)).toBe(false);
    look.begin(PROFILE)(true);
    await clock.advance(5_000);
    look.sighted(drawnAt);
    expect(look.stillShows(PROFILE)).toBe(true);
  });

  it("need not be there when the clock was set back into that second: what is drawn then has the same time", async () => {
    const { clock, look, drawnAt } = await looked();
    clock.setWallClock(drawnAt - clock.now());
    await clock.advance(1);
    look.sighted(drawnAt);
    expect(look.stillShows(PROFILE)).toBe(false);
  });

  it("is read otherwise by another profile", async () => {
    const { look } = await looked();
    expect(look.stillShows({} as unknown as Profile)).toBe(false);
  });

  it("need not be there when it was drawn while it was looked at", async () => {
    const { clock, look } = await looked();
    const ended = look.begin(PROFILE);
    look.told();
    await clock.advance(5);
    ended(true);
    expect(look.stillShows(PROFILE)).toBe(false);
  });
});

describe("a look of a moment ago", () => {
  async function freshly() {
    const clock = new FakeClock(new OpenWork());
    const look = new LastLook(clock);
    const lock = new OneAtATime();
    const began = { atMonotonic: clock.monotonic(), lock: lock.free };
    await clock.advance(5);
    return { clock, look, lock, observation: { ...unseen("anything"), began } };
  }
  const isFresh = ({ look, lock, observation }: Awaited<ReturnType<typeof freshly>>) =>
    lock.hold(async () => look.isFresh(observation, lock));

  it("is as good as a new one to whoever holds the lock next", async () => {
    expect(await isFresh(await freshly())).toBe(true);
  });

  it.each([
    ["its terminal told of a change", async ({ look }) => look.told()],
    ["more than a moment has passed", async ({ clock }) => clock.advance(50)],
    ["another held the lock since", async ({ lock }) => lock.hold(async () => {})],
  ] satisfies [string, (scene: Awaited<ReturnType<typeof freshly>>) => Promise<unknown>][])(
    "is not when %s",
    async (_, happens) => {
      const scene = await freshly();
      await happens(scene);
      expect(await isFresh(scene)).toBe(false);
    },
  );

  it("is not when a change was told in the very moment in which it began", async () => {
    const clock = new FakeClock(new OpenWork());
    const look = new LastLook(clock);
    const lock = new OneAtATime();
    look.told();
    const began = { atMonotonic: clock.monotonic(), lock: lock.free };
    await clock.advance(5);
    expect(await isFresh({ clock, look, lock, observation: { ...unseen("anything"), began } })).toBe(false);
  });
});
