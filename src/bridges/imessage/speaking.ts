/** Says something through Messages, one thing at a time, and finds out under which id Messages keeps it. */
import { sameText } from "../../core/outside/echo.ts";
import { splitText } from "../../core/text/split-text.ts";
import type { Saying, SayingContext, SayingOutcome } from "../../ports/bridge.ts";
import type { Log } from "../../ports/log.ts";
import type { OwnRow } from "./chat-database.ts";
import { handleIn } from "./handle.ts";
import { sendingObstacle } from "./obstacles.ts";
import { type OsascriptEnd, type OsascriptOptions, runOsascript, SEND_SCRIPT } from "./osascript.ts";

/** Messages names no limit; parts of this length are still read on a phone, and fit into an argument. */
export const LONGEST_PART = 8_000;
const REPEAT_MARK = "(perhaps a repeat) ";
const ROW_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 100;
/** Parts of which nobody knows whether they were said; rows that belong to something said. */
const MOST_REMEMBERED = 1_000;

/** Where the rows of the database are looked up; both are undefined while it cannot be read. */
export interface OwnRows {
  newest(): bigint | undefined;
  ownRow(
    said: { readonly handle: string; readonly essence: string; readonly after: bigint },
    known: ReadonlySet<string>,
  ): OwnRow | undefined;
}

export interface SpeakingOptions extends OsascriptOptions {
  readonly handles: readonly string[];
  readonly log: Log;
  readonly rows: () => OwnRows | undefined;
}

type PartOutcome = { readonly kind: "said"; readonly id: string } | Exclude<SayingOutcome, { kind: "said" }>;

export class Speaking {
  readonly #options: SpeakingOptions;
  readonly #closing = new AbortController();
  #before: Promise<unknown> = Promise.resolve();
  readonly #doubtful = new Set<string>();
  readonly #known = new Set<string>();

  constructor(options: SpeakingOptions) {
    this.#options = options;
  }

  reaches(path: string): boolean {
    const handle = handleIn(path);
    return handle !== undefined && this.#options.handles.includes(handle);
  }

  /** Resolves once nothing that it started runs any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#before;
  }

  say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    const outcome = this.#before.then(() => this.#say(saying, context));
    this.#before = outcome.catch(() => {});
    return outcome;
  }

  async #say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    const handle = handleIn(saying.path);
    if (handle === undefined || !this.reaches(saying.path))
      return { kind: "refused", why: "This is none of the handles that are configured for iMessage." };
    const parts = splitText(saying.text.replaceAll("\0", ""), LONGEST_PART);
    for (const [index, part] of parts.entries()) {
      if (index < saying.partsSaid) continue;
      const key = `${saying.messageId}:${index}`;
      const isRepeat = (saying.perhapsSaid && index === saying.partsSaid) || this.#doubtful.has(key);
      const outcome = await this.#sayPart(handle, isRepeat ? REPEAT_MARK + part : part, key, context);
      if (outcome.kind !== "said") return outcome;
      await context.said(outcome.id);
    }
    return { kind: "said" };
  }

  async #sayPart(handle: string, text: string, key: string, context: SayingContext): Promise<PartOutcome> {
    const signal = AbortSignal.any([context.signal, this.#closing.signal]);
    if (signal.aborted) return { kind: "outage", why: "Bellhop was interrupted." };
    await context.saying(text);
    const after = this.#options.rows()?.newest();
    const end = await runOsascript(SEND_SCRIPT, [handle, text], this.#options, signal);
    if (end.kind !== "done" && end.kind !== "ended") return notSent(end, this.#options.program);
    const row =
      after === undefined
        ? undefined
        : await this.#ownRow({ handle, essence: sameText(text), after }, signal);
    if (row === undefined && end.kind === "ended") {
      remember(this.#doubtful, key);
      return { kind: "outage", why: endedWords(end, this.#options.deadlineMs) };
    }
    this.#doubtful.delete(key);
    if (row !== undefined) remember(this.#known, row.guid);
    if (row !== undefined && row.error !== 0)
      return { kind: "refused", why: `Messages could not send it (its error ${row.error}).` };
    return { kind: "said", id: row?.guid ?? `bellhop:${key}` };
  }

  /** Messages writes the row a moment after `osascript` has ended. */
  async #ownRow(
    said: { readonly handle: string; readonly essence: string; readonly after: bigint },
    signal: AbortSignal,
  ): Promise<OwnRow | undefined> {
    const { clock, rows } = this.#options;
    const until = clock.monotonic() + ROW_WITHIN_MS;
    for (;;) {
      const row = rows()?.ownRow(said, this.#known);
      if (row !== undefined || signal.aborted || clock.monotonic() >= until) return row;
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  }
}

function notSent(
  end: Extract<OsascriptEnd, { kind: "failed" | "not started" }>,
  program: string,
): PartOutcome {
  if (end.kind === "failed") return sendingObstacle(end.stderr);
  const isMissing = end.code === "ENOENT" || end.code === "EACCES";
  return isMissing
    ? { kind: "refused", why: `${program} cannot be started (${end.code}): iMessage is sent only on macOS.` }
    : { kind: "outage", why: `${program} cannot be started now (${end.code}).` };
}

function endedWords({ why }: Extract<OsascriptEnd, { kind: "ended" }>, deadlineMs: number): string {
  return why === "late"
    ? `Messages did not answer within ${deadlineMs / 1_000} s. Look whether it shows a question on this Mac.`
    : "Bellhop was interrupted while Messages was sending.";
}

function remember(set: Set<string>, entry: string): void {
  set.add(entry);
  const [oldest] = set;
  if (set.size > MOST_REMEMBERED && oldest !== undefined) set.delete(oldest);
}
