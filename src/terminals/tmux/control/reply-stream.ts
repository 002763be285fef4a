/**
 * Splits the bytes of a control-mode client into events. Pure.
 *
 * A reply is enclosed by `%begin T N F` and an `%end` or `%error` with the same three words. A captured screen may
 * show any of these lines, so they are not trusted to mark the end of a request: only the sentinel does, a line whose
 * prefix is known to this connection alone.
 */
export type ControlEvent =
  /** `ours`: replies to a command written to this connection; others come from the attach and from hooks. */
  | {
      readonly kind: "block";
      readonly ours: boolean;
      readonly ok: boolean;
      readonly lines: readonly string[];
    }
  /** Every command written before it has been answered. `clean` is false if the lines before it were malformed. */
  | { readonly kind: "sentinel"; readonly id: string; readonly clean: boolean }
  /** `data`: what the program wrote, as tmux escapes it; only if it is kept, and not if it is longer than any line. */
  | { readonly kind: "output"; readonly pane: string; readonly data?: Buffer }
  | { readonly kind: "notice"; readonly name: string; readonly rest: string }
  | { readonly kind: "overflow" };

export const REPLY_LIMITS = {
  /** For one reply: far more than any screen, and still harmless. */
  replyBytes: 16 * 1024 * 1024,
  noticeBytes: 64 * 1024,
  /** tmux writes output in far shorter lines. */
  outputBytes: 1024 * 1024,
} as const;

const NEWLINE = 10;
const OUTPUT = /^%(?:extended-)?output (%\d+) /;
const LONGEST_OUTPUT_HEAD = 40;

type Place =
  | { readonly at: "outside" }
  | { readonly at: "block"; readonly guard: string; readonly lines: string[] }
  /** The sentinel was seen; its own `%end` has not arrived. */
  | { readonly at: "after-sentinel" };

export class ReplyStream {
  readonly #sentinelPrefix: string;
  readonly #emit: (event: ControlEvent) => void;
  readonly #output: "kept" | "dropped";
  #place: Place = { at: "outside" };
  #clean = true;
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #replyBytes = 0;
  /** The rest of this line is being dropped as it arrives. */
  #skipping = false;
  #overflowed = false;

  constructor(
    sentinelPrefix: string,
    emit: (event: ControlEvent) => void,
    output: "kept" | "dropped" = "dropped",
  ) {
    this.#sentinelPrefix = sentinelPrefix;
    this.#emit = emit;
    this.#output = output;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#overflowed) {
      const newline = chunk.indexOf(NEWLINE, at);
      const piece = chunk.subarray(at, newline === -1 ? chunk.length : newline);
      at += piece.length + 1;
      if (this.#skipping) this.#skipping = newline === -1;
      else if (newline === -1) this.#keep(piece);
      else this.#line(this.#whole(piece));
    }
  }

  /** Keeps part of a line until the rest arrives, unless the line can be dropped. */
  #keep(piece: Buffer): void {
    this.#carry.push(piece);
    this.#carryBytes += piece.length;
    if (this.#place.at !== "outside") {
      if (this.#replyBytes + this.#carryBytes > REPLY_LIMITS.replyBytes) this.#overflow();
      return;
    }
    const head = Buffer.concat(this.#carry, Math.min(this.#carryBytes, LONGEST_OUTPUT_HEAD)).toString(
      "latin1",
    );
    const output = OUTPUT.exec(head);
    const isKept = output?.[1] !== undefined && this.#output === "kept";
    if (isKept && this.#carryBytes <= REPLY_LIMITS.outputBytes) return;
    if (output?.[1] === undefined && this.#carryBytes <= REPLY_LIMITS.noticeBytes) return;
    if (output?.[1] !== undefined) this.#emit({ kind: "output", pane: output[1] });
    this.#forgetCarry();
    this.#skipping = true;
  }

  #whole(piece: Buffer): Buffer {
    if (this.#carry.length === 0) return piece;
    const line = Buffer.concat([...this.#carry, piece]);
    this.#forgetCarry();
    return line;
  }

  #forgetCarry(): void {
    this.#carry = [];
    this.#carryBytes = 0;
  }

  #line(bytes: Buffer): void {
    switch (this.#place.at) {
      case "outside":
        this.#lineOutside(bytes);
        return;
      case "block":
        this.#lineInBlock(this.#place, bytes.toString("utf8"));
        this.#replyBytes += bytes.length + 1;
        if (this.#replyBytes > REPLY_LIMITS.replyBytes) this.#overflow();
        return;
      case "after-sentinel":
        this.#place = { at: "outside" };
        return;
    }
  }

  #lineOutside(bytes: Buffer): void {
    const output = OUTPUT.exec(bytes.toString("latin1", 0, LONGEST_OUTPUT_HEAD));
    if (output?.[1] !== undefined) {
      const data = this.#output === "kept" ? writtenIn(bytes, output[0]) : undefined;
      this.#emit({ kind: "output", pane: output[1], ...(data === undefined ? {} : { data }) });
      return;
    }
    const line = bytes.toString("utf8");
    const [word = "", rest = ""] = splitOnce(line);
    if (word === "%begin") {
      this.#place = { at: "block", guard: rest, lines: [] };
      this.#replyBytes = 0;
    } else if (word === "%end" || word === "%error" || !word.startsWith("%")) {
      // A screen imitated the end of its own reply, so nothing read from it can be used.
      this.#clean = false;
    } else {
      this.#emit({ kind: "notice", name: word.slice(1), rest });
    }
  }

  #lineInBlock(block: Extract<Place, { at: "block" }>, line: string): void {
    if (line.startsWith(this.#sentinelPrefix)) {
      const clean = this.#clean && block.lines.length === 0;
      this.#clean = true;
      this.#place = { at: "after-sentinel" };
      this.#emit({ kind: "sentinel", id: line.slice(this.#sentinelPrefix.length), clean });
      return;
    }
    const [word = "", rest = ""] = splitOnce(line);
    if ((word === "%end" || word === "%error") && rest === block.guard) {
      this.#place = { at: "outside" };
      this.#emit({ kind: "block", ours: rest.endsWith(" 1"), ok: word === "%end", lines: block.lines });
      return;
    }
    block.lines.push(line);
  }

  #overflow(): void {
    this.#overflowed = true;
    this.#forgetCarry();
    this.#place = { at: "outside" };
    this.#emit({ kind: "overflow" });
  }
}

const EXTENDED_ENDS = Buffer.from(" : ");

/** A client that asked for pauses gets `%extended-output %0 AGE : …`, with room for further words before the colon. */
function writtenIn(line: Buffer, head: string): Buffer | undefined {
  if (head.startsWith("%output")) return line.subarray(head.length);
  const ends = line.indexOf(EXTENDED_ENDS, head.length - 1);
  return ends === -1 ? undefined : line.subarray(ends + EXTENDED_ENDS.length);
}

function splitOnce(line: string): [string, string] {
  const space = line.indexOf(" ");
  return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
