import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gateRefusals } from "./gate.ts";
import { ProgramInput } from "./input.ts";

const QUIET_MS = 2_000;

/** What the program reads, in order of the writes, and a clock that only the test moves. */
function scene() {
  const read: string[] = [];
  const clock = { now: 0 };
  const write = (bytes: Buffer) => {
    read.push(bytes.toString("utf8"));
    return "written" as const;
  };
  const input = new ProgramInput({ write, isEmpty: true }, () => clock.now);
  /** Like the host: the check and the keys in one turn. */
  const deliver = (text: string): boolean => {
    const because = gateRefusals(
      { panePid: 1, quietForMs: QUIET_MS },
      {
        dead: false,
        programPid: 1,
        command: "",
        alternate: false,
        cursor: { x: 0, y: 0, visible: true },
        quietMs: input.quietMs,
        passthrough: false,
        title: "",
        rows: () => [],
      },
    );
    if (because.length > 0) return false;
    input.inject(Buffer.from(text));
    return true;
  };
  return { input, clock, read, deliver, text: () => read.join("") };
}

const restMs = fc.integer({ min: 0, max: 2 * QUIET_MS });
/** A person's line: the time for each of its keys, always less than the quiet time. */
const typedLine = fc.record({
  by: fc.constant("keys" as const),
  restMs,
  gapsMs: fc.array(fc.integer({ min: 0, max: QUIET_MS - 1 }), { minLength: 1, maxLength: 6 }),
});
const barLine = fc.record({
  by: fc.constant("bar" as const),
  restMs,
  gapsMs: fc.array(fc.constant(0), { minLength: 1, maxLength: 3 }),
});
const persons = fc.array(fc.oneof(typedLine, barLine), { maxLength: 5 });
const attempts = fc.array(fc.integer({ min: 0, max: 2 * QUIET_MS }), { minLength: 1, maxLength: 12 });

