/** How a program ended, in words. */
import { constants } from "node:os";
import { assertNever } from "../../core/errors.ts";
import type { ShownEnding } from "../../wire/shapes/sessions.ts";

/** For a table: `exited 0`, `killed by SIGKILL`, `lost`. */
export function endingWords({ how, code, signal }: ShownEnding): string {
  switch (how) {
    case "exited":
      return code === undefined ? "exited" : `exited ${code}`;
    case "killed":
      return `killed by ${signalName(signal ?? 0)}`;
    case "lost":
      return "lost";
    case "unknown":
      return "ended";
    default:
      return assertNever(how);
  }
}

export function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}
