import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import type { Profile } from "../../ports/profile.ts";
import { LastLook } from "./last-look.ts";

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
