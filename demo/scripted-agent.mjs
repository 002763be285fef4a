#!/usr/bin/env node
// A small full-screen agent for the demo and the tests: a composer, turns that take time, a dialog, a log of every
// prompt it was given. It understands bracketed paste and the extended Enter (CSI 13 u), like the real programs.
//
//   scripted-agent.mjs [--log FILE] [--name NAME] [--busy SECONDS] [--linger MILLISECONDS] [--silent]
//     [--trace-after SECONDS] [--hook FILE [--hook-after SECONDS]] [--echo-after MILLISECONDS]
//     [--hides-prompt] [--clears] [--calls-itself NAME] [--paste-window MILLISECONDS]
//
// In a prompt: [[busy S]] works for S seconds (by default as long as --busy says) or until SIGUSR2, [[ask]] opens a
// dialog at once, [[ask S]] after S seconds of work, [[menu COMMAND]] or [[menu S COMMAND]] one with numbered choices,
// [[exit]] ends the program. With --silent it shows no trace of its prompts; with --trace-after it shows them late, with --clears it
// clears its screen. With --hook it reports its prompts and turns, at once or late. It can also hide its prompt while it
// works, draw typed text late, take an Enter that follows the drawing too soon as part of a paste, and change its own name.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const logFile = option("log");
const is = (trait) => process.argv.includes(`--${trait}`);
const afterSeconds = (name, act) => {
  const seconds = Number(option(name) ?? 0);
  if (seconds === 0) act();
  else setTimeout(act, seconds * 1000);
};
const name = option("name") ?? "scripted agent";

