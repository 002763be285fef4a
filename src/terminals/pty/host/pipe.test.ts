import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_WAITING, type PipeEnd, ProgramPipe } from "./pipe.ts";

/** A program that reads as much as the test allows. */
function scene(take: (bytes: Buffer) => number | "full" | "closed") {
  const got: Buffer[] = [];
  const timers: { readonly ms: number; readonly call: () => void }[] = [];
  const end: PipeEnd = {
    take(bytes) {
      const took = take(bytes);
      if (typeof took === "number") got.push(Buffer.from(bytes.subarray(0, took)));
      return took;
    },
    after: (ms, call) => void timers.push({ ms, call }),
  };
  return { pipe: new ProgramPipe(end), timers, got: () => Buffer.concat(got).toString("latin1") };
}

describe("bytes to a program", () => {
  it("come whole and in order, however little it takes at a time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 9_000 }), { maxLength: 8 }),
        fc.infiniteStream(fc.oneof(fc.constant("full" as const), fc.integer({ min: 1, max: 5_000 }))),
        (texts, appetite) => {
          const { pipe, timers, got } = scene((bytes) => {
            const wants = appetite.next().value ?? "full";
            return wants === "full" ? "full" : Math.min(wants, bytes.length);
          });
          for (const text of texts) expect(pipe.write(Buffer.from(text, "latin1"))).toBe("written");
          while (!pipe.isEmpty) timers.shift()?.call();
          expect(got()).toBe(texts.map((text) => Buffer.from(text, "latin1").toString("latin1")).join(""));
          expect(timers.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it("that it does not take are tried again, more and more rarely", () => {
    const { pipe, timers } = scene(() => "full");
    pipe.write(Buffer.from("x"));
    for (let times = 0; times < 8; times += 1) timers.at(-1)?.call();
    expect(timers.map(({ ms }) => ms)).toEqual([1, 2, 4, 8, 16, 32, 32, 32, 32]);
    expect(pipe.isEmpty).toBe(false);
  });

  it("are refused whole when too many wait, and when it takes no more", () => {
    const stuck = scene(() => "full");
    expect(stuck.pipe.write(Buffer.alloc(MOST_WAITING))).toBe("written");
    expect(stuck.pipe.write(Buffer.alloc(1))).toBe("refused");
    const gone = scene(() => "closed");
    expect(gone.pipe.write(Buffer.from("x"))).toBe("written");
    expect(gone.pipe.isEmpty).toBe(true);
    expect(gone.pipe.write(Buffer.from("x"))).toBe("refused");
  });
});
