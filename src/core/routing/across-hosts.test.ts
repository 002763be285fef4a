import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Elsewhere } from "../cluster/hosts.ts";
import { type HearingElsewhere, isHeardElsewhere, isSaidToAll, routeAcross } from "./across-hosts.ts";
import { parsePattern } from "./pattern.ts";
import type { Decision } from "./route.ts";
import { whyItHears } from "./why.ts";

const DELIVERED: Decision = { kind: "deliver", deliveries: [{ kind: "person", to: "person/dev" }] };
const NOBODY: Decision = { kind: "unmatched", reason: "nobody subscribes to this path" };

const box = { kind: "host", to: "host/box", host: "box" } as const;
const laptop = { kind: "host", to: "host/laptop", host: "laptop" } as const;

const KNOWN: readonly Elsewhere[] = [
  { address: "agent/coder", host: "box" },
  { address: "agent/ops", host: "box" },
  { address: "agent/ops", host: "laptop" },
  { address: "session/08bc57cf", host: "laptop" },
];

const ELSEWHERE: HearingElsewhere = {
  host: "desk",
  hosts: () => ["box", "laptop"],
  isAdmitted: (host) => host === "box" || host === "laptop",
  named: (name) =>
    KNOWN.filter(({ address }) => address === `agent/${name}` || address.startsWith(`session/${name}`)),
  agentsOf: () => [],
  personOf: () => undefined,
  takersOf: ({ text }) => (text === "team/news" ? ["box", "laptop"] : []),
};

function across(path: string, here: Decision): Decision {
  return routeAcross(parsePattern(path), ELSEWHERE, () => here);
}

describe("routing across hosts", () => {
  it("sends an address with a host there, and asks nobody here", () => {
    const asked = (): Decision => {
      throw new Error("asked");
    };
    for (const path of ["agent/coder@box", "session/08bc57cf@box", "person/ada@box", "box:coder"])
      expect(routeAcross(parsePattern(path), ELSEWHERE, asked)).toEqual({
        kind: "deliver",
        deliveries: [box],
      });
  });

  it("keeps a dead letter for a host that is not admitted", () => {
    expect(across("agent/coder@moon", DELIVERED)).toEqual({
      kind: "unmatched",
      reason: "the host moon is not admitted here",
    });
  });

  it("sends a path also to the hosts on which somebody takes it", () => {
    expect(across("team/news", DELIVERED)).toEqual({
      kind: "deliver",
      deliveries: [{ kind: "person", to: "person/dev" }, box, laptop],
    });
    expect(across("team/news", NOBODY)).toEqual({ kind: "deliver", deliveries: [box, laptop] });
    expect(across("team/other", NOBODY)).toBe(NOBODY);
    expect(across("team/other", DELIVERED)).toBe(DELIVERED);
  });

  it("finds the one elsewhere if nobody here has the address", () => {
    expect(across("agent/coder", NOBODY)).toEqual({ kind: "deliver", deliveries: [box] });
    expect(across("session/08bc57cf", NOBODY)).toEqual({ kind: "deliver", deliveries: [laptop] });
    expect(across("agent/coder", DELIVERED)).toBe(DELIVERED);
    expect(across("agent/ops", NOBODY)).toEqual({
      kind: "unmatched",
      reason: "several hosts have it: box:ops, laptop:ops",
    });
    expect(across("agent/nobody", NOBODY)).toBe(NOBODY);
  });

  it("never lets what is private leave by a subscription", () => {
    const heard: HearingElsewhere = { ...ELSEWHERE, takersOf: () => ["box"] };
    expect(routeAcross(parsePattern("telegram/42"), heard, () => NOBODY)).not.toBe(NOBODY);
    expect(routeAcross(parsePattern("telegram/42"), heard, () => NOBODY, true)).toBe(NOBODY);
    const named = parsePattern("agent/coder@box");
    expect(routeAcross(named, heard, () => NOBODY, true)).toEqual({ kind: "deliver", deliveries: [box] });
  });

  it("never lets what is said to someone leave by a subscription", () => {
    const heard: HearingElsewhere = { ...ELSEWHERE, named: () => [], takersOf: () => ["box"] };
    const segment = fc.constantFrom("*", "**", "coder", "x");
    const someone = ["agent", "session", "person", "program", "bellhop", "host", "bridge"];
    const root = fc.constantFrom(...someone, "*", "**");
    fc.assert(
      fc.property(root, fc.array(segment, { minLength: 1, maxLength: 3 }), (first, rest) => {
        fc.pre([first, ...rest].filter((one) => one === "**").length <= 2);
        const path = parsePattern([first, ...rest].join("/"));
        expect(routeAcross(path, heard, () => DELIVERED)).toBe(DELIVERED);
        expect(routeAcross(path, heard, () => NOBODY)).toBe(NOBODY);
      }),
    );
  });

  it("knows what is said to all that are on a host", () => {
    for (const to of ["agent/**", "**", "*/x", "session/*@box", "/person/**/", "bridge/*"])
      expect(isSaidToAll(to)).toBe(true);
    for (const to of ["agent/coder", "agent/coder@box", "team/*", "team/**", "agent/lead/helper", "#*/x"])
      expect(isSaidToAll(to)).toBe(false);
  });

  it("says why it goes there", () => {
    const ears = {
      placesOf: () => [],
      subscriptionsOf: () => [],
      subscriptionsOfSession: () => [],
      nameOf: () => "",
    };
    const why = (path: string) => whyItHears(box, parsePattern(path), ears);
    expect(why("team/news")).toEqual(["somebody on box subscribes to it"]);
    for (const path of ["agent/coder@box", "box:coder", "agent/coder"]) {
      expect(why(path)).toEqual(["it is on box"]);
      expect(isHeardElsewhere(parsePattern(path))).toBe(false);
    }
  });
});
