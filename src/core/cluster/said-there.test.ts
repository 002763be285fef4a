import { expect, it } from "vitest";
import { saidThere } from "./said-there.ts";

it.each([
  ["when it is idle", '"when it is idle"'],
  ["when the person reads it: bellhop read lqewco", '"when the person reads it, on ws: bellhop read lqewco"'],
  [
    "when plain starts (or another takes over its mailbox: bellhop name AGENT coder)",
    '"when plain starts (or another takes over its mailbox, on ws: bellhop name AGENT coder)"',
  ],
  ['Start it with "bellhop up".', '"Start it on ws: ’bellhop up’."'],
  [
    "lap may not start turns on ws: bellhop queue now x",
    '"lap may not start turns on ws: bellhop queue now x"',
  ],
  ["when it is received (bellhop inbox x --take)", '"when it is received (on ws: bellhop inbox x --take)"'],
  ["tomorrow, or with bellhop queue now x", '"tomorrow, or on ws: bellhop queue now x"'],
  ["bellhop is busy: bellhop", '"bellhop is busy: bellhop"'],
])("%s", (said, shown) => {
  expect(saidThere("ws", said)).toBe(shown);
});
