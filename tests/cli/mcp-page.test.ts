import { expect, it } from "vitest";
import { INBOX_LIMITS } from "../../src/mcp/tools/inbox.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { readPage, tableRowsIn } from "./pages.ts";

const page = readPage("docs/mcp.md");

it.each(TOOLS)("docs/mcp.md names every argument of $name", ({ name, input }) => {
  const row = tableRowsIn(page).find(([tool]) => tool === `\`${name}\``);
  const named = [...(row?.[1] ?? "").matchAll(/`(\w+)`/g)].map(([, field]) => field);
  expect(row).toBeDefined();
  expect(named.toSorted()).toEqual(Object.keys(input.shape).toSorted());
});

it("docs/mcp.md says how much of a text the inbox shows", () => {
  expect(page.text).toContain(`over ${INBOX_LIMITS.textCharacters} characters`);
});
