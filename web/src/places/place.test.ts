import { describe, expect, it } from "vitest";
import { addressOf, HOME, PAGES, type Place, placeIn, TABS } from "./place.ts";

const there = (address: string) => placeIn(new URL(address, "http://bellhop.localhost"));

describe("the address of a place", () => {
  const places: readonly Place[] = [
    HOME,
    ...["08bc57cf.3f9a01", "a&see=broker", "ä #/"].map((card): Place => ({ at: "home", card })),
    ...PAGES.map((page): Place => ({ at: "page", page })),
    ...["api", "a/b", "ä ö?see=broker#x", "100%"].flatMap((name): readonly Place[] => [
      { at: "agent", name },
      ...TABS.map((tab): Place => ({ at: "agent", name, tab })),
    ]),
  ];

  it.each(places.map((place) => [addressOf(place), place] as const))("%s leads back", (address, place) => {
    expect(there(address)).toEqual(place);
  });

  it.each(["/nowhere", "/?see=terminal", "/?see=__proto__", "/agents/", "/?card=", "/agents/%E0%A4%A"])(
    "%s is the first view",
    (address) => {
      expect(there(address)).toEqual(HOME);
    },
  );

  it("an unknown view of an agent shows its facts", () => {
    expect(there("/agents/api?see=broker")).toEqual({ at: "agent", name: "api" });
  });
});
