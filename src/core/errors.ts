/** Every error that Bellhop reports. The code is stable; scripts see the exit status. */
import type { Instant } from "./message.ts";
import { present } from "./present.ts";

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unknownRecipient: 3,
  ambiguous: 4,
  unreachable: 5,
  look: 6,
  timedOut: 7,
} as const;

export const ERROR_CODES = {
  "usage.invalid": EXIT.usage,
  "usage.unknown_command": EXIT.usage,
  "request.malformed": EXIT.usage,
  "request.too_large": EXIT.usage,
  "request.unauthorised": EXIT.failed,
  "request.forbidden": EXIT.failed,
  "request.throttled": EXIT.failed,
  "rights.missing": EXIT.failed,
  "recipient.unknown": EXIT.unknownRecipient,
  "recipient.ambiguous": EXIT.ambiguous,
  "recipient.elsewhere": EXIT.failed,
  "session.unknown": EXIT.unknownRecipient,
  "session.exited": EXIT.failed,
  "session.too_many": EXIT.failed,
  "agent.unknown": EXIT.unknownRecipient,
  "agent.exists": EXIT.failed,
  "agent.busy": EXIT.failed,
  "name.invalid": EXIT.usage,
  "listener.too_many": EXIT.failed,
  "pattern.invalid": EXIT.usage,
  "pattern.unknown": EXIT.unknownRecipient,
  "pattern.own": EXIT.usage,
  "pattern.too_many": EXIT.failed,
  "message.empty": EXIT.usage,
  "message.too_large": EXIT.usage,
  "message.invalid_utf8": EXIT.usage,
  "message.conflict": EXIT.failed,
  "message.unknown": EXIT.unknownRecipient,
  "message.ambiguous": EXIT.ambiguous,
  "message.expired": EXIT.failed,
  "message.cancelled": EXIT.failed,
  "message.failed": EXIT.failed,
  "delivery.not_queued": EXIT.failed,
  "delivery.moved_on": EXIT.failed,
  "delivery.unconfirmed": EXIT.look,
  "evidence.unavailable": EXIT.look,
  "turn.unknown": EXIT.unknownRecipient,
  "watch.unknown": EXIT.unknownRecipient,
  "watch.too_many": EXIT.failed,
  "reminder.unknown": EXIT.unknownRecipient,
  "reminder.invalid": EXIT.usage,
  "reminder.too_many": EXIT.failed,
  "draft.none": EXIT.unknownRecipient,
  "draft.blocked": EXIT.look,
  "terminal.gone": EXIT.failed,
  "terminal.unreadable": EXIT.look,
  "screen.unknown": EXIT.usage,
  "screen.too_many": EXIT.failed,
  "keyboard.taken": EXIT.failed,
  "keyboard.not_taken": EXIT.failed,
  "keyboard.refused": EXIT.look,
  "host.start_failed": EXIT.failed,
  "host.unknown": EXIT.unknownRecipient,
  "host.taken": EXIT.failed,
  "program.unknown": EXIT.usage,
  "terminal.not_hosted": EXIT.failed,
  "conversation.unknown": EXIT.failed,
  "tmux.missing": EXIT.failed,
  "tmux.unreachable": EXIT.failed,
  "tmux.command_failed": EXIT.failed,
  "config.invalid": EXIT.failed,
  "attention.unknown": EXIT.unknownRecipient,
  "attention.closed": EXIT.failed,
  "web.unknown": EXIT.unknownRecipient,
  "web.unnamed": EXIT.failed,
  "push.unknown_service": EXIT.failed,
  "push.off": EXIT.failed,
  "bridge.unknown": EXIT.unknownRecipient,
  "bridge.exists": EXIT.failed,
  "bridge.refused": EXIT.failed,
  "bridge.cancelled": EXIT.failed,
  "cluster.absent": EXIT.failed,
  "cluster.joined": EXIT.failed,
  "cluster.waiting": EXIT.failed,
  "home.unsafe": EXIT.failed,
  "home.path_too_long": EXIT.failed,
  "store.corrupt": EXIT.failed,
  "store.too_new": EXIT.failed,
  "store.disk_full": EXIT.failed,
  "store.failed": EXIT.failed,
  "store.locked": EXIT.failed,
  "store.lost": EXIT.failed,
  "file.unsafe": EXIT.failed,
  "file.missing": EXIT.failed,
  "daemon.unreachable": EXIT.unreachable,
  "daemon.not_running": EXIT.unreachable,
  "daemon.blocked": EXIT.unreachable,
  "daemon.already_running": EXIT.failed,
  "daemon.socket_taken": EXIT.failed,
  "daemon.start_failed": EXIT.unreachable,
  "daemon.version_mismatch": EXIT.unreachable,
  "daemon.stopping": EXIT.unreachable,
  "daemon.out_of_files": EXIT.failed,
  "http.port_taken": EXIT.failed,
  "mcp.not_ours": EXIT.failed,
  "hooks.settings_invalid": EXIT.failed,
  "hooks.unknown_program": EXIT.usage,
  "wait.timed_out": EXIT.timedOut,
  "internal.bug": EXIT.failed,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly message: string;
  readonly next: string;
  readonly candidates?: readonly string[];
}

