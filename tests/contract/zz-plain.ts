import { ControlConnection } from "../../src/terminals/tmux/control.ts";
import { tmuxProgram } from "../../src/terminals/tmux/tmux-program.ts";
import { gateFormat, reportFormat } from "../../src/terminals/tmux/gate.ts";
import { gateCommands } from "../../src/terminals/tmux/gate-step.ts";
import { planStrokes } from "../../src/terminals/tmux/strokes.ts";
import { quote } from "../../src/terminals/tmux/quote.ts";
import { processes, TmuxHarness } from "./tmux-harness.ts";
  const h = new TmuxHarness();
  const panes = [];
  for (let i = 0; i < 10; i++) panes.push(await h.rig.newSession({ name: `b${i}`, command: [process.execPath, "/tmp/tw/stamp.mjs", `${h.rig.folder}/log${i}`], cwd: h.rig.folder }));
  await new Promise((r) => setTimeout(r, 2500));
  const c = new ControlConnection({ program: tmuxProgram(process.env), socket: h.rig.socket, session: "b1", flags: ["ignore-size", "no-output"], nonce: "0123456789abcdef", clock: h.clock, attachDeadlineMs: 5000, onEvent: () => {} });
  await c.attached;
  const pane = panes[3]!;
  const [pid, command, win, x, y] = (await h.rig.ask(pane, "#{pane_pid} #{pane_current_command} #{window_id} #{cursor_x} #{cursor_y}")).split(" ");
  const e = { panePid: Number(pid), command: command!, alternate: true, cursorHidden: true, cursor: { x: Number(x), y: Number(y) }, quietForMs: 2000 };
  const place = { windowId: win!, now: h.clock.now() };
  const text = "x".repeat(188);
  const strokes = [{ kind: "paste", text, bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }] as const;
  const plan = planStrokes(strokes, { pane, name: "bh-y", folder: "/x" });
  const cut = Math.floor((place.now - 2000) / 1000);
  const typing = `#{?#{==:#{window_linked_sessions},1},#{?#{e|>=:#{session_activity},${cut}},x,},#{S:#{?#{e|>=:#{session_activity},${cut}},#{W:#{?#{==:#{window_id},${win}},x,}},}}}`;
  const one = `#{==:#{?pane_dead,d,}#{?pane_in_mode,m,}#{?pane_synchronized,s,}#{?pane_input_off,i,}#{pane_pid}/#{?alternate_on,a,}#{?cursor_flag,c,}/#{cursor_x}/#{cursor_y}/#{window_id}/${typing}/#{pane_current_command},${pid}/a/${x}/${y}/${win}//${command}}`;
  const G = gateFormat(e, place);
  const I = (g: string, yes: string, no: string) => `if-shell -F -t ${pane} ${quote(g)} ${quote(yes)} ${quote(no)}`;
  const yes = [...plan.type, "display-message -p SENT"].join(" ; ");
  const report = `display-message -p -t ${pane} ${quote("HELD " + reportFormat(e, place))}`;
  const tests: Record<string, string> = {
    ping: "display-message -p x",
    ifTrue: I("1", "display-message -p SENT", "display-message -p HELD"),
    ifAll: I(G, "display-message -p SENT", "display-message -p HELD"),
    ifOne: I(one, "display-message -p SENT", "display-message -p HELD"),
    paste: `${plan.prepare[0]} ; ${plan.type.join(" ; ")}`,
    gate: gateCommands(pane, e, place, plan),
    gateOne: `${plan.prepare[0]} ; ${I(one, yes, `delete-buffer -b bh-y ; ${report}`)}`,
    gateOneShort: `${plan.prepare[0]} ; ${I(one, yes, `delete-buffer -b bh-y ; display-message -p HELD`)}`,
    gateTrue: `${plan.prepare[0]} ; ${I("1", yes, `delete-buffer -b bh-y ; display-message -p HELD`)}`,
  };
  console.log(JSON.stringify(await c.run(tests.gate!, 5000)), JSON.stringify(await c.run(tests.gateOne!, 5000)));
  const r: Record<string, number[]> = {};
  for (let i = 0; i < 400; i++) for (const [k, f] of Object.entries(tests)) { const t = performance.now(); await c.run(f, 5000); (r[k] ??= []).push(performance.now() - t); }
  for (const [k, v] of Object.entries(r)) { v.sort((a, b) => a - b); console.log(k.padEnd(12), v[40]!.toFixed(3), v[200]!.toFixed(3), "ms"); }
  await c.close();
  await h.close();
