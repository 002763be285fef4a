import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { LogLines } from "./log-lines.ts";

let written: string[];
let room: number;
let lines: LogLines;

beforeEach(() => {
  written = [];
  room = Number.POSITIVE_INFINITY;
  lines = new LogLines((bytes) => {
    const part = bytes.subarray(0, Math.min(room, bytes.length));
    if (part.length > 0) written.push(part.toString());
    return part.length;
  });
});

describe("lines on their way to the log", () => {
  it("go in one write for all of a tick, in order", async () => {
    for (const line of ["a\n", "b\n", "c\n"]) lines.write(line);
    await setImmediate();
    lines.write("d\n");
    await setImmediate();
    expect(written).toEqual(["a\nb\nc\n", "d\n"]);
  });

  it("are all in when a flush returns", () => {
    lines.write("last words\n");
    lines.flush();
    lines.flush();
    expect(written).toEqual(["last words\n"]);
  });

  it("are given up where there is no room, and those that come when there is are written", () => {
    room = 0;
    lines.write("a\n");
    lines.flush();
    room = Number.POSITIVE_INFINITY;
    lines.write("b\n");
    lines.flush();
    expect(written).toEqual(["b\n"]);
  });

  it("do not run into one that was cut off, also after one that was lost between", () => {
    room = 4;
    lines.write('{"event":"x"}\n');
    lines.flush();
    room = 0;
    lines.write("lost\n");
    lines.flush();
    room = Number.POSITIVE_INFINITY;
    lines.write("next\n");
    lines.flush();
    expect(written.join("")).toBe('{"ev\nnext\n');
  });
});