export class BellhopError extends Error {
  override readonly name = "BellhopError";
  readonly code: ErrorCode;
  readonly next: string;
  readonly candidates: readonly string[] | undefined;

  constructor(
    code: ErrorCode,
    detail: {
      readonly message: string;
      readonly next: string;
      readonly candidates?: readonly string[];
      readonly cause?: unknown;
    },
  ) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.next = detail.next;
    this.candidates = detail.candidates;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code];
  }

  toDetail(): ErrorDetail {
    return {
      code: this.code,
      message: this.message,
      next: this.next,
      ...present({ candidates: this.candidates }),
    };
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** An unexpected error is a bug of ours. */
export function asBellhopError(thrown: unknown): BellhopError {
  if (thrown instanceof BellhopError) return thrown;
  return new BellhopError("internal.bug", {
    message: `This should not have happened: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    next: "Run it again with BELLHOP_DEBUG=1 and report what it prints.",
    cause: thrown,
  });
}

export function assertNever(value: never): never {
  throw new BellhopError("internal.bug", {
    message: `Unhandled case: ${JSON.stringify(value)}.`,
    next: `Report this with the output of "bellhop logs".`,
  });
}

const OUT_OF_FILES: readonly unknown[] = ["EMFILE", "ENFILE"];

/** Whether it failed only because no file descriptor was left, and may succeed a moment later. */
export function isOutOfFiles(cause: unknown): boolean {
  return cause instanceof Error && OUT_OF_FILES.includes((cause as { readonly code?: unknown }).code);
}

export function outOfFiles(what: string, cause: unknown): BellhopError {
  return new BellhopError("daemon.out_of_files", {
    message: `${what}: no file descriptor is left.`,
    next: 'Close connections and terminals, or raise the limit ("ulimit -n") and restart the daemon. "bellhop status" shows whether the problem is over.',
    cause,
  });
}

const NO_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT"];

export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && NO_ROOM.includes(error.code);
}

/** The remedy is the same whatever could not be written. `what` is a clause: "… could not be made". */
export function diskFullError(what: string, cause: unknown): BellhopError {
  return new BellhopError("store.disk_full", {
    message: `The disk is full: ${what}.`,
    next: "Free some space and try again.",
    cause,
  });
}

/** Something that stops Bellhop's work while it lasts: shown by `status`, not only to those whom it affects. */
export interface Trouble {
  readonly code: ErrorCode;
  readonly since: Instant;
  readonly message: string;
  readonly next: string;
}

export function troubleFrom({ code, message, next }: BellhopError, since: Instant): Trouble {
  return { code, since, message, next };
}
