import { expect, it } from "vitest";
import { doorShares } from "./door-shares.ts";

it("gives every door its full limit where there are enough descriptors, or nobody knows", () => {
  const full = {
    unix: { connections: 512 },
    http: { connections: 1_024, strangers: 256 },
    ws: { connections: 1_000 },
  };
  expect(doorShares()).toEqual(full);
  expect(doorShares(20_000)).toEqual(full);
});

it("never gives all of few away, and leaves no door shut", () => {
  for (const descriptors of [256, 1_024, 4_096]) {
    const { unix, http, ws } = doorShares(descriptors);
    // The HTTP door is open twice: on a port and on a socket.
    const given = unix.connections + 2 * http.connections + ws.connections;
    expect(given).toBeLessThanOrEqual((descriptors * 5) / 8);
  }
  expect(doorShares(10).unix.connections).toBe(8);
});
