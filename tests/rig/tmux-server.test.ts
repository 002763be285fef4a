import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTmuxServer, type TmuxServer } from "./tmux-server.ts";
import { attachTypist } from "./typist.ts";

let tmux: TmuxServer;

beforeEach(() => {
  tmux = startTmuxServer();
});

afterEach(() => tmux.kill());

it("shows what a person types, at the moment it is to start", async () => {
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
  const pane = await tmux.newSession({ name: "gone", command: ["sleep", "0.2"], cwd: tmux.folder });
  // Do not check the screen: tmux 3.3a draws "Pane is dead" only once it reaps the process, which may be much later.
  await expect.poll(() => tmux.ask(pane, "#{pane_dead}"), { timeout: 180_000 }).toBe("1");
});

async function startDetached(seconds: number): Promise<void> {
  const script = `setsid sh -c 'echo detached; exec sleep ${seconds}' & exec sleep 300`;
  const pane = await tmux.newSession({ name: "detached", command: ["bash", "-c", script], cwd: tmux.folder });
  await tmux.waitForScreen(pane, (screen) => screen.includes("detached"));
}

it("fails when something outlives it, and ends it", async () => {
  await startDetached(301);
  await expect(tmux.kill(2_000)).rejects.toThrow(/\d+ sleep 301/);
});

it("ends what is known to outlive it without a word", async () => {
  tmux.expectDetached(/^sleep 302$/);
  await startDetached(302);
  await tmux.kill();
});
