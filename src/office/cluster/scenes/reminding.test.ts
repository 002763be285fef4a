import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

it("a reminder for an agent elsewhere is typed as one line, not as a file to read", async () => {
  const { cluster, a, bob } = await aliceAndBob();
  await a.done(a.use.remind({ to: "b:bob", text: "check the build", afterMs: 5_000, claims }));
  await cluster.advance(10_000);
  expect(bob.program.submitted).toHaveLength(1);
  expect(bob.program.submitted[0]).toMatch(
    /^\[message from: a:bellhop #\w{6}\] Scheduled reminder: check the build \(set by [^)]*dev[^)]*\)\s— from program "a:bellhop" on another host\.$/u,
  );
});

it("a long one is a file that begins with its own words", async () => {
  const { cluster, a, bob } = await aliceAndBob();
  const text = "look at it ".repeat(60).trim();
  await a.done(a.use.remind({ to: "b:bob", text, afterMs: 5_000, claims }));
  await cluster.advance(10_000);
  const file = /Read (\/\S+)/u.exec(bob.program.submitted[0] ?? "")?.[1];
  expect(file).toBeDefined();
  expect(readFileSync(file ?? "", "utf8")).toMatch(/^Scheduled reminder:\nlook at it/u);
});
