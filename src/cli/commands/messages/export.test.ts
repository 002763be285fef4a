import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { ExportedEntry } from "../../../wire/shapes/messages.ts";
import type { RequestOf, ResponseOf } from "../../../wire/verbs/index.ts";

const entry = (number: number): ExportedEntry => ({
  message: {
    id: `id-${number}`,
    shortId: "m7k2q9",
    from: "person/dev",
    to: "agent/api",
    body: `line\n${number} \u2028`,
    priority: "normal",
    source: "person",
    createdAt: number,
    file: "/f",
  },
});

/** `total` entries, at most `most` per page whatever was requested. */
const pages =
  (total: number, most = 100) =>
  async ({ after = 0, limit = 500 }: RequestOf<"export">): Promise<ResponseOf<"export">> => {
    const end = Math.min(total, after + Math.min(limit, most));
    const entries = Array.from({ length: end - after }, (_, index) => entry(after + index + 1));
    return { entries, ...(end < total ? { next: end } : {}) };
  };
const run = (words: readonly string[], stage: Partial<Stage> = {}, total = 3) =>
  perform(["export", ...words], { answers: { export: pages(total, 2) }, ...stage });
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ExportedEntry);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-export-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("bellhop export", () => {
  it("prints one JSON object a line, page after page", async () => {
    const { status, stdout, stderr, asked } = await run(["--jsonl"], {}, 5);
    expect(status).toBe(0);
    expect(lines(stdout)).toEqual([1, 2, 3, 4, 5].map(entry));
    expect(asked.map(({ request }) => request)).toEqual([
      { limit: 100, after: 0 },
      { limit: 100, after: 2 },
      { limit: 100, after: 4 },
    ]);
    expect(stderr).toBe("");
    expect((await run(["--json"], {}, 5)).stdout).toBe(stdout);
  });

  it("asks for one agent's, or for the dead letters", async () => {
    expect((await run(["coder"], {}, 0)).asked[0]?.request).toEqual({ who: "coder", limit: 100, after: 0 });
    const letters = await run(["--unmatched"], {}, 0);
    expect(letters.asked[0]?.request).toEqual({ unmatched: true, limit: 100, after: 0 });
    expect(letters).toMatchObject({ status: 0, stdout: "" });
  });

  it("goes on behind an empty page that has a next", async () => {
    const answers = [{ entries: [], next: 7 }, { entries: [entry(8)] }];
    const { stdout } = await run([], { answers: { export: async () => answers.shift() ?? { entries: [] } } });
    expect(lines(stdout)).toEqual([entry(8)]);
  });

  it("takes what is too long for one answer piece by piece, and gives up where even that does not help", async () => {
    const gone = new BellhopError("daemon.unreachable", { message: "Gone.", next: "Look." });
    const inner = pages(12);
    const { stdout, asked } = await run([], {
      answers: {
        export: async (request) => {
          if ((request.limit ?? 0) > 4) throw gone;
          return inner(request);
        },
      },
    });
    expect(lines(stdout)).toEqual(Array.from({ length: 12 }, (_, index) => entry(index + 1)));
    expect(asked.map(({ request }) => (request as { limit: number }).limit)).toEqual([
      100, 1, 2, 4, 8, 1, 2, 4,
    ]);
    const hopeless = await run([], { answers: { export: () => Promise.reject(gone) } });
    expect(hopeless.status).toBe(5);
    expect(hopeless.asked).toHaveLength(2);
  });

  it("asks for the next page only when its reader has taken the last", async () => {
    let written = 0;
    let asked = 0;
    const inner = pages(50, 10);
    await run([], {
      answers: {
        export: (request) => {
          expect(written).toBe(asked);
          asked += 1;
          return inner(request);
        },
      },
      drain: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        written += 1;
      },
    });
    expect(asked).toBe(5);
  });

  it("shows how far it is only to a person, and only where nothing else is printed", async () => {
    const file = join(folder, "out.jsonl");
    const seen = await run(["--output", file], { columns: 80, answers: { export: pages(2_500) } });
    expect(seen.stderr).toBe("\r\x1b[K1000 …\r\x1b[K2000 …\r\x1b[K");
    const mixed = await run([], { columns: 80, answers: { export: pages(2_500) } });
    expect(mixed.stderr).toBe("");
  });

  it("writes a file that only its owner can read", async () => {
    const file = join(folder, "out.jsonl");
    const { status, stdout } = await run(["--output", file]);
    expect(status).toBe(0);
    expect(stdout).toBe(`exported 3 entries to ${file}\n`);
    expect(lines(readFileSync(file, "utf8"))).toEqual([1, 2, 3].map(entry));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
    const scripted = await run(["--output", file, "--force", "--json"], {}, 1);
    expect(JSON.parse(scripted.stdout)).toEqual({ file, entries: 1 });
    expect(lines(readFileSync(file, "utf8"))).toEqual([entry(1)]);
  });

  it("overwrites nothing unless told to, and asks nobody before it knows", async () => {
    const file = join(folder, "out.jsonl");
    writeFileSync(file, "dear\n");
    const { status, stderr, asked } = await run(["--output", file, "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "file.unsafe", next: expect.stringContaining("--force") },
    });
    expect(asked).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe("dear\n");
  });

  it("does not write over a file that appeared meanwhile", async () => {
    const file = join(folder, "out.jsonl");
    const { status } = await run(["--output", file], {
      answers: {
        export: async () => {
          writeFileSync(file, "dear\n");
          return { entries: [entry(1)] };
        },
      },
    });
    expect(status).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("dear\n");
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
  });

  it.each<[string, () => string]>([
    ["a folder", () => folder],
    ["a device", () => "/dev/null"],
    [
      "a link",
      () => {
        const link = join(folder, "link");
        symlinkSync("/dev/null", link);
        return link;
      },
    ],
    ["no such folder", () => join(folder, "no", "where")],
  ])("refuses %s, by force too", async (_, place) => {
    const path = place();
    const before = readdirSync(folder);
    const { status, stderr, asked } = await run(["--output", path, "--force", "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "file.unsafe" } });
    expect(asked).toEqual([]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it("leaves nothing behind when it fails or is stopped, and the old file as it was", async () => {
    const file = join(folder, "out.jsonl");
    writeFileSync(file, "dear\n");
    const failing = pages(100, 2);
    const failed = await run(["--output", file, "--force"], {
      answers: {
        export: async (request) => {
          if (request.after === 4)
            throw new BellhopError("daemon.stopping", { message: "Gone.", next: "Look." });
          return failing(request);
        },
      },
    });
    expect(failed.status).toBe(5);
    const stop = new AbortController();
    const stopped = await run(["--output", file, "--force"], {
      interrupted: stop.signal,
      answers: {
        export: async (request) => {
          if (request.after === 4) stop.abort();
          return failing(request);
        },
      },
    });
    expect(stopped).toMatchObject({ status: 1, stdout: "" });
    expect(stopped.stderr).toContain("stopped");
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
    expect(readFileSync(file, "utf8")).toBe("dear\n");
  });

  it.each<[string, readonly string[]]>([
    ["a recipient of dead letters", ["coder", "--unmatched"]],
    ["force without a file", ["--force"]],
    ["no file", ["--output="]],
    ["two recipients", ["a", "b"]],
    ["a form it does not have", ["--csv"]],
  ])("refuses %s", async (_, words) => {
    const { status, asked } = await run(words);
    expect(status).toBe(2);
    expect(asked).toEqual([]);
  });
});
