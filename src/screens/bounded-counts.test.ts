import headless from "@xterm/headless";
import { expect, it } from "vitest";
import { boundCounts } from "./bounded-counts.ts";

const SIZE = { cols: 10, rows: 4 };
const LARGEST = 2_147_483_647;

/** The counts with which the model's own handler would be called; it does nothing here. */
async function counted(sequence: { final: string; intermediates?: string }, chunks: readonly string[]) {
  const terminal = new headless.Terminal({ ...SIZE, allowProposedApi: true });
  let heard: readonly (number | number[])[] = [];
  terminal.parser.registerCsiHandler(sequence, (parameters) => {
    heard = parameters;
    return true;
  });
  boundCounts(terminal);
  for (const chunk of chunks)
    await new Promise<void>((resolve) => {
      terminal.write(chunk, resolve);
    });
  terminal.dispose();
  return heard;
}

it.each([
  ["b", "", 40],
  ...["S", "T", "L", "M", "A", "B", "E", "F", "e"].map((final) => [final, "", 4] as const),
  ...["I", "Z", "@", "P", "X", "C", "D", "a"].map((final) => [final, "", 10] as const),
  ["@", " ", 10],
  ["A", " ", 10],
  ["}", "'", 10],
  ["~", "'", 10],
] as const)(
  "as many of %j%j as there is room for, however many are asked for",
  async (final, between, most) => {
    const sequence = { final, ...(between === "" ? {} : { intermediates: between }) };
    expect(await counted(sequence, [`\x1b[${LARGEST}${between}${final}`])).toEqual([most]);
    expect(await counted(sequence, [`\x1b[3${between}${final}`])).toEqual([3]);
    expect(await counted(sequence, ["\x1b[99", `9999${between}`, final])).toEqual([most]);
  },
);

it("leaves a missing count and what belongs to a count as they are", async () => {
  expect(await counted({ final: "S" }, ["\x1b[S"])).toEqual([0]);
  expect(await counted({ final: "S" }, [`\x1b[${LARGEST}:7S`])).toEqual([4, [7]]);
});
