import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import type { Processes } from "../../ports/processes.ts";
import type { OpenLink } from "./control/server-link.ts";
import { endLeftovers, OWNER_VARIABLE } from "./leftovers.ts";

it("goes on when a client has ended by itself in the meantime", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  const link = {
    run: async () => ({ kind: "answered", blocks: [{ ok: true, lines: [`${pid}/1/$0`] }] }),
  } as unknown as OpenLink;
  const processes = {
    environment: async () => ({ [OWNER_VARIABLE]: "ours" }),
    tree: async () => [{ pid, parentPid: 1 }],
  } as unknown as Processes;
  expect(await endLeftovers(link, { mark: "ours", pid: process.pid }, processes)).toEqual([]);
});
