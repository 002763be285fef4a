import { describe, expect, it } from "vitest";
import type { Step } from "./steps.ts";
import { type AsyncWalk, step, type Walk, walk, walkAsync } from "./walk.ts";

function diary(): { readonly lines: string[]; readonly checkpoint: (at: Step) => void } {
  const lines: string[] = [];
  return { lines, checkpoint: (at) => lines.push(at) };
}

const write = (line: string) => (lines: string[]) => {
  lines.push(line);
};

describe("a walk", () => {
  it("takes each step in the order of the list, with the crash points between them", () => {
    const { lines, checkpoint } = diary();
    const steps: Walk<string[]> = [step("one", write("one")), "accept.validated", step("two", write("two"))];
    expect(walk({ checkpoint }, steps, lines)).toBeUndefined();
    expect(lines).toEqual(["one", "accept.validated", "two"]);
  });

  it("ends with the first step that answers", () => {
    const { lines, checkpoint } = diary();
    const steps: Walk<string[], string> = [
      step("one", () => "enough"),
      "accept.validated",
      step("two", write("two") as () => undefined),
    ];
    expect(walk({ checkpoint }, steps, lines)).toBe("enough");
    expect(lines).toEqual([]);
  });

  it("waits for a step that takes time, and for no other", async () => {
    const { lines, checkpoint } = diary();
    const steps: AsyncWalk<string[], string> = [
      step("one", write("one") as () => undefined),
      "paste.before-keys",
      step("two", async (all: string[]) => {
        all.push("two begins");
        await Promise.resolve();
        all.push("two ends");
        return undefined;
      }),
      "paste.after-keys",
      step("three", () => "end"),
    ];
    const end = walkAsync({ checkpoint }, steps, lines);
    expect(lines).toEqual(["one", "paste.before-keys", "two begins"]);
    expect(await end).toBe("end");
    expect(lines.slice(3)).toEqual(["two ends", "paste.after-keys"]);
  });

  it("names each step to whoever measures", async () => {
    const { lines, checkpoint } = diary();
    const measured: string[] = [];
    const timed = <T>(name: string, take: () => T): T => {
      measured.push(name);
      return take();
    };
    walk({ checkpoint, timed }, [step("one", write("one")), "accept.validated"] as const, lines);
    await walkAsync({ checkpoint, timed }, [step("two", async () => "end")] as const, lines);
    expect(measured).toEqual(["one", "two"]);
    expect(lines).toEqual(["one", "accept.validated"]);
  });
});
