import { describe, expect, it } from "vitest";
import { insteadOfWebName } from "./web-name.ts";
import { isExpired, isSeenAnew, makesRoom, WEB_SESSION, type WebSession } from "./web-session.ts";

const session = (id: string, seenAt: number): WebSession => ({
  id,
  cookieDigest: id,
  keyDigest: id,
  browser: "",
  host: "",
  loggedInAt: 0,
  seenAt,
});
const { idleMs, seenEveryMs, most } = WEB_SESSION;

describe("a browser's login", () => {
  it("ends when it was not used for long, not when the clock was set back", () => {
    expect(isExpired({ seenAt: 5 }, 5 + idleMs - 1)).toBe(false);
    expect(isExpired({ seenAt: 5 }, 5 + idleMs)).toBe(true);
    expect(isExpired({ seenAt: idleMs * 2 }, 5)).toBe(false);
  });

  it("is written down as used now and then, also after the clock was set back", () => {
    expect(isSeenAnew({ seenAt: 5 }, 5 + seenEveryMs - 1)).toBe(false);
    expect(isSeenAnew({ seenAt: 5 }, 5 + seenEveryMs)).toBe(true);
    expect(isSeenAnew({ seenAt: seenEveryMs * 3 }, 5)).toBe(true);
  });

  it("makes room for one more: expired ones go, then those unused longest", () => {
    const full = Array.from({ length: most }, (_, index) => session(`s${index}`, idleMs + index));
    const old = session("old", 0);
    expect(makesRoom([...full.slice(1), old], idleMs)).toEqual([old]);
    expect(makesRoom(full, idleMs)).toEqual([full[0]]);
    expect(makesRoom(full.slice(1), idleMs)).toEqual([]);
  });
});

describe("the name that a tunnel serves", () => {
  it.each(["", "laptop.example.ts.net", "Bellhop.Example.org", "a.b:8443"])("may be %j", (name) => {
    expect(insteadOfWebName(name)).toBeUndefined();
  });

  it.each([
    "https://laptop.example.ts.net",
    "laptop.example.ts.net/",
    "laptop",
    "0.0.0.0",
    "192.168.1.7",
    "192.168.1.7:2355",
    "[::1]:2355",
    "*.example.org",
    "a..b",
    "-a.b",
    "user@a.b",
    "a.b:0",
    "a.b:http",
    "a b.c",
  ])("may not be %s", (name) => {
    expect(insteadOfWebName(name)).toContain("a host name");
  });
});
