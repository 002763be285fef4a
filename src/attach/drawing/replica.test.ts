import { expect, it } from "vitest";
import { Replica } from "./replica.ts";

const drawn = (text: string): Promise<Replica> =>
  new Promise((resolve) => {
    const replica: Replica = new Replica({ cols: 10, rows: 4 }, () => resolve(replica));
    replica.write(Buffer.from(text));
  });

it("draws a character again as often as its host does, whatever the program asks for", async () => {
  const replica = await drawn("a\x1b[9999b");
  expect([replica.scrollback, replica.text().join("")]).toEqual([1, "a".repeat(31)]);
  replica.dispose();
});

it("keeps no title without end", async () => {
  const replica = await drawn(`\x1b]0;${"T".repeat(100_000)}\x07`);
  expect(replica.title).toBe("T".repeat(4_096));
  replica.dispose();
});
