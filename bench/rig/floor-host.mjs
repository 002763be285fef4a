// The least that a hosted terminal can cost: a process of its own with a program in a PTY, reached over a Unix socket.
// It asks the system whether the program is alive and in front, types, asks again and answers. No screen, no frames, no
// queue, no people.
//   node floor-host.mjs SOCKET PROGRAM ARGUMENT…
// What comes at once is one text to type, because the other side waits for the answer; says when it listens.
import { existsSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { spawn } from "@lydell/node-pty";

const [, , place, program, ...words] = process.argv;
const pty = spawn(program, words, { cols: 120, rows: 40, encoding: null });
pty.onData(() => {});
pty.onExit(() => process.exit(0));

const stat = `/proc/${pty.pid}/stat`;
const children = `/proc/${pty.pid}/task/${pty.pid}/children`;
const isKnown = existsSync(children);

/** It runs, its group has the terminal, and no child of the same job is stopped. */
function isInFront() {
  if (!isKnown) return true;
  const own = statOf(readFileSync(stat, "utf8"));
  if (/[TtZX]/.test(own.state) || own.group !== own.foreground) return false;
  for (const child of readFileSync(children, "utf8").match(/\d+/g) ?? [])
    if (/[Tt]/.test(statOf(readFileSync(`/proc/${child}/stat`, "utf8")).state)) return false;
  return true;
}

function statOf(line) {
  const [state, , group, , , foreground] = line.slice(line.lastIndexOf(") ") + 2).split(" ", 6);
  return { state, group, foreground };
}

function type(text) {
  if (!isInFront()) return "held";
  writeSync(pty.fd, text);
  return isInFront() ? "sent" : "unknown";
}

createServer((socket) => socket.on("data", (text) => socket.write(type(text)))).listen(place, () =>
  process.stdout.write("ready\n"),
);
