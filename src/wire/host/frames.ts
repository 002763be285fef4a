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

/** Splits any number of bytes into frames; the reader just joins them. */
export function* encodeData(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += FRAME_LIMITS.pieceBytes)
    yield encodeFrame("data", bytes.subarray(at, at + FRAME_LIMITS.pieceBytes));
}

/** Chunks in, whole frames out. After it has thrown, nothing that follows can be trusted to begin a frame. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #chunks: Buffer[] = [];
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
    for (let size = this.#nextSize(); size !== undefined; size = this.#nextSize()) {
      const frame = this.#take(HEADER_BYTES + size);
      const kind = KIND_OF[frame.readUInt8(0)];
      if (kind !== undefined) this.#onFrame({ kind, payload: frame.subarray(HEADER_BYTES) });
    }
  }

  /** The payload's size, once the frame is complete. The header is checked at once, before a bad frame is buffered. */
  #nextSize(): number | undefined {
    if (this.#bytes < HEADER_BYTES) return undefined;
    const header = this.#peek();
    const type = header.readUInt8(0);
    const size = header.readUInt32BE(1);
    if (KIND_OF[type] === undefined) this.#break(unknownType(type));
    if (size > FRAME_LIMITS.payloadBytes) this.#break(tooLarge(size));
    return this.#bytes >= HEADER_BYTES + size ? size : undefined;
  }

  #peek(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= HEADER_BYTES) return first;
    const head = Buffer.allocUnsafe(HEADER_BYTES);
    let at = 0;
    for (const chunk of this.#chunks) {
      at += chunk.copy(head, at, 0, Math.min(chunk.length, HEADER_BYTES - at));
      if (at === HEADER_BYTES) break;
    }
    return head;
  }

  #take(bytes: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(bytes);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return all.subarray(0, bytes);
  }

  #break(error: BellhopError): never {
    this.#broken = error;
    this.#chunks = [];
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
