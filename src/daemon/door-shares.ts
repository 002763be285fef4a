/** How many connections each door may have if the system allows few file descriptors; we need the rest ourselves. */
import { HTTP_LIMITS } from "../doors/http/limits.ts";
import { UNIX_LIMITS } from "../doors/unix/limits.ts";
import { WS_LIMITS } from "../doors/ws/limits.ts";

export interface DoorShares {
  readonly unix: { readonly connections: number };
  readonly http: { readonly connections: number; readonly strangers: number };
  readonly ws: { readonly connections: number };
}

/** With fewer, a door would be useless. */
const FEWEST = 8;

export function doorShares(descriptors = Number.POSITIVE_INFINITY): DoorShares {
  const share = (part: number, most: number) =>
    Math.max(FEWEST, Math.min(most, Math.floor(descriptors / part)));
  return {
    unix: { connections: share(8, UNIX_LIMITS.connections) },
    http: { connections: share(8, HTTP_LIMITS.connections), strangers: share(16, HTTP_LIMITS.strangers) },
    ws: { connections: share(4, WS_LIMITS.connections) },
  };
}
