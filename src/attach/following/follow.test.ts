import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { follow } from "./follow.ts";

it("answers as data, with its code and what to do, where nobody is reached", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bh-follow-"));
  const printed: (readonly string[])[] = [];
  try {
    const end = await follow({
      agent: "coder",
      source: { kind: "host", place: { agent: "coder", socket: join(folder, "none"), token: "secret" } },
      colours: "without",
      onto: {
        kind: "pipe",
        async print(lines) {
          printed.push(lines);
        },
      },
      left: new AbortController().signal,
    });
    expect(end).toEqual({
      kind: "failed",
      error: {
        code: "terminal.gone",
        message: "The terminal is gone: its host has ended or can no longer be reached.",
        next: expect.stringContaining('"bellhop restart coder"'),
      },
      lastScreen: [],
    });
    expect(printed).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
