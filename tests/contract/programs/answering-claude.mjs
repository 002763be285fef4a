// Stands in for Claude Code where only its hooks matter: its composer on the screen, hooks that it runs when it is told
// to, and a session file in which it records what they add. Told by lines of JSON on a socket: { event, payload, path }.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const [, , socketPath, transcriptPath, command] = process.argv;
const RULE = "─".repeat(80);

process.stdin.setRawMode(true);
process.stdin.resume();
process.stdout.write(`\x1b[2J\x1b[H${RULE}\r\n❯\u00a0\r\n${RULE}\r\n  ? for shortcuts\x1b[2;3H\x1b[?25l`);
appendFileSync(transcriptPath, "");

/** Runs the hook as Claude Code does, and does with its output what Claude Code does. */
function runHook({ event, payload, path }) {
  const child = spawn("/bin/sh", ["-c", command.replaceAll("EVENT", event)], {
    env: { ...process.env, CLAUDE_PID: String(process.pid), ...(path === undefined ? {} : { PATH: path }) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stdin.end(JSON.stringify({ hook_event_name: event, transcript_path: transcriptPath, ...payload }));
  return new Promise((resolve) => {
    child.on("close", () => {
      const added = output === "" ? undefined : JSON.parse(output).hookSpecificOutput?.additionalContext;
      if (added !== undefined) {
        const attachment = { type: "hook_additional_context", content: [added], hookEvent: event };
        const line = { type: "attachment", attachment, timestamp: new Date().toISOString() };
        appendFileSync(transcriptPath, `${JSON.stringify(line)}\n`);
      }
      resolve({ added: added ?? null });
    });
  });
}

createServer((socket) => {
  createInterface({ input: socket }).on("line", async (line) => {
    socket.write(`${JSON.stringify(await runHook(JSON.parse(line)))}\n`);
  });
}).listen(socketPath);
