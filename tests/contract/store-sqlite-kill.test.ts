import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/store/sqlite/store.ts";
import { bundleProgram, startChild } from "./child-program.ts";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellhop-kill-"));
  program = await bundleProgram("write-forever", folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ["one at a time", "1"],
  ["fifty in flight", "50"],
])("has every message that was promised before a SIGKILL, written %s", async (_, inFlight) => {
  const path = join(folder, `${inFlight}.db`);
  const promised: string[] = [];
  for (let run = 0; run < 5; run += 1) {
    const child = startChild(program, [path, `${run}`, inFlight]);
    const enough = 20 + run * 37;
    await child.line(() => child.lines.length >= enough);
    await child.kill();
    // The last line may be cut off by the kill.
    promised.push(...child.lines.filter((line) => /^run\d+-\d+-\d+$/.test(line)));

    const store = await openStore({ path });
    const lost = promised.filter(
      (id) => store.read.message(id) === undefined || store.read.deliveriesOf(id).length !== 1,
    );
    const halves = store.read
      .deliveries({})
      .filter(({ delivery, message }) => delivery.id !== `${message.id}.1`);
    await store.close();
    expect(lost).toEqual([]);
    expect(halves).toEqual([]);
  }
  expect(promised.length).toBeGreaterThan(400);
});
