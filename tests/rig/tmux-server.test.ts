import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { startTmuxServer, type TmuxServer } from "./tmux-server.ts";
import { attachTypist } from "./typist.ts";

it("shows what a person types, at the moment it is to start", async () => {
  const tmux = startTmuxServer();
  const pane = await tmux.newSession({ name: "cat", command: ["cat"], cwd: tmux.folder });
  const typist = await attachTypist({ tmux, pane });
  const startMs = performance.now() + 100;
  await typist.typeAt(startMs, "héllo 四\r", { charactersPerSecond: 100 });
  expect(performance.now()).toBeGreaterThan(startMs + 60);
  await tmux.waitForScreen(pane, (screen) => screen.startsWith("héllo 四\nhéllo 四\n"));
  await typist.close();
  await tmux.kill();
  expect(existsSync(tmux.folder)).toBe(false);
});

it("keeps a pane whose command has ended", async () => {
  const tmux = startTmuxServer();
  const pane = await tmux.newSession({ name: "gone", command: ["true"], cwd: tmux.folder });
  await tmux.waitForScreen(pane, (screen) => screen.includes("Pane is dead"));
  expect(await tmux.ask(pane, "#{pane_dead}")).toBe("1");
  await tmux.kill();
});

async function startDetached(tmux: TmuxServer, seconds: number): Promise<void> {
  const script = `setsid sh -c 'echo detached; exec sleep ${seconds}' & exec sleep 300`;
  const pane = await tmux.newSession({ name: "detached", command: ["bash", "-c", script], cwd: tmux.folder });
  await tmux.waitForScreen(pane, (screen) => screen.includes("detached"));
}

it("fails when something outlives it, and ends it", async () => {
  const tmux = startTmuxServer();
  await startDetached(tmux, 301);
  await expect(tmux.kill()).rejects.toThrow(/\d+ sleep 301/);
});

it("ends what is known to outlive it without a word", async () => {
  const tmux = startTmuxServer();
  tmux.expectDetached(/^sleep 302$/);
  await startDetached(tmux, 302);
  await tmux.kill();
});
