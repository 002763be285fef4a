/** What keeps Bellhop from reading or writing, in plain words, with what to do. Pure. */
import { BellhopError } from "../../core/errors.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";

export interface Obstacle {
  /** `refused` if only a person can mend it. */
  readonly state: "down" | "refused";
  readonly error: string;
}

/** The database is one that this version cannot read. */
export class UnknownSchema extends Error {}

/** Primary result codes of SQLite. */
const PERMISSION = 3;
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const DENIED = 23;
const NOT_A_DATABASE = 26;

/** What the system answered SQLite, on Linux and macOS. */
const EPERM = 1;
const EACCES = 13;
const EMFILE = 24;

/** When it reads many rows, the package reports only the text. */
const CODE_OF_TEXT: ReadonlyMap<string, number> = new Map([
  ["database is locked", BUSY],
  ["database disk image is malformed", CORRUPT],
  ["unable to open database file", CANNOT_OPEN],
  ["authorization denied", DENIED],
  ["file is not a database", NOT_A_DATABASE],
]);

export function readingObstacle(error: unknown, path: string): Obstacle {
  if (error instanceof UnknownSchema)
    return refused(`${error.message} This version of Bellhop cannot read it: look for a newer one.`);
  if (error instanceof BellhopError) return refused(`${error.message} ${error.next}`);
  const system = error instanceof Error && "code" in error ? error.code : undefined;
  if (system === "ENOENT" || system === "ENOTDIR")
    return down(`There is no ${path}. Open Messages on this Mac and sign in; Bellhop keeps looking.`);
  if (system === "EPERM" || system === "EACCES") return noFullDiskAccess(path);
  const errno = error instanceof Error && "systemErrno" in error ? error.systemErrno : undefined;
  if (errno === EPERM || errno === EACCES) return noFullDiskAccess(path);
  switch (errno === EMFILE ? undefined : sqliteCode(error)) {
    case PERMISSION:
    case CANNOT_OPEN:
    case DENIED:
      return noFullDiskAccess(path);
    case BUSY:
    case LOCKED:
      return down("Messages is busy with its database. Bellhop tries again.");
    case CORRUPT:
    case NOT_A_DATABASE:
      return refused(
        `${path} is damaged, or is not a database of Messages. Open Messages to see whether it is well.`,
      );
    default:
      return down(`${path} cannot be read: ${sanitiseLine(wordsOf(error), 200)}. Bellhop tries again.`);
  }
}

/** macOS asks the app that everything was started from, not Bellhop: the terminal, or what starts it at login. */
function noFullDiskAccess(path: string): Obstacle {
  return refused(
    `macOS does not let Bellhop read ${path}: Full Disk Access is missing. Open System Settings, Privacy & Security, Full Disk Access, and switch it on for the app that Bellhop was started from (your terminal). Quit and reopen that app, then run "bellhop down" and "bellhop up" in it.`,
  );
}

export const NOT_MACOS: Obstacle = {
  state: "refused",
  error:
    "iMessage works only on macOS, where Messages keeps its database. Use Telegram, Slack or email on this machine.",
};

/** What the bridge has kept cannot be read: it must not guess where it was. */
export function lostPosition(why: string): Obstacle {
  return refused(
    `Bellhop cannot tell how far it has read Messages (${sanitiseLine(why, 200)}). It reads nothing, so that nothing comes twice. Look at "bellhop doctor"; to go on at the newest message, remove the bridge and add it again.`,
  );
}

export type NotSent = { readonly kind: "refused" | "outage"; readonly why: string };

const NOT_ALLOWED = -1743;
const NOT_SIGNED_IN = -1719;
/** Not running, cannot be started, lost its connection, did not answer. */
const AWAY: readonly number[] = [-600, -10810, -609, -1712];

/** What `osascript` printed when it failed, such as "55:93: execution error: Messages got an error: … (-1728)". */
export function sendingObstacle(stderr: string): NotSent {
  const said = sanitiseLine(stderr.trim(), 300).replace(/^.*?(?:execution|syntax) error: /u, "");
  const words = said === "" ? "osascript failed and did not say why" : said;
  const code = Number(/\((-?\d+)\)\s*$/u.exec(words)?.[1]);
  if (code === NOT_ALLOWED)
    return {
      kind: "outage",
      why: `macOS does not let Bellhop use Messages. Open System Settings, Privacy & Security, Automation, and allow Messages for the app that Bellhop was started from (your terminal). (${words})`,
    };
  if (code === NOT_SIGNED_IN)
    return { kind: "outage", why: `Messages has no iMessage account. Open it and sign in. (${words})` };
  if (AWAY.includes(code)) return { kind: "outage", why: `Messages does not answer: ${words}` };
  return { kind: "refused", why: `Messages refused: ${words}` };
}

function down(error: string): Obstacle {
  return { state: "down", error };
}

function refused(error: string): Obstacle {
  return { state: "refused", error };
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & 0xff;
  return CODE_OF_TEXT.get(error.message);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
