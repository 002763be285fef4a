import { expect, it } from "vitest";
import { BellhopError } from "../core/errors.ts";
import { bellhopOver } from "./bellhop.ts";
import type { Line } from "./line.ts";

it("gives each send one key, which a repeat keeps, also if the caller says only that there is none", async () => {
  const keys: unknown[] = [];
  let absences = 0;
  const line = {
    ask: async (_question: string, asked: object) => {
      keys.push("idempotencyKey" in asked ? asked.idempotencyKey : "none");
      absences += 1;
      if (absences % 2 === 1)
        throw new BellhopError("daemon.unreachable", { message: "It restarts.", next: "Wait." });
      return { messageId: "m1", unmatched: false };
    },
  } as Partial<Line> as Line;
  let made = 0;
  const patience = { patienceMs: 60_000, pause: async () => {}, now: () => 0 };
  const bellhop = bellhopOver(line, patience, () => {
    made += 1;
    return `key-${made}`;
  });
  // What plain JavaScript may pass, and TypeScript without exactOptionalPropertyTypes.
  const none: object = { idempotencyKey: undefined };
  await bellhop.send("coder", "x");
  await bellhop.send("coder", "x", none);
  await bellhop.route("a/b", { text: "x" }, none);
  await bellhop.send("coder", "x", { idempotencyKey: "mine" });
  const expected = ["key-1", "key-2", "key-3", "mine"];
  expect(keys).toEqual(expected.flatMap((key) => [key, key]));
});
