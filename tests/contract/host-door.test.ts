/** The door of a host, over a real socket, with a host that only shows what the test says. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOST_LIMITS, type HostDoor, welcome } from "../../src/terminals/pty/host/door.ts";
import type { Host, Viewer } from "../../src/terminals/pty/host/host.ts";
import { encodeFrame, FRAME_LIMITS, FrameReader } from "../../src/wire/host/frames.ts";
import { HOST_VERSION } from "../../src/wire/host/host.ts";

const MEBIBYTE = 1024 * 1024;
let folder: string;
let server: Server;
let client: Socket;
let viewer: Viewer;
let viewing: { readonly left: Promise<void>; isOver: boolean };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-door-"));
});
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
});

/** It has introduced itself, and reads nothing yet. */
async function comes(picture: string): Promise<void> {
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const current = { left, isOver: false };
  viewing = current;
  let drew = (): void => {};
  const drawn = new Promise<void>((resolve) => {
    drew = resolve;
  });
  const host = {
    size: { cols: 80, rows: 24 },
    state: { viewers: 1, passthrough: null, exit: null, title: "" },
    attach(one: Viewer) {
      viewer = one;
      return 1;
    },
    detach() {
      current.isOver = true;
      leave();
    },
    async redraw() {
      drew();
      return picture;
    },
  } as unknown as Host;
  await knocks(host, "attach");
  await drawn;
  await turn();
}

async function knocks(host: Host, type: "attach" | "serve"): Promise<void> {
  const door: HostDoor = {
    host,
    token: "secret",
    sessionId: "0badcafe",
    agent: "coder",
    daemons: new Set(),
    viewers: new Set(),
  };
  const path = join(folder, "host.sock");
  server = createServer((socket) => welcome(socket, door)).listen(path);
  await once(server, "listening");
  client = connect(path);
  client.on("error", () => {});
  client.write(`${JSON.stringify({ type, versions: [HOST_VERSION], token: "secret" })}\n`);
}

/** Reads what it is sent, up to this many bytes. */
async function reads(bytes: number): Promise<{ readonly text: string; readonly longest: number }> {
  const shown: Buffer[] = [];
  let size = 0;
  let head: Buffer | undefined = Buffer.alloc(0);
  const reader = new FrameReader(({ kind, payload }) => {
    if (kind !== "data") return;
    shown.push(Buffer.from(payload));
    size += payload.length;
  });
  await new Promise<void>((resolve, reject) => {
    client.on("close", () => reject(new Error(`cut off after ${size} bytes`)));
    client.on("data", (chunk: Buffer) => {
      if (head === undefined) reader.push(chunk);
      else {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(0x0a);
        if (end === -1) return;
        reader.push(head.subarray(end + 1));
        head = undefined;
      }
      if (size >= bytes) resolve();
    });
  });
  client.pause();
  return {
    text: Buffer.concat(shown).toString("utf8"),
    longest: Math.max(...shown.map(({ length }) => length)),
  };
}

it("gives a picture larger than a frame in pieces, and waits for who reads it slowly", async () => {
  const picture = "é▀".repeat((12 * MEBIBYTE) / 5);
  await comes(picture);
  const more = "x".repeat(HOST_LIMITS.backlogBytes / 2);
  viewer.output(Buffer.from(more));
  viewer.announced("still here");
  const { text, longest } = await reads(Buffer.byteLength(picture) + more.length);
  expect(text === picture + more).toBe(true);
  expect(longest).toBe(FRAME_LIMITS.pieceBytes);
});

it("cuts off who lets too much pile up once it has the picture", async () => {
  await comes("p".repeat(12 * MEBIBYTE));
  await reads(12 * MEBIBYTE);
  let pieces = 0;
  for (; pieces < 12 && !viewing.isOver; pieces += 1) {
    viewer.output(Buffer.alloc(MEBIBYTE));
    await turn();
  }
  await viewing.left;
  expect(pieces).toBeLessThan(12);
});

it("cuts off who cannot be told what it must hear, and nobody else is hurt", async () => {
  await comes("p");
  viewer.announced("x".repeat(FRAME_LIMITS.payloadBytes));
  await viewing.left;
});

it("packs a screen for a daemon that asks for it so, and for no other: an older one could not read it", async () => {
  const run = { text: "> ", dim: false, inverse: false, bold: true, italic: false };
  const line = { text: "> ", runs: [{ ...run, foreground: "31", background: "" }] };
  const host = {
    size: { cols: 80, rows: 24 },
    state: { viewers: 0, passthrough: null, exit: null, title: "" },
    screen: async () => ({ columns: 80, lines: [line] }),
  };
  await knocks(host as unknown as Host, "serve");
  await once(client, "data");
  const told: unknown[] = [];
  const reader = new FrameReader(({ payload }) => told.push(JSON.parse(payload.toString("utf8"))));
  for (const [id, packed] of [undefined, true].entries()) {
    client.write(encodeFrame("control", Buffer.from(JSON.stringify({ type: "read", id, packed }))));
    while (told.length === id) reader.push(((await once(client, "data")) as [Buffer])[0]);
  }
  expect(told).toEqual([
    { type: "screen", id: 0, screen: { columns: 80, lines: [line] } },
    { type: "screen", id: 1, screen: { columns: 80, lines: [[["> ", 4, "31", ""]]] } },
  ]);
});
