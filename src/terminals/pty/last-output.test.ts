import { EventEmitter } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onLastOutput } from "./last-output.ts";

it("is all that is left when the stream has ended, in order", () => {
  const folder = mkdtempSync(join(tmpdir(), "bh-last-"));
  const path = join(folder, "left");
  const left = Array.from({ length: 30_000 }, (_, n) => `${n}\n`).join("");
  writeFileSync(path, left);
  const fd = openSync(path, "r");
  const stream = new EventEmitter();
  const heard: Buffer[] = [];
  onLastOutput({ fd, _socket: stream }, (bytes) => heard.push(bytes));
  expect(heard).toEqual([]);
  stream.emit("end");
  expect(Buffer.concat(heard).toString()).toBe(left);
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

it("is nothing where nothing can be read", () => {
  const stream = new EventEmitter();
  const heard: Buffer[] = [];
  onLastOutput({ fd: 1_000_000, _socket: stream }, (bytes) => heard.push(bytes));
  stream.emit("end");
  expect(heard).toEqual([]);
});
