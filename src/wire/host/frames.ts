/**
 * The frames of an attached terminal, after the first lines: `[1 byte type][4 bytes big-endian length][payload]`.
 * Data frames carry keys one way and screen output the other; a control frame is one JSON object.
 */
import { BellhopError } from "../../core/errors.ts";

export const FRAME_LIMITS = {
  payloadBytes: 10 * 1024 * 1024,
  /** Longer data is split into pieces of this size. */
  pieceBytes: 1024 * 1024,
} as const;

export type FrameKind = "data" | "control";
const TYPE_OF: Readonly<Record<FrameKind, number>> = { data: 0x00, control: 0x01 };
const KIND_OF: readonly FrameKind[] = ["data", "control"];
const HEADER_BYTES = 5;

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Buffer {
  if (payload.byteLength > FRAME_LIMITS.payloadBytes) throw tooLarge(payload.byteLength);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.byteLength);
  frame.writeUInt8(TYPE_OF[kind], 0);
  frame.writeUInt32BE(payload.byteLength, 1);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** One JSON object, written into its frame without a buffer in between: every key typed by the daemon waits for it. */
export function encodeControl(message: object): Buffer {
  const text = JSON.stringify(message);
  const size = Buffer.byteLength(text);
  if (size > FRAME_LIMITS.payloadBytes) throw tooLarge(size);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + size);
  frame.writeUInt8(TYPE_OF.control, 0);
  frame.writeUInt32BE(size, 1);
  frame.write(text, HEADER_BYTES);
  return frame;
}

/** Splits any number of bytes into frames; the reader just joins them. */
export function* encodeData(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += FRAME_LIMITS.pieceBytes)
    yield encodeFrame("data", bytes.subarray(at, at + FRAME_LIMITS.pieceBytes));
}

/** Chunks in, whole frames out. After it has thrown, nothing that follows can be trusted to begin a frame. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  /** What has not been taken: more than one chunk only while a frame is incomplete. */
  #chunks: Buffer[] = [];
  /** How much of the first chunk is taken. */
  #taken = 0;
  #bytes = 0;
  #broken: BellhopError | undefined;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** Bytes of an incomplete frame. */
  get pending(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) this.#onFrame(frame);
  }

  /** Undefined until a frame is complete. The header is checked at once, before a bad frame is buffered. */
  #next(): Frame | undefined {
    const [first] = this.#chunks;
    if (first === undefined || this.#bytes < HEADER_BYTES) return undefined;
    const inOne = first.length - this.#taken;
    const header = inOne >= HEADER_BYTES ? first : this.#joined(HEADER_BYTES);
    const at = header === first ? this.#taken : 0;
    const type = header[at] ?? Number.NaN;
    const size = header.readUInt32BE(at + 1);
    const kind = KIND_OF[type];
    if (kind === undefined) return this.#break(unknownType(type));
    if (size > FRAME_LIMITS.payloadBytes) return this.#break(tooLarge(size));
    const bytes = HEADER_BYTES + size;
    if (this.#bytes < bytes) return undefined;
    const isInOne = inOne >= bytes;
    const payload = isInOne
      ? first.subarray(at + HEADER_BYTES, at + bytes)
      : this.#joined(bytes).subarray(HEADER_BYTES);
    this.#take(bytes);
    return { kind, payload };
  }

  /** The next bytes, which lie in several chunks. Only these are copied: what stands behind them is often much more. */
  #joined(bytes: number): Buffer {
    const all = Buffer.allocUnsafe(bytes);
    let at = 0;
    let from = this.#taken;
    for (const chunk of this.#chunks) {
      at += chunk.copy(all, at, from, Math.min(chunk.length, from + bytes - at));
      from = 0;
      if (at === bytes) break;
    }
    return all;
  }

  #take(bytes: number): void {
    this.#bytes -= bytes;
    let taken = this.#taken + bytes;
    let whole = 0;
    for (const chunk of this.#chunks) {
      if (taken < chunk.length) break;
      taken -= chunk.length;
      whole += 1;
    }
    if (whole > 0) this.#chunks = whole === this.#chunks.length ? [] : this.#chunks.slice(whole);
    this.#taken = taken;
  }

  #break(error: BellhopError): never {
    this.#broken = error;
    this.#chunks = [];
    this.#taken = 0;
    this.#bytes = 0;
    throw error;
  }
}

function unknownType(type: number): BellhopError {
  return new BellhopError("request.malformed", {
    message: `There is no frame of type 0x${type.toString(16).padStart(2, "0")}.`,
    next: "Send data (0x00) or control (0x01); speak the version that the first line agreed on.",
  });
}

function tooLarge(bytes: number): BellhopError {
  return new BellhopError("request.too_large", {
    message: `A frame of ${bytes} bytes is larger than ${FRAME_LIMITS.payloadBytes}.`,
    next: "Split it.",
  });
}
