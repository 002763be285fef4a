/** No room on the disk, in one voice: whatever could not be written, the way out is the same. */
import { BellhopError } from "./errors.ts";

const NO_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT"];

export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && NO_ROOM.includes(error.code);
}

/** `what` is a clause: "… could not be made". */
export function diskFullError(what: string, cause: unknown): BellhopError {
  return new BellhopError("store.disk_full", {
    message: `The disk is full: ${what}.`,
    next: "Free some space and try again.",
    cause,
  });
}