describe("the way into a hosted program", () => {
  it("gives it whole lines only, in whatever order a person, the bar and deliveries come", async () => {
    let delivered = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        persons,
        attempts,
        fc.nat(20),
        async (scheduler, lines, waits, draws) => {
          const { input, clock, deliver, text } = scene();
          const sent: string[] = [];
          const turn = async (waitMs: number): Promise<void> => {
            await scheduler.schedule(Promise.resolve());
            clock.now += waitMs;
          };
          const person = async (): Promise<void> => {
            for (const [number, { by, restMs, gapsMs }] of lines.entries()) {
              const name = String.fromCharCode(97 + number);
              const words = name.repeat(gapsMs.length);
              sent.push(words);
              // Any amount of time may pass between two lines.
              await turn(restMs);
              if (by === "bar") {
                await input.submit(words, () => scheduler.schedule(Promise.resolve()));
                continue;
              }
              for (const gapMs of gapsMs) {
                await turn(gapMs);
                input.human(Buffer.from(name));
              }
              await turn(0);
              input.human(Buffer.from("\r"));
            }
          };
          const courier = async (): Promise<void> => {
            for (const [number, waitMs] of waits.entries()) {
              // While they type, time passes only through their own pauses.
              await turn(lines.length === 0 ? waitMs : 0);
              const message = `<message ${number}>`;
              if (deliver(`${message}\r`)) {
                sent.push(message);
                delivered += 1;
              } else refused += 1;
            }
          };
          /** The program draws at some point, or not at all. */
          const program = async (): Promise<void> => {
            for (let turns = draws; turns > 0; turns -= 1) {
              await turn(0);
              input.answered();
            }
          };
          const done = Promise.all([person(), courier(), program()]);
          await scheduler.waitFor(done);
          const read = text().split("\r");
          expect(read.pop()).toBe("");
          expect(read.toSorted()).toEqual(sent.toSorted());
        },
      ),
      { numRuns: 1_000 },
    );
    // Both must have happened, or the test proves nothing.
    expect(delivered).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(200);
  });

  it("lets nothing between a line of the bar and its Enter, whoever types meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom("key", "bar", "delivery"), { minLength: 2, maxLength: 12 }),
        async (scheduler, acts) => {
          const { input, clock, deliver, text } = scene();
          const done = acts.map(async (act, number) => {
            await scheduler.schedule(Promise.resolve());
            clock.now += act === "delivery" ? QUIET_MS : 1;
            if (act === "key") input.human(Buffer.from(`k${number}.`));
            else if (act === "delivery") deliver(`d${number}.`);
            else await input.submit(`b${number}.`, () => scheduler.schedule(Promise.resolve()));
          });
          await scheduler.waitFor(Promise.all(done));
          const pieces = text().match(/b\d+\.\r|[kd]\d+\./gu) ?? [];
          expect(pieces.join("")).toBe(text());
          const wanted = acts.filter((act) => act !== "delivery").length;
          expect(pieces.filter((piece) => !piece.startsWith("d"))).toHaveLength(wanted);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("keeps what one person types in the order of their keys, also over a line of the bar", async () => {
    const { input, text } = scene();
    let enter = (): void => {};
    const submitted = input.submit("bar", () => new Promise((resolve) => (enter = resolve)));
    await Promise.resolve();
    for (const key of "keys") input.human(Buffer.from(key));
    expect(text()).toBe("bar");
    enter();
    await submitted;
    input.human(Buffer.from("!"));
    expect(text()).toBe("bar\rkeys!");
  });

  it("keeps what one person did in the order in which they did it, bar and keys", async () => {
    const { input, text } = scene();
    const pause = () => Promise.resolve();
    const first = input.submit("first", pause);
    const second = input.submit("second", pause);
    for (const key of "keys") input.human(Buffer.from(key));
    const third = input.submit("third", pause);
    await Promise.all([first, second, third]);
    expect(text()).toBe("first\rsecond\rkeysthird\r");
  });

  it("gives what was held back, and the next line, also when the pause fails", async () => {
    const { input, text } = scene();
    const failing = input.submit("lost", () => Promise.reject(new Error("no timer")));
    await Promise.resolve();
    input.human(Buffer.from("k"));
    await expect(failing).rejects.toThrow("no timer");
    expect(input.isUnfinished).toBe(false);
    await input.submit("next", () => Promise.resolve());
    expect(text()).toBe("lostknext\r");
  });

  it("counts the quiet from the last byte of a person, and from the Enter of the bar", async () => {
    const { input, clock } = scene();
    expect(input.quietMs).toBe(Number.POSITIVE_INFINITY);
    input.human(Buffer.from("k"));
    input.answered();
    clock.now = 700;
    expect(input.quietMs).toBe(700);
    input.inject(Buffer.from("m"));
    expect(input.quietMs).toBe(700);
    await input.submit("bar", async () => {
      clock.now = 900;
    });
    input.answered();
    expect(input.quietMs).toBe(0);
    clock.now = 1_000;
    expect(input.quietMs).toBe(100);
  });

  it("is not quiet while the program has drawn nothing since a key, for ten seconds", () => {
    const { input, clock, deliver } = scene();
    input.human(Buffer.from("k"));
    for (const now of [QUIET_MS, 5_000, 9_999]) {
      clock.now = now;
      expect(input.quietMs).toBe(0);
      expect(deliver("m\r")).toBe(false);
    }
    clock.now = 10_000;
    expect(deliver("m\r")).toBe(true);
    input.human(Buffer.from("k"));
    clock.now += QUIET_MS;
    expect(deliver("m\r")).toBe(false);
    input.answered();
    expect(deliver("m\r")).toBe(true);
  });

  it("counts no quiet while a key may not be on the screen yet, for ten seconds at most", () => {
    const { input, clock } = scene();
    input.human(Buffer.from("k"));
    clock.now = 9_999;
    expect(input.quietMs).toBe(0);
    clock.now = 10_000;
    expect(input.quietMs).toBe(10_000);
    input.human(Buffer.from("k"));
    input.answered();
    clock.now = 10_500;
    expect(input.quietMs).toBe(500);
  });
});
