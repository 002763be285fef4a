import { describe, expect, it } from "vitest";
import { CROSSINGS, Crossings } from "./crossings.ts";

const crossings = () => new Crossings((address) => (address === "session/1" ? "agent/bob" : address));
const out = (to: string, now = 0) => ({ from: "agent/bob", to, mailboxes: ["host/a"], now });
const back = (from: string, to = "agent/bob", now = 0) => ({ from, to, mailboxes: ["agent/bob"], now });

describe("what goes back and forth between hosts", () => {
  it("answers what went to its sender last, once", () => {
    const seen = crossings();
    seen.passed({ ...out("agent/y@a"), from: "session/1" }, 4);
    expect(seen.hops(back("agent/other@a"))).toBe(0);
    expect(seen.hops(back("agent/y@b"))).toBe(0);
    expect(seen.hops(back("agent/y@a"))).toBe(5);
    seen.passed(back("agent/y@a"), 5);
    expect(seen.hops(back("agent/y@a"))).toBe(0);
  });

  it("knows an agent there also by the name without its host", () => {
    const seen = crossings();
    seen.passed(out("agent/y"), 1);
    expect(seen.hops(back("agent/y@a"))).toBe(2);
  });

  it("on a path, it may answer anybody on that host, and answers nobody for good", () => {
    const seen = crossings();
    seen.passed(out("team/news"), 1);
    seen.passed(back("agent/y@a", "team/other"), 2);
    expect(seen.hops(back("agent/z@a", "team/news"))).toBe(2);
    expect(seen.hops(out("team/news"))).toBe(3);
    expect(seen.hops(out("agent/y@a"))).toBe(0);
    seen.passed(out("agent/y@a"), 3);
    expect(seen.hops(out("team/news"))).toBe(0);
  });

  it("does not count what stays here", () => {
    const seen = crossings();
    seen.passed({ from: "agent/bob", to: "team/news", mailboxes: ["agent/y"], now: 0 }, 7);
    expect(seen.hops(back("agent/y@a"))).toBe(0);
  });

  it("is forgotten after ten minutes, and when there is too much of it", () => {
    const seen = crossings();
    seen.passed(out("agent/y@a"), 1);
    expect(seen.hops(back("agent/y@a", "agent/bob", CROSSINGS.knownMs))).toBe(2);
    expect(seen.hops(back("agent/y@a", "agent/bob", CROSSINGS.knownMs + 1))).toBe(0);
    for (let other = 1; other < CROSSINGS.most; other += 1) seen.passed(out(`agent/y${other}@a`), 1);
    expect(seen.hops(back("agent/y@a"))).toBe(2);
    seen.passed(out("agent/z@a"), 1);
    expect(seen.hops(back("agent/y@a"))).toBe(0);
    expect(seen.hops(back("agent/z@a"))).toBe(2);
  });
});
