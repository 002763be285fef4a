// For each line that it reads, writes many megabytes as fast as its terminal takes them, and notes how long that took.
import { appendFileSync, openSync, writeSync } from "node:fs";

const [log = "", megabytes = "1"] = process.argv.slice(2);
const line = Array.from({ length: 6 }, (_, index) => `\x1b[3${index + 1}mcoloured\x1b[0m words `).join("");
const piece = Buffer.from(`${line}\r\n`.repeat(64));

// Opened anew, it waits while the terminal takes no more, as most programs do. Trying again at once would take the
// processor away from whoever reads.
const terminal = openSync("/dev/tty", "w");

process.stdin.on("data", () => {
  const start = performance.now();
  for (let left = Number(megabytes) * 1_000_000; left > 0; left -= piece.length) write(piece);
  appendFileSync(log, `${performance.now() - start}\n`);
});
write(Buffer.from("ready\r\n"));

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(terminal, bytes, at);
}
