import { describe, expect, it } from "vitest";
import type { Message } from "../../core/message.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";
import { Filing, MOST_UNFILED } from "./filing.ts";

interface Shelf {
  readonly filing: Filing;
  readonly filed: string[];
  readonly warnings: string[];
  disk: "works" | "full";
}

function openShelf(): Shelf {
  const filed: string[] = [];
  const warnings: string[] = [];
  const context: Pick<OfficeContext, "files" | "log" | "checkpoint"> & {
    readonly clock: Pick<OfficeContext["clock"], "after">;
  } = {
    files: {
      nameFor: () => "",
      absolute: (name) => name,
      remove: async () => {},
      attach: async (name) => name,
      forgetAttachedBefore: async () => {},
      ensure: async (name) => {
        if (shelf.disk === "full") throw new Error("no space left");
        filed.push(name);
        return name;
      },
    },
    log: { info: () => {}, error: () => {}, warn: (event) => warnings.push(event) },
    checkpoint: () => {},
    clock: { after: () => () => {} },
  };
  const filing = new Filing(context as OfficeContext, {} as Directory);
  const shelf: Shelf = { filing, filed, warnings, disk: "works" };
  return shelf;
}

function aMessage(file: string): Message {
  return {
    id: file,
    shortId: "m7k2q9",
    from: "person/dev",
    to: "agent/coder",
    body: "text",
    form: { kind: "text" },
    priority: "normal",
    source: "person",
    hops: 0,
    createdAt: 1,
    file,
  };
}

describe("the filing of bodies", () => {
  it("keeps nobody waiting, and is done when it says so", async () => {
    const { filing, filed } = openShelf();
    filing.take(aMessage("a.md"));
    filing.take(aMessage("b.md"));
    expect(filed).toEqual([]);
    await filing.settled();
    expect(filed).toEqual(["a.md", "b.md"]);
    filing.take(aMessage("c.md"));
    await filing.settled();
    expect(filed).toEqual(["a.md", "b.md", "c.md"]);
  });

  it("takes up to its maximum, and leaves the rest of a flood to whoever needs it", async () => {
    const { filing, filed } = openShelf();
    for (let count = 0; count <= MOST_UNFILED; count += 1) filing.take(aMessage(`${count}.md`));
    await filing.settled();
    expect(filed).toHaveLength(MOST_UNFILED);
    await filing.makeSure(aMessage(`${MOST_UNFILED}.md`));
    expect(filed.at(-1)).toBe(`${MOST_UNFILED}.md`);
  });

  it("says that a file could not be written, and goes on with the next", async () => {
    const shelf = openShelf();
    shelf.disk = "full";
    shelf.filing.take(aMessage("a.md"));
    await shelf.filing.settled();
    expect(shelf.warnings).toEqual(["message.file_failed"]);
    shelf.disk = "works";
    shelf.filing.take(aMessage("b.md"));
    await shelf.filing.settled();
    expect(shelf.filed).toEqual(["b.md"]);
  });
});
