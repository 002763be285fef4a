// The least that a delivery can cost: a process that commits the message and its delivery, looks at the pane, commits that
// it is about to type, and types behind the same check; before the look and before the keys, it asks the system whether
// the program is alive and in front. The requests, the answers and the rows are Bellhop's; nothing is checked, routed,
// guarded, proven or logged.
//   node floor-courier.mjs TMUX_SOCKET SESSION DATABASE
// Reads lines `PANE WINDOW PID REQUEST` on standard input; says when it is ready, and when a message is on disk.
import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { newId, openRows, shortOf } from "./floor-rows.mjs";

const [, , socket, session, path] = process.argv;
const rows = openRows(path);

const tmux = spawn(
  "tmux",
  ["-S", socket, "-C", "attach-session", "-f", "ignore-size,no-output", "-t", session],
  {
    stdio: ["pipe", "pipe", "inherit"],
  },
);
let waiting;
let lines = [];
createInterface({ input: tmux.stdout }).on("line", (line) => {
  if (line === "done") {
    waiting?.(lines);
    lines = [];
  } else lines.push(line);
});
const run = (commands) =>
  new Promise((resolve) => {
    waiting = resolve;
    tmux.stdin.write(`${commands}\ndisplay-message -p done\n`);
  });

async function deliver(pane, window, pid, request) {
  const { to, body } = JSON.parse(request);
  const now = Date.now();
  const id = newId(now);
  const sequence = rows.commit(() =>
    rows.delivery(rows.message(id, { to: `agent/${to}`, now, body }), 1, now, null),
  );
  const answer = { ok: true, version: "0.1.0", result: { message_id: id, short_id: shortOf(id), to } };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  const text = `[message from: bench #${shortOf(id).slice(0, 6)}] ${body}`;
  let seen = await look(pane, pid);
  const promptDigest = hash("sha256", text, "hex");
  rows.commit(() => {
    const attempt = { transport: "paste", promptDigest, composerDigest: promptDigest, startedAt: Date.now() };
    rows.mark(sequence, Date.now(), JSON.stringify(attempt), session);
  });
  // A program that was still drawing is looked at again.
  while (!(await type(pane, window, pid, text, seen))) seen = await look(pane, pid);
}

/** Its state and its children's: who of them has the terminal. */
function assertInFront(pid) {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(listed)) return;
  const children = readFileSync(listed, "utf8").match(/\d+/g) ?? [];
  for (const one of [pid, ...children])
    if (/\) [TZX] /.test(readFileSync(`/proc/${one}/stat`, "utf8"))) throw new Error(`${one} does not run`);
}

async function look(pane, pid) {
  assertInFront(pid);
  const facts = "#{cursor_x}/#{cursor_y} #{pane_current_command}";
  const seen = await run(`display-message -p -t ${pane} "${facts}" ; capture-pane -e -p -t ${pane}`);
  const [, cursor, command] = /^(\d+\/\d+) (.*)$/.exec(seen.find((line) => /^\d+\/\d+ /.test(line)));
  return { cursor, command };
}

async function type(pane, window, pid, text, { cursor, command }) {
  assertInFront(pid);
  const since = Math.floor(Date.now() / 1000) - 2;
  const conditions = [
    ...["pane_dead", "pane_in_mode", "pane_synchronized", "pane_input_off"].map((flag) => `#{?${flag},0,1}`),
    `#{==:#{pane_pid},${pid}}`,
    `#{==:#{pane_current_command},${command}}`,
    `#{==:#{cursor_x}/#{cursor_y},${cursor}}`,
    `#{==:#{window_id},${window}}`,
    `#{?#{e|>=:#{session_activity},${since}},0,1}`,
  ];
  const gate = conditions.reduceRight((rest, condition) => `#{&&:${condition},${rest}}`);
  const keys = `paste-buffer -r -d -b floor -t ${pane} ; send-keys -t ${pane} -H 1b 5b 31 33 75`;
  const answer = await run(
    `set-buffer -b floor -- "${text}" ; if-shell -F -t ${pane} "${gate}" "${keys}" "display-message -p held"`,
  );
  return !answer.includes("held");
}

// One after the other: a program may have read its prompt before tmux has answered.
let last = Promise.resolve();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [, pane, window, pid, request] = /^(\S+) (\S+) (\S+) (.*)$/.exec(line);
    last = last.then(() => deliver(pane, window, pid, request));
  })
  .on("close", () => {
    tmux.kill();
    process.exit(0);
  });
await run("display-message -p here");
process.stdout.write("ready\n");
