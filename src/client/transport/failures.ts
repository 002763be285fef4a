/** Errors for a daemon that cannot be reached, or that refuses. */
import { BellhopError, type ErrorDetail, isErrorCode } from "../../core/errors.ts";

export function errorFrom(detail: Partial<ErrorDetail> | undefined): BellhopError {
  const code = detail?.code !== undefined && isErrorCode(detail.code) ? detail.code : "internal.bug";
  return new BellhopError(code, {
    message: detail?.message ?? "The daemon refused and gave no reason.",
    next: detail?.next ?? 'Look at "bellhop logs".',
    ...(detail?.candidates === undefined ? {} : { candidates: detail.candidates }),
  });
}

export function whyNoConnection(path: string, error: NodeJS.ErrnoException): BellhopError {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return new BellhopError("daemon.not_running", {
        message: "The daemon is not running.",
        next: 'Start it with "bellhop up".',
        cause: error,
      });
    // Not the file's mode, which gives EACCES: the system call itself is forbidden. Codex's sandbox does that to every
    // command that its rules do not let out, and the rules match plain words only.
    case "EPERM":
      return new BellhopError("daemon.blocked", {
        message:
          "This agent's sandbox does not let the command reach Bellhop's daemon (EPERM). Nothing was sent.",
        next: `Run it again as one plain command with the text in single quotes: bellhop send NAME 'TEXT'. No pipe, no variable, no "&&", nothing before or after it. If that is blocked too, a person must run "bellhop hooks install codex".`,
        cause: error,
      });
    default:
      return unreachable(`Cannot reach the daemon on ${path} (${error.code ?? error.message}).`, error);
  }
}

export function lost(cause?: unknown): BellhopError {
  return unreachable("The daemon closed the connection before it answered.", cause);
}

export function unreadable(cause: unknown): BellhopError {
  return unreachable("The daemon's answer cannot be read.", cause);
}

export function unreachable(message: string, cause?: unknown): BellhopError {
  return new BellhopError("daemon.unreachable", {
    message,
    next: 'Look with "bellhop status" and "bellhop logs". A message may have been accepted: check with "bellhop queue".',
    cause,
  });
}
