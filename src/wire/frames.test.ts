import { describe, expect, it } from "vitest";
import { BellhopError } from "../core/errors.ts";
import { encodeFrame, FRAME_LIMITS, type Frame, FrameReader } from "./frames.ts";

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

  it("come out as they went in, however the bytes are cut", () => {
    const whole = Buffer.concat([
      encodeFrame("data", Buffer.from("ab")),
      encodeFrame("control", Buffer.alloc(0)),
      encodeFrame("control", Buffer.from("{}")),
      encodeFrame("data", Buffer.from([0, 1, 0xff])),
    ]);
    const wanted = ["data 6162", "control ", "control 7b7d", "data 0001ff"];
    // Every way to cut it in up to four pieces.
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

  it("survive a million inputs of any kind: whole frames come out, lies are refused, nothing is kept", () => {
    const random = seeded(0x5eed);
    const noise = Buffer.from(Array.from({ length: 4_096 }, () => random(256)));
    let inputs = 0;
    let frames = 0;
    let refused = 0;
    while (inputs < 1_000_000) {
      let wanted = "";
      let got = "";
      const reader = new FrameReader(({ kind, payload }) => {
        got += `${kind}${payload.length}:${payload.length > 0 ? payload[0] : ""}:${payload.at(-1) ?? ""};`;
      });
      let isBroken = false;
      let isNoisy = false;
      for (let left = 20; left > 0; left -= 1) {
        const { bytes, says } = input(random, noise);
        inputs += 1;
        if (!isNoisy && says !== undefined) {
          wanted += says;
          frames += 1;
        }
        try {
          const cut = random(bytes.length + 1);
          reader.push(bytes.subarray(0, cut));
          reader.push(bytes.subarray(cut));
          if (isBroken) throw new Error("a broken reader took more");
        } catch (error) {
          if (!(error instanceof BellhopError)) throw error;
          isBroken = true;
          refused += 1;
        }
        if (reader.pending > FRAME_LIMITS.payloadBytes + 5) throw new Error("it keeps too much");
        // Noise may be the beginning of anything: after it only that the reader stays upright is asked, once more.
        if (says === undefined && !isNoisy) {
          isNoisy = true;
          left = 2;
        }
      }
      if (!got.startsWith(wanted)) expect(got).toBe(wanted);
    }
    expect(inputs).toBeGreaterThanOrEqual(1_000_000);
    expect(frames).toBeGreaterThan(100_000);
    expect(refused).toBeGreaterThan(100_000);
  }, 60_000);
});

type Random = (below: number) => number;

/** Either a whole frame and what it says, or noise: any bytes, or a header that lies. */
function input(random: Random, noise: Buffer): { readonly bytes: Buffer; readonly says?: string } {
  const from = random(noise.length - 64);
  const piece = noise.subarray(from, from + random(64));
  switch (random(8)) {
    case 0:
      return { bytes: piece };
    case 1:
      return { bytes: header(random(4), random(2) === 0 ? 0xffff_ffff - random(1_000) : random(70)) };
    default: {
      const kind = random(2) === 0 ? "data" : "control";
      const says = `${kind}${piece.length}:${piece[0] ?? ""}:${piece.at(-1) ?? ""};`;
      return { bytes: encodeFrame(kind, piece), says };
    }
  }
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
