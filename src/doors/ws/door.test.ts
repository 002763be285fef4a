import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { expect, it, vi } from "vitest";
import type { Upgrade } from "../http/entrance.ts";
import { startWsDoor, type WsDoorOptions } from "./door.ts";

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock("./upgrades.ts", () => {
  loads.count += 1;
  throw new Error("no such file");
});

class Caller extends Duplex {
  heard = "";
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.heard += chunk.toString();
    done();
  }
  setTimeout(): this {
    return this;
  }
}

it("tells who asks for a WebSocket if it cannot be loaded, and logs why", async () => {
  let upgrade: Upgrade = () => {};
  const errors: unknown[] = [];
  const loopback = {
    server: Object.assign(new EventEmitter(), { maxConnections: 1 }),
    onUpgrade: (take: Upgrade) => {
      upgrade = take;
    },
  };
  const log = { info: () => {}, warn: () => {}, error: (...said: unknown[]) => errors.push(said) };
  const door = startWsDoor({ loopback, log } as unknown as WsDoorOptions);
  expect(loads.count).toBe(0);
  const callers = [new Caller(), new Caller()];
  const finished = callers.map((caller) => new Promise((resolve) => caller.once("finish", resolve)));
  for (const caller of callers) upgrade({} as IncomingMessage, caller, Buffer.alloc(0));
  await Promise.all(finished);
  for (const { heard } of callers) {
    expect(heard).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(heard).toContain('"code":"internal.bug"');
  }
  expect(loads.count).toBe(1);
  expect(errors).toEqual([
    ["door.bug", { verb: "ws", cause: expect.stringContaining("Error") }],
    ["door.bug", { verb: "ws", cause: expect.stringContaining("Error") }],
  ]);
  await door.close();
});
