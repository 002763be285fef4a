/** What is heard but read later: in order, with the same limit, and without what nobody can read. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { VERSION } from "../wire/version.ts";
import { hearPatiently } from "./hearing.ts";
import type { Ear, Unread } from "./line.ts";
import { listenPatiently } from "./listen.ts";
import { unixLine } from "./unix-line.ts";

const patience = { patienceMs: 5_000, now: () => performance.now(), pause: async () => {} };

/** A daemon that says these texts to its listeners, one after the other; the rest stay silent. */
async function saying(...texts: readonly string[]): Promise<{ bodies(count: number): Promise<string[]> }> {
  const folder = mkdtempSync(join(tmpdir(), "bh-hearing-"));
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const text = texts[sockets.length] ?? "";
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      const answer = { ok: true, req_id: 1, version: VERSION, result: { agent: "reader" } };
      socket.write(`${JSON.stringify(answer)}\n${text}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "sock"), resolve));
  const line = unixLine(join(folder, "sock"), { user: "dev" });
  const listening = listenPatiently(line, { agent: "reader" }, {}, patience, new AbortController().signal);
  onTestFinished(async () => {
    await listening.return?.();
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    async bodies(count) {
      const heard: string[] = [];
      while (heard.length < count) {
        const { value } = await listening.next();
        heard.push((value as BrokerMessage).body);
      }
      return heard;
    },
  };
}

const brief = (body: string) => ["id", "short", "writer", "agent/reader", body, 7, "queued"];
const push = (body: string): string => `${JSON.stringify({ type: "push", req_id: 1, brief: brief(body) })}\n`;
const pushOtherwise = (body: string): string =>
  `${JSON.stringify({ req_id: 1, type: "push", brief: brief(body) })}\n`;

it("is in order, however a push is written, with empty lines in between", async () => {
  const { bodies } = await saying(
    `${push("a")}${push("b")}\n${pushOtherwise("c")}\r\n${push("d é")}${pushOtherwise("e")}${push("f")}`,
  );
  expect(await bodies(6)).toEqual(["a", "b", "c", "d é", "e", "f"]);
});

it.each([
  ["a line that is no JSON", '{"type":"push",nonsense\n'],
  ["a push that is no message", '{"type":"push","req_id":1,"brief":[]}\n'],
])("ends the connection at %s, and goes on with a new one", async (_, bad) => {
  const { bodies } = await saying(`${push("a")}${bad}${push("lost")}`, push("b"));
  expect(await bodies(2)).toEqual(["a", "b"]);
});

it("reads no more while there is much that nobody took, and goes on when all is taken", async () => {
  const said: string[] = [];
  let ear: Ear<number> | undefined;
  const hearing = hearPatiently<number>({
    async open(opened) {
      ear = opened;
      return { pause: () => said.push("pause"), resume: () => said.push("resume"), close() {} };
    },
    most: 4,
    patience,
    leaving: [],
  });
  await new Promise(setImmediate);
  ear?.hearUnread?.(counting(1, 3));
  expect(said).toEqual([]);
  ear?.hear(4);
  expect(said).toEqual(["pause"]);
  for (let wanted = 1; wanted <= 4; wanted += 1) {
    expect(said).toEqual(["pause"]);
    expect(await hearing.next()).toEqual({ done: false, value: wanted });
  }
  expect(said).toEqual(["pause", "resume"]);
  await hearing.return?.();
});

function counting(from: number, to: number): Unread<number> {
  let at = from;
  return {
    get size() {
      return to + 1 - at;
    },
    take() {
      at += 1;
      return at - 1;
    },
  };
}
