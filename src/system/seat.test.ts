import { describe, expect, it } from "vitest";
import { idleFromDevices, lockedFromRegistry, seatOn, useFromLogind } from "./seat.ts";

describe("whether somebody uses this Mac", () => {
  it("is told by the time since the last key, in nanoseconds", () => {
    expect(idleFromDevices('    | |   "HIDIdleTime" = 5250000000\n')).toBe(5_250);
    expect(idleFromDevices("nothing")).toBeUndefined();
  });

  it("is told by the lock, which stands there only while it is locked", () => {
    const users = (inside: string) => `<key>IOConsoleUsers</key><array><dict>${inside}</dict></array>`;
    expect(lockedFromRegistry(users("<key>CGSSessionScreenIsLocked</key>\n\t<true/>"))).toBe(true);
    expect(lockedFromRegistry(users("<key>kCGSSessionUserNameKey</key>"))).toBe(false);
    expect(lockedFromRegistry("")).toBeUndefined();
  });
});

describe("whether somebody uses this Linux", () => {
  const said = (type: string, idle: string, since = 0, locked = "no") =>
    `IdleHint=${idle}\nIdleSinceHint=${since}\nLockedHint=${locked}\nType=${type}\n`;

  it("is told by a graphical session", () => {
    expect(useFromLogind(said("wayland", "yes", 40_000_000, "yes"), 100_000)).toEqual({
      isLocked: true,
      idleMs: 60_000,
    });
    expect(useFromLogind(said("x11", "no"), 100_000)).toEqual({ isLocked: false, idleMs: 0 });
  });

  it("is not known of a session without a screen, nor without logind", async () => {
    expect(useFromLogind(said("tty", "no"), 100_000)).toEqual({});
    expect(useFromLogind("", 100_000)).toEqual({});
    expect(await seatOn("linux", { PATH: "/nowhere" }, () => 0).use()).toEqual({});
    expect(await seatOn("darwin", { PATH: "/nowhere" }, () => 0).use()).toEqual({});
  });
});
