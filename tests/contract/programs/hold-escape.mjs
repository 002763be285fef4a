// Preloaded into the daemon: from the first Escape on, nothing is sent on that connection until the file exists. So the
// time between a look and a key press is as long as a test needs it to be.
import { existsSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";

const { HOLD_ESCAPE_HELD: heldFile, HOLD_ESCAPE_RELEASE: releaseFile } = process.env;
const { write } = Socket.prototype;
const waiting = new Map();

Socket.prototype.write = function writeLater(chunk, ...rest) {
  const held = waiting.get(this);
  if (held !== undefined) {
    held.push([chunk, ...rest]);
    return true;
  }
  if (existsSync(releaseFile) || !Buffer.from(chunk).includes("Escape"))
    return write.call(this, chunk, ...rest);
  const queue = [[chunk, ...rest]];
  waiting.set(this, queue);
  writeFileSync(heldFile, "");
  const look = setInterval(() => {
    if (!existsSync(releaseFile)) return;
    clearInterval(look);
    waiting.delete(this);
    for (const each of queue) write.apply(this, each);
  }, 5);
  return true;
};
