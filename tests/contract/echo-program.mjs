// A program for a terminal: reads raw keys and records exactly what it read.
//   node echo-program.mjs --log FILE [--peer SOCKET] [--bracketed] [--alternate] [--hide-cursor]
// Over the peer's socket it sends each byte it reads, and prints each byte it is sent.
import { appendFileSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    log: { type: "string" },
    peer: { type: "string" },
    bracketed: { type: "boolean" },
    alternate: { type: "boolean" },
    "hide-cursor": { type: "boolean" },
  },
});

process.stdin.setRawMode(true);
// A shell that was in the foreground may have changed the terminal's mode.
process.on("SIGCONT", () => {
  process.stdin.setRawMode(false);
  process.stdin.setRawMode(true);
});
if (values.alternate) process.stdout.write("\x1b[?1049h\x1b[H\x1b[2J");
if (values["hide-cursor"]) process.stdout.write("\x1b[?25l");
if (values.bracketed) process.stdout.write("\x1b[?2004h");

const peer = values.peer === undefined ? undefined : connect(values.peer);
peer?.on("data", (bytes) => process.stdout.write(bytes));
peer?.on("error", () => process.exit(1));
peer?.on("close", () => process.exit(0));

process.stdin.on("data", (bytes) => {
  if (values.log !== undefined) appendFileSync(values.log, bytes);
  peer?.write(bytes);
});
process.stdin.on("end", () => process.exit(0));
