import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedLines } from "./bounded-lines.ts";

async function through(most: number, chunks: readonly Buffer[]) {
  const left: (string | number | undefined)[] = [];
  const lines = new BoundedLines(most, (id) => left.push(id));
  const passed: string[] = [];
  lines.on("data", (line: Buffer) => passed.push(line.toString("utf8")));
  for (const chunk of chunks) lines.write(chunk);
  await new Promise<void>((resolve) => {
    lines.on("end", () => resolve());
    lines.end();
  });
  return { passed, left };
}

function cut(bytes: Buffer, size: number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

describe("lines within a limit", () => {
  it("come out whole, however they came in, and one at the limit is not too long", async () => {
    const text = "a\nbb\n\n1234567\n12345678\nend\n";
    for (const size of [1, 2, 3, 100])
      expect(await through(8, cut(Buffer.from(text), size))).toEqual({
        passed: ["a\n", "bb\n", "\n", "1234567\n", "end\n"],
        left: [undefined],
      });
  });

  it("keep nothing of what has no end", async () => {
    expect(await through(8, [Buffer.from("no end at all"), Buffer.from("no end")])).toEqual({
      passed: [],
      left: [],
    });
  });

  it("tell the id of a message that is too long, wherever it stands, and no other", async () => {
    const pad = "x".repeat(64);
    const nested = { id: 7, list: [{ id: "no" }], text: `"id":9,\\"${pad}` };
    const messages: readonly [object | string, unknown][] = [
      [{ jsonrpc: "2.0", id: 1, method: "m", params: nested }, 1],
      [{ method: "m", params: nested, jsonrpc: "2.0", id: "last" }, "last"],
      [{ method: "m", params: nested }, undefined],
      [{ id: null, params: nested }, undefined],
      [{ id: { id: 5 }, params: nested }, undefined],
      [{ id: "y".repeat(500), params: nested }, undefined],
      [[{ id: 3, params: nested }], undefined],
      [`{"id" : -4 ,"x":"${pad}"`, -4],
      [`garbage "id":5, ${pad}`, undefined],
    ];
    for (const [message, id] of messages) {
      const text = typeof message === "string" ? message : JSON.stringify(message);
      for (const size of [1, 7, 1_000])
        expect(await through(32, cut(Buffer.from(`${text}\nok\n`), size))).toEqual({
          passed: ["ok\n"],
          left: [id],
        });
    }
  });

  it("tell it of any message as JSON.parse would", async () => {
    const message = fc.record(
      {
        id: fc.oneof(fc.string({ maxLength: 20 }), fc.integer(), fc.constant(null)),
        params: fc.jsonValue(),
        more: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(message, fc.integer({ min: 1, max: 50 }), async (value, size) => {
        const text = JSON.stringify({ ...value, pad: "x".repeat(10) });
        const { left } = await through(4, cut(Buffer.from(`${text}\n`), size));
        const { id } = JSON.parse(text) as { readonly id?: string | number | null };
        expect(left).toEqual([id ?? undefined]);
      }),
    );
  });
});
