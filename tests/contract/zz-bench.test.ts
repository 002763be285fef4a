import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { it } from "vitest";
import { TmuxHarness } from "./tmux-harness.ts";
it("bench", async () => {
  const h = new TmuxHarness();
  const panes = [];
  for (let i = 0; i < 10; i++) panes.push(await h.open({ alternate: true, hideCursor: true }));
  await new Promise((r) => setTimeout(r, 3000));
  const run = (...a: string[]) => promisify(execFile)("tmux", ["-u", "-S", h.rig.socket, ...a]);
  const text = "x".repeat(188);
  const s = { read: [] as number[], spawnRead: [] as number[], gate: [] as number[], gateToProgram: [] as number[], two: [] as number[], twoToProgram: [] as number[] };
  const time = async (to: number[], f: () => Promise<unknown>) => { const t = performance.now(); await f(); to.push(performance.now() - t); };
  for (let i = 0; i < 150; i++) {
    const p = panes[i % 10]!;
    const screen = await p.terminal.read();
    if (screen.kind !== "screen") throw new Error("x");
    await time(s.read, () => p.terminal.read());
    await time(s.spawnRead, () => run("capture-pane", "-e", "-p", "-t", p.pane));
    const n = (await p.received(0)).length;
    const e = { panePid: p.panePid, command: screen.screen.command, alternate: true, cursorHidden: true, cursor: { x: screen.screen.cursor.x, y: screen.screen.cursor.y }, quietForMs: 2000 };
    let t = performance.now();
    const o = await p.terminal.gate(e, [{ kind: "paste", text, bracketed: false }, { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }]);
    s.gate.push(performance.now() - t);
    await p.received(n + 194);
    s.gateToProgram.push(performance.now() - t);
    if (o.kind !== "sent") throw new Error(JSON.stringify(o));
    t = performance.now();
    await run("send-keys", "-t", p.pane, "-l", text);
    await run("send-keys", "-t", p.pane, "Enter");
    s.two.push(performance.now() - t);
    await p.received(n + 194 + 189);
    s.twoToProgram.push(performance.now() - t);
  }
  const p50 = (x: number[]) => x.sort((a, b) => a - b)[Math.floor(x.length / 2)]!;
  for (const [k, v] of Object.entries(s)) console.log(k, p50(v).toFixed(3), "ms");
  const t0 = performance.now(); for (let i = 0; i < 20; i++) await h.server.scan(); console.log("scan 10 panes", ((performance.now() - t0) / 20).toFixed(2));
  await h.close();
});
