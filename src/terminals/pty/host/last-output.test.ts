import { EventEmitter } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onLastOutput } from "./last-output.ts";

/** As much of a stream as the test needs. */
class Stream extends EventEmitter {
  readonly calls: string[] = [];

  read(): null {
    this.calls.push("read");
    return null;
  }

  destroy(): void {
    this.calls.push("destroyed");
  }
}

it.each(["when the stream has ended", "when the stream is destroyed before it could end"])(
  "is all that is left %s, once and in order",
  (when) => {
    const folder = mkdtempSync(join(tmpdir(), "bh-last-"));
    const path = join(folder, "left");
    const left = Array.from({ length: 30_000 }, (_, n) => `${n}\n`).join("");
    writeFileSync(path, left);
    const fd = openSync(path, "r");
    const stream = new Stream();
    const heard: Buffer[] = [];
    onLastOutput({ fd, _socket: stream }, (bytes) => heard.push(bytes));
    expect(heard).toEqual([]);
    if (when === "when the stream has ended") stream.emit("end");
    stream.destroy();
    expect(Buffer.concat(heard).toString()).toBe(left);
    expect(stream.calls).toEqual(["read", "destroyed"]);
    closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  },
);

it("is nothing where nothing can be read", () => {
  const stream = new Stream();
  const heard: Buffer[] = [];
  onLastOutput({ fd: 1_000_000, _socket: stream }, (bytes) => heard.push(bytes));
  stream.emit("end");
  expect(heard).toEqual([]);
});
