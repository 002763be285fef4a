/**
 * How far each query has read, and since when. A position is on disk together with the message that it moved over; over rows that are
 * of no interest it moves in memory, and is written when it has moved far enough. After a restart those are read again.
 */
import type { Instant } from "../../core/message.ts";
import type { Kept, OutsideInbox } from "../../ports/bridge.ts";
import { CURSORS, type Cursor } from "./message-row.ts";

const SINCE = "since";
const WRITTEN_EVERY_ROWS = 500n;

interface Position {
  at: bigint;
  written: bigint;
}

export class Cursors {
  readonly #positions: Readonly<Record<Cursor, Position>>;
  /** When the first of them was read: a Mac may get years of older messages later, with new ids. */
  readonly since: Instant;

  private constructor(at: Readonly<Record<Cursor, bigint>>, since: Instant) {
    this.since = since;
    this.#positions = {
      inbound: { at: at.inbound, written: at.inbound },
      self: { at: at.self, written: at.self },
    };
  }

  /** Nothing if there are none yet. Throws if they cannot be read: what is unknown is never 0. */
  static read(inbox: OutsideInbox): Cursors | undefined {
    const [inbound, self, since] = [...CURSORS, SINCE].map((key) => inbox.kept(key));
    if (inbound === undefined && self === undefined) return undefined;
    const at = { inbound: number("inbound", inbound), self: number("self", self) };
    return new Cursors(at, Number(number(SINCE, since)));
  }

  /** Resolves once they are on disk. */
  static async startingAt(newest: bigint, since: Instant, inbox: OutsideInbox): Promise<Cursors> {
    await inbox.keep({ inbound: `${newest}`, self: `${newest}`, [SINCE]: `${since}` });
    return new Cursors({ inbound: newest, self: newest }, since);
  }

  at(cursor: Cursor): bigint {
    return this.#positions[cursor].at;
  }

  furthest(): bigint {
    const { inbound, self } = this.#positions;
    return inbound.at > self.at ? inbound.at : self.at;
  }

  /** What to write together with the message in this row. */
  over(cursor: Cursor, rowid: bigint): Kept {
    return { [cursor]: `${rowid}` };
  }

  /** That message is on disk. */
  wrote(cursor: Cursor, rowid: bigint): void {
    const position = this.#positions[cursor];
    position.at = rowid;
    position.written = rowid;
  }

  passed(cursor: Cursor, rowid: bigint): void {
    const position = this.#positions[cursor];
    if (rowid > position.at) position.at = rowid;
  }

  /** Both, if one has moved so far that it should be written. */
  due(): Kept | undefined {
    const positions = Object.values(this.#positions);
    return positions.some(({ at, written }) => at - written >= WRITTEN_EVERY_ROWS)
      ? Object.fromEntries(CURSORS.map((cursor) => [cursor, `${this.at(cursor)}`]))
      : undefined;
  }

  wroteBoth(): void {
    for (const cursor of CURSORS) this.wrote(cursor, this.at(cursor));
  }
}

function number(key: string, kept: string | undefined): bigint {
  if (kept !== undefined && /^\d{1,18}$/u.test(kept)) return BigInt(kept);
  throw new Error(kept === undefined ? `"${key}" is missing` : `"${key}" is no number`);
}
