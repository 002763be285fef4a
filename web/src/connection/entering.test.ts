import { expect, it } from "vitest";
import { afterVainLink } from "./entering.ts";

it("a link in vain takes nothing from a browser whose login works", () => {
  for (const at of ["connecting", "live", "checking", "stale", "logged-out"] as const)
    expect([at, afterVainLink("admitted", at)]).toEqual([at, "stay"]);
});

it("a link in vain opens nothing without a login that works", () => {
  for (const at of ["connecting", "live", "checking", "stale", "logged-out"] as const)
    expect([at, afterVainLink("refused", at)]).toEqual([at, "out"]);
});

it("while the daemon does not answer, everything stays as it was", () => {
  expect(afterVainLink("unknown", "logged-out")).toBe("out");
  for (const at of ["connecting", "live", "checking", "stale"] as const)
    expect([at, afterVainLink("unknown", at)]).toEqual([at, "stay"]);
});
