import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { it } from "vitest";
import { TmuxServer } from "../../src/terminals/tmux/server.ts";
import { tmuxProgram } from "../../src/terminals/tmux/tmux-program.ts";
import { processes, TmuxHarness } from "./tmux-harness.ts";
it("bench", async () => {
  const h = new TmuxHarness();
  const panes: string[] = [];
  for (let i = 0; i < 10; i++) panes.push(await h.rig.newSession({ name: `b${i}`, command: [process.execPath, "/tmp/tw/stamp.mjs", `${h.rig.folder}/log${i}`], cwd: h.rig.folder }));
  await new Promise((r) => setTimeout(r, 2000));
  const server = new TmuxServer(h.rig.socket, { clock: h.clock, processes, recognise: (t) => { const p = t.find((x) => x.argv.some((a) => a.endsWith("stamp.mjs"))); return p && { program: "x", process: p }; }, scratchFolder: h.rig.folder, nonce: () => Math.random().toString(16).slice(2).padEnd(16, "0"), program: tmuxProgram(process.env) });
  const scan = await server.scan(); if (scan.kind !== "scanned") throw new Error();
  const terms = scan.sightings.map((s) => ({ s, t: server.terminal(s.identity), i: panes.indexOf(s.identity.pane) }));
  await new Promise((r) => setTimeout(r, 3000));
  const run = (...a: string[]) => promisify(execFile)("tmux", ["-u", "-S", h.rig.socket, ...a]);
  const text = "x".repeat(188);
  const starts: { i: number; upto: number; at: bigint; kind: string }[] = []; const counts = new Array(10).fill(0);
  const calls: Record<string, number[]> = { gate: [], two: [], read: [], cap: [] };
  for (let k = 0; k < 200; k++) {
    const { t, s, i } = terms[k % 10]!;
    let t0 = performance.now();
    const screen = await t.read(); if (screen.kind !== "screen") throw new Error();
    calls.read!.push(performance.now() - t0);
    t0 = performance.now(); await run("capture-pane", "-e", "-p", "-t", s.identity.pane); calls.cap!.push(performance.now() - t0);
    const e = { panePid: s.identity.panePid, command: screen.screen.command, alternate: true, cursorHidden: true, cursor: { x: screen.screen.cursor.x, y: screen.screen.cursor.y }, quietForMs: 2000 };
    counts[i] += 194; starts.push({ i, upto: counts[i], at: process.hrtime.bigint(), kind: "gate" });
    t0 = performance.now();
    const o = await t.gate(e, [{ kind: "paste", text, bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }]);
    calls.gate!.push(performance.now() - t0);
    if (o.kind !== "sent") throw new Error(JSON.stringify(o));
    await new Promise((r) => setTimeout(r, 3));
    counts[i] += 189; starts.push({ i, upto: counts[i], at: process.hrtime.bigint(), kind: "two" });
    t0 = performance.now();
    await run("send-keys", "-t", s.identity.pane, "-l", text); await run("send-keys", "-t", s.identity.pane, "Enter");
    calls.two!.push(performance.now() - t0);
    await new Promise((r) => setTimeout(r, 3));
  }
  await new Promise((r) => setTimeout(r, 500));
  const logs = panes.map((_, i) => readFileSync(`${h.rig.folder}/log${i}`, "utf8").trim().split("\n").map((l) => l.split(" ")));
  const lat: Record<string, number[]> = { gate: [], two: [] };
  for (const x of starts) { const hit = logs[x.i]!.find(([n]) => Number(n) >= x.upto); if (hit) lat[x.kind]!.push(Number(BigInt(hit[1]!) - x.at) / 1e6); }
  const p50 = (x: number[]) => x.sort((a, b) => a - b)[Math.floor(x.length / 2)]!;
  console.log("call->program gate", p50(lat.gate!).toFixed(3), "two", p50(lat.two!).toFixed(3), "ratio", (p50(lat.gate!) / p50(lat.two!)).toFixed(3), " ms");
  console.log("call->answer gate", p50(calls.gate!).toFixed(3), "two", p50(calls.two!).toFixed(3), "ratio", (p50(calls.gate!) / p50(calls.two!)).toFixed(3), " ms");
  console.log("read", p50(calls.read!).toFixed(3), "capture spawn", p50(calls.cap!).toFixed(3), "ratio", (p50(calls.read!) / p50(calls.cap!)).toFixed(3), " ms");
  await server.close(); await h.close();
});