const record = (event) => {
  if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify({ at: Date.now(), ...event })}\n`);
};

const story = [`${name} is ready.`];
let draft = "";
let drawnDraft = "";
let drawnAt = 0;
let state = { kind: "idle" };
let pending = "";
let pasting = false;

const wide = (character) =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
    character,
  );
const width = (text) => [...text].reduce((sum, character) => sum + (wide(character) ? 2 : 1), 0);

function wrap(text, columns) {
  const lines = [];
  let line = "";
  let used = 0;
  for (const character of text) {
    const needed = wide(character) ? 2 : 1;
    if (character === "\n" || used + needed > columns) {
      lines.push(line);
      line = "";
      used = 0;
    }
    if (character === "\n") continue;
    line += character;
    used += needed;
  }
  return [...lines, line];
}

/** The end of the story, as far as there is room: a long one costs no more to paint than a short one. */
function endOfStory(room, columns) {
  const lines = [];
  for (let entry = story.length - 1; entry >= 0 && lines.length < room; entry -= 1)
    lines.unshift(...wrap(story[entry], columns));
  return room > 0 ? lines.slice(-room) : [];
}

/** Reports like an agent with hooks: with Claude Code's events, through the script that Bellhop installs. */
function tell(event, payload = {}) {
  if (option("hook") === undefined) return;
  afterSeconds("hook-after", () => {
    const child = spawn("sh", [option("hook"), "scripted", event], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
  });
}

function show(line) {
  if (is("silent")) return;
  afterSeconds("trace-after", () => {
    story.push(line);
    draw();
  });
}

function draw() {
  const lateMs = Number(option("echo-after") ?? 0);
  if (lateMs === 0) paintDraft();
  else if (drawnDraft === draft) paint(draft);
  else {
    setTimeout(paintDraft, lateMs);
    paint(drawnDraft);
  }
}

function paintDraft() {
  if (drawnDraft !== draft) drawnAt = performance.now();
  drawnDraft = draft;
  paint(draft);
}

function paint(typed) {
  if (state.kind === "left") return;
  const columns = process.stdout.columns ?? 80;
  const rows = process.stdout.rows ?? 24;
  const hidden = is("hides-prompt") && state.kind === "busy";
  const composer = hidden ? [""] : wrap(`> ${typed.replaceAll("\n", " ")}`, columns);
  const status = statusLines();
  const room = rows - composer.length - status.length;
  const above = endOfStory(room, columns);
  const body = [...above, ...Array(Math.max(0, room - above.length)).fill(""), ...status, ...composer];
  const caret = `\x1b[${rows};${width(composer.at(-1)) + 1}H`;
  process.stdout.write(
    `\x1b[?2026h${body.map((line, row) => `\x1b[${row + 1};1H\x1b[2K${line}`).join("")}${caret}\x1b[?2026l`,
  );
}

function statusLines() {
  if (state.kind === "busy") return ["working…"];
  if (state.kind !== "dialog") return [""];
  if (state.about === undefined) return ["Allow? (y/n)"];
  return [
    "Allow? It wants to run:",
    `  ${state.about}`,
    "❯ 1. Yes",
    "  2. Yes, and don't ask again",
    "  3. No",
  ];
}

function submit() {
  const prompt = draft;
  draft = "";
  if (prompt === "") return;
  record({ prompt });
  if (option("calls-itself") !== undefined) process.title = option("calls-itself");
  tell("UserPromptSubmit", { prompt });
  if (is("clears")) story.length = 0;
  else show(`you: ${prompt}`);
  const [, menuAfter, menu] = /\[\[menu (?:([\d.]+) )?([^\]]+)\]\]/.exec(prompt) ?? [];
  const asksAfter = menuAfter ?? /\[\[ask ([\d.]+)\]\]/.exec(prompt)?.[1];
  const busy = /\[\[busy ([\d.]+)\]\]/.exec(prompt)?.[1] ?? option("busy");
  if (prompt.includes("[[exit]]")) leave();
  else if (prompt.includes("[[ask]]")) state = { kind: "dialog" };
  else if (asksAfter !== undefined) {
    state = { kind: "busy" };
    setTimeout(() => ask(menu), Number(asksAfter) * 1000);
  } else if (menu !== undefined) state = { kind: "dialog", about: menu };
  else if (busy !== undefined) {
    state = { kind: "busy" };
    setTimeout(() => {
      if (state.kind === "busy") finish(prompt);
    }, Number(busy) * 1000);
  } else finish(prompt);
}

function finish(prompt) {
  state = { kind: "idle" };
  tell("Stop");
  show(`${name}: read ${[...prompt].length} characters.`);
  draw();
}

function ask(about) {
  if (state.kind === "busy") state = { kind: "dialog", about };
  draw();
}

function answer(key) {
  // A menu takes nothing but its numbers.
  if (state.about !== undefined && !/^[1-3]$/.test(key)) return;
  record({ answered: key });
  story.push(`${name}: you answered ${JSON.stringify(key)}.`);
  state = { kind: "idle" };
}

function pressEscape() {
  if (state.kind === "busy") story.push(`${name}: interrupted.`);
  record({ escaped: state.kind });
  state = { kind: "idle" };
}

const SEQUENCES = [
  [
    "\x1b[200~",
    () => {
      pasting = true;
    },
  ],
  [
    "\x1b[201~",
    () => {
      pasting = false;
    },
  ],
  ["\x1b[13u", submit],
  ["\x1b[I", () => {}],
  ["\x1b[O", () => {}],
];

function consume() {
  while (pending !== "") {
    const known = SEQUENCES.find(([sequence]) => pending.startsWith(sequence));
    if (known !== undefined) {
      pending = pending.slice(known[0].length);
      known[1]();
      continue;
    }
    if (pending.startsWith("\x1b")) {
      if (SEQUENCES.some(([sequence]) => sequence.startsWith(pending))) {
        if (pending === "\x1b") {
          pending = "";
          pressEscape();
        }
        break;
      }
      pending = pending.replace(/^\x1b(\[[0-9;?]*[@-~]?)?/, "");
      pressEscape();
      continue;
    }
    const character = String.fromCodePoint(pending.codePointAt(0));
    pending = pending.slice(character.length);
    press(character);
  }
  draw();
}

function press(character) {
  if (!pasting && state.kind === "dialog") answer(character);
  else if (!pasting && character === "\r" && !isPartOfPaste()) submit();
  else if (!pasting && character === "\x15") draft = "";
  else if (!pasting && character === "\x1a") suspend();
  else if (!pasting && character === "\x7f") draft = [...draft].slice(0, -1).join("");
  else if (character === "\r" || character === "\n" || character === "\u2028") draft += "\n";
  else if (character >= " ") draft += character;
}

function isPartOfPaste() {
  return draft !== "" && performance.now() - drawnAt < Number(option("paste-window") ?? 0);
}

function leave() {
  state = { kind: "left" };
  process.stdout.write("\x1b[?2004l\x1b[?1049l");
  process.stdin.setRawMode(false);
  process.stdin.pause();
  // Like a program that is still cleaning up: it no longer reads input, but the shell is not back yet.
  setTimeout(() => process.exit(0), Number(option("linger") ?? 0));
}

/** Like the real programs on Ctrl-Z: leaves the screen to the shell, and stops its whole job. */
function suspend() {
  process.stdout.write("\x1b[?2004l\x1b[?1049l");
  process.stdin.setRawMode(false);
  process.kill(0, "SIGTSTP");
}

function enterScreen() {
  process.stdin.setRawMode(true);
  process.stdout.write("\x1b[?1049h\x1b[?2004h");
  draw();
}

process.on("SIGTERM", leave);
// Ends its turn at a moment that a test chooses.
process.on("SIGUSR2", () => {
  if (state.kind === "busy") finish("");
});
// Back in the foreground: another program may have changed the terminal's mode.
process.on("SIGCONT", () => {
  process.stdin.setRawMode(false);
  enterScreen();
});
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  pending += text;
  consume();
});
process.stdout.on("resize", draw);
enterScreen();
tell("SessionStart", { source: "startup" });
record({ started: process.pid });
