import { it } from "vitest";
import { ControlConnection } from "../../src/terminals/tmux/control.ts";
import { tmuxProgram } from "../../src/terminals/tmux/tmux-program.ts";
import { gateFormat, reportFormat } from "../../src/terminals/tmux/gate.ts";
import { gateCommands } from "../../src/terminals/tmux/gate-step.ts";
import { planStrokes } from "../../src/terminals/tmux/strokes.ts";
import { quote } from "../../src/terminals/tmux/quote.ts";
import { processes, TmuxHarness } from "./tmux-harness.ts";
it("bench", async () => {
  const h = new TmuxHarness();
  const panes = [];
  for (let i = 0; i < 10; i++) panes.push(await h.open({ alternate: true, hideCursor: true }));
  await new Promise((r) => setTimeout(r, 3000));
  const c = new ControlConnection({ program: tmuxProgram(process.env), socket: h.rig.socket, session: "s1", flags: ["ignore-size", "no-output"], nonce: "0123456789abcdef", clock: h.clock, attachDeadlineMs: 5000, onEvent: () => {} });
  await c.attached;
  const p = panes[3]!;
  const sc = await p.terminal.read(); if (sc.kind !== "screen") throw new Error();
  const e = { panePid: p.panePid, command: sc.screen.command, alternate: true, cursorHidden: true, cursor: { x: 0, y: 0 }, quietForMs: 2000 };
  const win = await h.rig.ask(p.pane, "#{window_id}");
  const place = { windowId: win, now: h.clock.now() };
  const gf = (x: object) => quote(gateFormat({ panePid: p.panePid, ...x }, place));
  const text = quote("x".repeat(188));
  const fixed = gateCommands(p.pane, e, place, planStrokes([{ kind: "paste", text: "x".repeat(188), bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }], { pane: p.pane, name: "bh-y", folder: "/x" }));
  const fixedNQ = gateCommands(p.pane, { panePid: p.panePid }, place, planStrokes([{ kind: "paste", text: "x".repeat(188), bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }], { pane: p.pane, name: "bh-y", folder: "/x" }));
  console.log("length", fixed.length, " ms");
  const tests: Record<string, () => Promise<unknown>> = {
    ping: () => c.run("display-message -p x", 5000),
    noRepl: () => c.run("refresh-client -f no-output", 5000),
    command: () => c.run(`display-message -p -t ${p.pane} "#{pane_current_command}"`, 5000),
    ifBase: () => c.run(`if-shell -F -t ${p.pane} ${gf({})} "display-message -p SENT" "display-message -p HELD"`, 5000),
    ifCommand: () => c.run(`if-shell -F -t ${p.pane} ${gf({ command: e.command })} "display-message -p SENT" "display-message -p HELD"`, 5000),
    ifQuiet: () => c.run(`if-shell -F -t ${p.pane} ${gf({ quietForMs: 2000 })} "display-message -p SENT" "display-message -p HELD"`, 5000),
    ifAll: () => c.run(`if-shell -F -t ${p.pane} ${gf(e)} "display-message -p SENT" "display-message -p HELD"`, 5000),
    paste: () => c.run(`set-buffer -b q -- ${text} ; paste-buffer -r -d -b q -t ${p.pane} ; send-keys -t ${p.pane} -H 1b 5b 31 33 75 15`, 5000),
    gate: () => p.terminal.gate({ ...e }, [{ kind: "paste", text: "x".repeat(188), bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }]),
    gateRaw: () => c.run(gateCommands(p.pane, e, place, planStrokes([{ kind: "paste", text: "x".repeat(188), bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }], { pane: p.pane, name: "bh-x", folder: "/x" })), 5000),
    gateFixed: () => c.run(fixed, 5000),
    gateShort: () => c.run(fixed.replace(/ "delete-buffer.*$/, ' "delete-buffer -b bh-y"'), 5000),
    gateBrace: () => c.run(`set-buffer -b bh-y -- ${text} ; if-shell -F -t ${p.pane} ${gf(e)} { paste-buffer -r -d -b bh-y -t ${p.pane} ; send-keys -t ${p.pane} -H 1b 5b 31 33 75 15 ; display-message -p SENT } { delete-buffer -b bh-y ; display-message -p -t ${p.pane} ${quote("HELD " + reportFormat(e, place))} }`, 5000),
    gateNoQuietShort: () => c.run(fixedNQ.replace(/ "delete-buffer.*$/, ' "delete-buffer -b bh-y"'), 5000),
    build: async () => gateCommands(p.pane, e, place, planStrokes([{ kind: "paste", text: "x".repeat(188), bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }], { pane: p.pane, name: "bh-x", folder: "/x" })),
    alive: () => processes.alive(p.sighting.identity.agentPid, p.sighting.identity.agentStartedAt),
    read: () => p.terminal.read(),
  };
  const r: Record<string, number[]> = {};
  for (let i = 0; i < 200; i++) for (const [k, f] of Object.entries(tests)) { const t = performance.now(); await f(); (r[k] ??= []).push(performance.now() - t); }
  for (const [k, v] of Object.entries(r)) { v.sort((a, b) => a - b); console.log(k.padEnd(10), v[20]!.toFixed(3), v[100]!.toFixed(3), "ms"); }
  await c.close();
  await h.close();
});
