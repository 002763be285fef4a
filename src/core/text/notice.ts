/** The texts of Bellhop's own notices. The caller names whom they concern; this only composes them. */
import { formatExactly } from "../time/duration.ts";
import type { WatchEvent } from "../watch.ts";
import { sanitiseLine } from "./sanitise.ts";

export interface Named {
  readonly name: string;
  readonly id?: string;
}

const LONGEST_ORIGINAL = 80;

export function deliveryNotice(recipient: Named, original: string): string {
  return `[bellhop] Message delivered to ${named(recipient)}\n${quoted(original)}`;
}

export function expiryNotice(recipient: Named, original: string, timeoutMs: number | undefined): string {
  return `[bellhop] Message to ${named(recipient)} expired: ${nobodyTookIt(timeoutMs)}\n${quoted(original)}`;
}

/** `timeoutMs` is unknown for deliveries of earlier versions. */
export function nobodyTookIt(timeoutMs: number | undefined): string {
  if (timeoutMs === undefined) return "nobody took it in time";
  // What remained of it after the message had crossed to this host is not what somebody wrote.
  const isRemainder = timeoutMs > 1_000 && timeoutMs % 100 !== 0;
  const saidMs = isRemainder ? Math.ceil(timeoutMs / 1_000) * 1_000 : timeoutMs;
  return `nobody took it within ${formatExactly(saidMs)}`;
}

export function failureNotice(recipient: Named, original: string, why?: string): string {
  const because = why === undefined ? "" : `: ${sanitiseLine(why)}`;
  return `[bellhop] Message to ${named(recipient)} could not be delivered${because}\n${quoted(original)}`;
}

/** For the sender, and for the person whose text it may have been. */
export function mixedNotice(recipient: Named, original: string, shortId: string): string {
  return [
    `[bellhop] Message to ${named(recipient)} was sent together with other text, as one prompt: look at what it made of it`,
    quoted(original),
    `What became of it: bellhop show ${shortId}`,
  ].join("\n");
}

export function followUpNotice(recipient: Named, original: string, afterMs: number): string {
  return [
    `[bellhop] Reminder: ${formatExactly(afterMs)} since your message to ${recipient.name} was delivered`,
    quoted(original),
    ...(recipient.id === undefined ? [] : [`You can check status with: bellhop output ${recipient.id}`]),
  ].join("\n");
}

/** Without `setBy` if the recipient set it. */
export function reminderNotice(text: string, setBy?: Named): string {
  const origin =
    setBy === undefined
      ? ""
      : `\n(set by ${named(setBy)}${setBy.id === undefined ? "" : `; to answer: bellhop send ${setBy.id} "<your reply>"`})`;
  return `[bellhop] Scheduled reminder:\n${text}${origin}`;
}

/** For whoever set it, and for the owner. */
export function refusedReminderNotice(setBy: Named, to: string, text: string, why: string): string {
  return `[bellhop] Reminder of ${named(setBy)} to ${to} was not sent: ${why}\n${quoted(text)}`;
}

/** `unseen`: nothing has shown its end, and nothing will. `died`: it ended with its program. */
export function firstTurnNotice(child: Named, how: "ended" | "unseen" | "died"): string {
  const look = how === "died" ? "To see what it showed last" : "You can check status with";
  return [
    `[bellhop] ${named(child)} ${FIRST_TURN[how]}`,
    ...(child.id === undefined ? [] : [`${look}: bellhop output ${child.id}`]),
  ].join("\n");
}

/** `asked`: the question for which it waits for its person. */
export function watchNotice(watched: Named, event: WatchEvent, asked?: string): string {
  const what: Readonly<Record<WatchEvent, string>> = {
    "turn-end": "has ended its turn",
    blocked: `waits for its person${asked === undefined ? "" : `: ${sanitiseLine(asked)}`}`,
    exit: "has ended: its program no longer runs",
  };
  return [
    `[bellhop] ${named(watched)} ${what[event]}`,
    ...(watched.id === undefined ? [] : [`You can check status with: bellhop output ${watched.id}`]),
  ].join("\n");
}

const FIRST_TURN = {
  ended: "has ended its first turn",
  unseen: "has its first message, but nothing shows whether its turn has ended",
  died: "is gone: its program ended before its first turn was over",
} as const;

export function loopNotice(
  message: { readonly from: string; readonly to: string; readonly shortId: string; readonly body: string },
  reason: string,
): string {
  return [
    `[bellhop] Stopped a message from ${message.from} to ${message.to}: ${reason}`,
    quoted(message.body),
    `It is kept as a dead letter. To let it through: bellhop unmatched reroute ${message.shortId}`,
  ].join("\n");
}

function named({ name, id }: Named): string {
  return id === undefined ? name : `${name} (${id})`;
}

function quoted(original: string): string {
  const line = sanitiseLine(original).replace(/\s+/gu, " ").trim();
  const shown = sanitiseLine(line, LONGEST_ORIGINAL);
  return `Original: "${shown}${shown === line ? "" : "..."}"`;
}
