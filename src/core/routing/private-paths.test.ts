import { describe, expect, it } from "vitest";
import { isNobodys, isSaidToPerson } from "./private-paths.ts";

const CHANNELS = ["telegram/42", "email/bot@example.org/ada@example.org"];

describe("what anyone may subscribe to", () => {
  it.each(["slack/team/**", "team/news", "telegram/7", "build"])("%s belongs to nobody", (pattern) => {
    expect(isNobodys(pattern, [], CHANNELS)).toBe(true);
  });

  it.each([
    ...["agent/coder", "session/08bc57cf", "person/dev", "bellhop/**", "program/*", "*/x", "**"],
    ...["telegram/42", "telegram/*", "telegram/**", "email/**"],
  ])("%s is somebody's", (pattern) => {
    expect(isNobodys(pattern, [], CHANNELS)).toBe(false);
  });

  it("one's own address is", () => {
    expect(isNobodys("agent/coder", ["agent/coder"], CHANNELS)).toBe(true);
  });
});

it("knows what reaches the person, also by a pattern, and by mail under the name of an agent", () => {
  for (const path of ["telegram/42", "telegram/*", "email/bot+coder@example.org/ada@example.org"])
    expect(isSaidToPerson(path, CHANNELS)).toBe(true);
  for (const path of ["telegram/7", "slack/team/#general", "email/bot@example.org/eve@example.org"])
    expect(isSaidToPerson(path, CHANNELS)).toBe(false);
});
