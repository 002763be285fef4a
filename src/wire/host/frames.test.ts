import { describe, expect, it } from "vitest";
import { BellhopError } from "../../core/errors.ts";
import { encodeControl, encodeData, encodeFrame, FRAME_LIMITS, type Frame, FrameReader } from "./frames.ts";

function read(chunks: readonly Buffer[]): readonly Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader((frame) => frames.push(frame));
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

const shown = (frames: readonly Frame[]) =>
  frames.map(({ kind, payload }) => `${kind} ${payload.toString("hex")}`);

function header(type: number, size: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(type, 0);
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

describe("frames", () => {
  it("are one byte of type, four of length, and the payload", () => {
    expect(encodeFrame("data", Buffer.from("hi")).toString("hex")).toBe("00000000026869");
    expect(encodeFrame("control", Buffer.from("{}")).toString("hex")).toBe("01000000027b7d");
    expect(encodeFrame("data", Buffer.alloc(0)).toString("hex")).toBe("0000000000");
  });

  it("carry an object as the JSON of it", () => {
    const message = { type: "announce", text: "café 🚀" };
    expect(encodeControl(message)).toEqual(encodeFrame("control", Buffer.from(JSON.stringify(message))));
    expect(() => encodeControl({ text: "é".repeat(FRAME_LIMITS.payloadBytes / 2) })).toThrow(
      /larger than 10485760/,
    );
  });

  it("come out whole behind one that its ear refused, however the bytes are cut", () => {
    const frames = Array.from({ length: 6 }, (_, index) => encodeFrame("data", Buffer.from([index])));
    const whole = Buffer.concat(frames);
    for (let size = 1; size <= whole.length; size += 1) {
      const heard: number[] = [];
      const reader = new FrameReader(({ payload }) => {
        if (payload[0] === 2) throw new Error("not that one");
        heard.push(payload[0] ?? -1);
      });
      for (let at = 0; at < whole.length; at += size) {
        try {
          reader.push(whole.subarray(at, at + size));
        } catch (error) {
          expect(String(error)).toContain("not that one");
        }
      }
      // What was in the same piece comes with the next.
      reader.push(encodeFrame("data", Buffer.from([6])));
      expect(heard).toEqual([0, 1, 3, 4, 5, 6]);
    }
  });

  it("come out as they went in, however the bytes are cut", () => {
    const whole = Buffer.concat([
      encodeFrame("data", Buffer.from("ab")),
      encodeFrame("control", Buffer.alloc(0)),
      encodeFrame("control", Buffer.from("{}")),
      encodeFrame("data", Buffer.from([0, 1, 0xff])),
    ]);
    const wanted = ["data 6162", "control ", "control 7b7d", "data 0001ff"];
    // Every way to cut it into up to four pieces.
    for (let a = 0; a <= whole.length; a += 1)
      for (let b = a; b <= whole.length; b += 1)
        for (let c = b; c <= whole.length; c += 1) {
          const pieces = [
            whole.subarray(0, a),
            whole.subarray(a, b),
            whole.subarray(b, c),
            whole.subarray(c),
          ];
          const got = shown(read(pieces));
          if (got.join() !== wanted.join()) expect({ a, b, c, got }).toEqual({ a, b, c, got: wanted });
        }
    expect(shown(read(Array.from(whole, (byte) => Buffer.from([byte]))))).toEqual(wanted);
  });

  it("come out of every cut of a small frame: each subset of its gaps", () => {
    const whole = Buffer.concat([
      encodeFrame("data", Buffer.from("abc")),
      encodeFrame("control", Buffer.from("{}")),
    ]);
    const gaps = whole.length - 1;
    for (let cuts = 0; cuts < 1 << gaps; cuts += 1) {
      const pieces: Buffer[] = [];
      let from = 0;
      for (let gap = 0; gap < gaps; gap += 1)
        if ((cuts >> gap) & 1) {
          pieces.push(whole.subarray(from, gap + 1));
          from = gap + 1;
        }
      pieces.push(whole.subarray(from));
      const got = shown(read(pieces)).join();
      if (got !== "data 616263,control 7b7d") expect({ cuts, got }).toBe("whole frames");
    }
  });

  it("may carry ten mebibytes and not a byte more", () => {
    const most = FRAME_LIMITS.payloadBytes;
    expect(most).toBe(10 * 1024 * 1024);
    const largest = encodeFrame("data", Buffer.alloc(most, 7));
    const [frame] = read([largest.subarray(0, 3), largest.subarray(3, 1_000), largest.subarray(1_000)]);
    expect(frame?.payload.length).toBe(most);
    expect(frame?.payload.at(-1)).toBe(7);
    expect(() => encodeFrame("data", Buffer.alloc(most + 1))).toThrow(/larger than 10485760/);
    const reader = new FrameReader(() => {});
    reader.push(header(0, most));
    expect(() => new FrameReader(() => {}).push(header(0, most + 1))).toThrow(/larger than 10485760/);
    expect(() => new FrameReader(() => {}).push(header(0, 0xffff_ffff))).toThrow(BellhopError);
  });

  it("carry any number of bytes in pieces", () => {
    const bytes = Buffer.alloc(FRAME_LIMITS.payloadBytes + 3, "é");
    const pieces: Buffer[] = [];
    const reader = new FrameReader(({ payload }) => pieces.push(Buffer.from(payload)));
    for (const frame of encodeData(bytes)) reader.push(frame);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(pieces.map(({ length }) => length)).toEqual([...Array(10).fill(FRAME_LIMITS.pieceBytes), 3]);
    expect([...encodeData(Buffer.alloc(0))]).toEqual([]);
  });

  it("are refused as soon as the header lies, and nothing is trusted after that", () => {
    const reader = new FrameReader(() => {});
    expect(() => reader.push(header(2, 1))).toThrow(/no frame of type 0x02/);
    expect(() => reader.push(encodeFrame("data", Buffer.from("x")))).toThrow(/no frame of type 0x02/);
    expect(reader.pending).toBe(0);
  });

  it("tell how much of one has come", () => {
    const reader = new FrameReader(() => {});
    reader.push(encodeFrame("data", Buffer.from("abc")).subarray(0, 7));
    expect(reader.pending).toBe(7);
    reader.push(Buffer.from("c"));
    expect(reader.pending).toBe(0);
  });

  it("survive a million inputs of any kind: each as the plainest reading of it says, and nothing is kept", () => {
    const random = seeded(0x5eed);
    const noise = Buffer.from(Array.from({ length: 4_096 }, () => random(256)));
    let inputs = 0;
    let frames = 0;
    let unbroken = 0;
    const refused = { type: 0, size: 0 };
    while (inputs < 1_000_000) {
      const pieces = Array.from({ length: 1 + random(20) }, () => input(random, noise));
      inputs += pieces.length;
      const stream = Buffer.concat(pieces);
      const wanted = plainReading(stream);
      let got = "";
      const reader = new FrameReader((frame) => {
        got += said(frame.kind, frame.payload);
        frames += 1;
      });
      for (let from = 0; from < stream.length; ) {
        const to = Math.min(stream.length, from + 1 + random(80));
        let broke = false;
        try {
          reader.push(stream.subarray(from, to));
        } catch (error) {
          if (!(error instanceof BellhopError)) throw error;
          broke = true;
        }
        // Only once the header's last byte has arrived.
        if (broke !== to >= wanted.lieEndsAt) expect({ inputs, from, to, broke }).toEqual(wanted);
        from = to;
      }
      if (got !== wanted.says || reader.pending !== wanted.pending)
        expect({ inputs, says: got, pending: reader.pending }).toEqual(wanted);
      if (wanted.lie === undefined) unbroken += 1;
      else refused[wanted.lie] += 1;
    }
    // All of these must happen often, or the test proves little.
    expect(frames).toBeGreaterThan(100_000);
    expect(unbroken).toBeGreaterThan(10_000);
    expect(refused.type).toBeGreaterThan(10_000);
    expect(refused.size).toBeGreaterThan(10_000);
  }, 60_000);
});

type Random = (below: number) => number;

/** A whole frame, any bytes, or a header with a wrong size. */
function input(random: Random, noise: Buffer): Buffer {
  const from = random(noise.length - 64);
  const piece = noise.subarray(from, from + random(64));
  switch (random(24)) {
    case 0:
      return piece;
    case 1:
      return header(
        random(3),
        random(2) === 0 ? FRAME_LIMITS.payloadBytes + random(2) : 0xffff_ffff - random(9),
      );
    case 2:
      return header(random(3), random(70));
    default:
      return encodeFrame(random(2) === 0 ? "data" : "control", piece);
  }
}

const said = (kind: string, payload: Buffer): string =>
  `${kind}${payload.length}:${payload[0] ?? ""}:${payload.at(-1) ?? ""};`;

/** The frames of a stream that is read all at once. */
function plainReading(stream: Buffer): {
  readonly says: string;
  readonly pending: number;
  readonly lie?: "type" | "size";
  readonly lieEndsAt: number;
} {
  let at = 0;
  let says = "";
  while (stream.length - at >= 5) {
    const type = stream.readUInt8(at);
    const size = stream.readUInt32BE(at + 1);
    if (type > 1) return { says, pending: 0, lie: "type", lieEndsAt: at + 5 };
    if (size > 10_485_760) return { says, pending: 0, lie: "size", lieEndsAt: at + 5 };
    if (stream.length < at + 5 + size) break;
    says += said(type === 0 ? "data" : "control", stream.subarray(at + 5, at + 5 + size));
    at += 5 + size;
  }
  return { says, pending: stream.length - at, lieEndsAt: Number.POSITIVE_INFINITY };
}

/** The same numbers every time (xorshift). */
function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
