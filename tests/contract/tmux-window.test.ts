/** A program in a window of a real tmux, as that window's own command. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { tmuxProgram } from "../../src/terminals/tmux/control/tmux-program.ts";
import { openWindow } from "../../src/terminals/tmux/windows/new-window.ts";
import { findWindow, stopWindow } from "../../src/terminals/tmux/windows/own-window.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const ORDER = { sessionId: "08bc57cf", agent: "coder", folder: "/", environment: { BELLHOP_AGENT: "coder" } };
const program = tmuxProgram(process.env);

let tmux: TmuxServer;
let first: string;

beforeEach(async () => {
  tmux = startTmuxServer();
  first = await tmux.newSession({ name: "work", command: ["sleep", "600"], cwd: "/" });
});
afterEach(() => tmux.kill());

function open(command: readonly string[], more: object = {}): Promise<{ readonly pane: string }> {
  return openWindow(program, tmux.socket, { ...ORDER, ...more, command });
}

/** The end of its terminal comes first, how it ended a moment later. */
async function untilEnded(pane: string): Promise<void> {
  const ended = async () => {
    // Now and then tmux 3.3a does not notice that a child has ended before another one does.
    await tmux.run("run-shell", "true");
    return tmux.ask(pane, "#{pane_dead} #{pane_dead_status}");
  };
  await expect.poll(ended, { timeout: 180_000 }).toMatch(/^1 \d+$/u);
}

describe("a window with a command of its own", () => {
  it("runs it without a shell, in its folder, with our variables and none of a parent's", async () => {
    await tmux.run("set-environment", "-g", "CLAUDECODE", "1");
    const { pane } = await open(["sh", "-c", 'pwd; echo "$BELLHOP_AGENT/$CLAUDECODE/"; exec sleep 60']);
    await tmux.waitForScreen(pane, (screen) => /\/\ncoder\/\//.test(screen));
    expect(await tmux.ask(pane, "#{window_name} #{pane_current_command}")).toBe("coder sleep");
  });

  it("is still there when its program has ended, with what it showed last and how it ended", async () => {
    const { pane } = await open(["sh", "-c", "echo goodbye; read -r _; exit 3"]);
    await tmux.waitForScreen(pane, (screen) => screen.includes("goodbye"));
    await tmux.run("send-keys", "-t", pane, "Enter");
    await untilEnded(pane);
    // tmux pushes it up by a line when it writes that the program has ended.
    expect(await tmux.run("capture-pane", "-p", "-S", "-", "-t", pane)).toContain("goodbye");
    expect(await tmux.ask(pane, "#{pane_dead_status}")).toBe("3");
  });

  it("is still there when its program ends at once", async () => {
    const { pane } = await open(["sh", "-c", "exit 3"]);
    await untilEnded(pane);
    expect(await tmux.ask(pane, "#{pane_dead_status}")).toBe("3");
  });

  it("opens behind the window of whoever asks, and does not take their view", async () => {
    await tmux.newSession({ name: "other", command: ["sleep", "600"], cwd: "/" });
    const { pane } = await open(["sleep", "60"], { beside: first });
    expect(await tmux.ask(pane, "#{session_name}")).toBe("work");
    expect(await tmux.ask(first, "#{window_active}")).toBe("1");
    const index = async (of: string) => Number(await tmux.ask(of, "#{window_index}"));
    expect(await index(pane)).toBe((await index(first)) + 1);
  });

  it("takes words with tmux's own signs as they are", async () => {
    const words = ["a;b", "#{pid}", "x;", ";", "kill-server"];
    const { pane } = await open(["sh", "-c", 'printf "%s|" "$@"; exec sleep 60', "sh", ...words]);
    await tmux.waitForScreen(pane, (screen) => screen.includes("a;b|#{pid}|x;|;|kill-server|"));
  });

  it("says why there is none", async () => {
    await expect(
      openWindow(program, "/nowhere/at/all/tmux.sock", { ...ORDER, command: ["sleep", "60"] }),
    ).rejects.toMatchObject({ code: "tmux.command_failed" });
  });
});

describe("a window that was opened for a session", () => {
  const SESSION = { environment: { BELLHOP_SESSION_ID: ORDER.sessionId, BELLHOP_AGENT: "coder" } };
  const tools = { program, clock: systemClock, processes: processesOn(process.platform) };
  const stop = (sessionId = ORDER.sessionId, graceMs = 5_000) =>
    stopWindow(tools, tmux.socket, sessionId, graceMs);

  it("is ended in good order, stays to be read, and is used again", async () => {
    const { pane } = await open(
      ["sh", "-c", 'trap "echo tidied up; exit 0" TERM; echo ready; while :; do sleep 0.05; done'],
      SESSION,
    );
    await tmux.waitForScreen(pane, (screen) => screen.includes("ready"));
    expect(await stop("00000000")).toBe("absent");
    expect(await stop()).toBe("stopped");
    expect(await tmux.run("capture-pane", "-p", "-S", "-", "-t", pane)).toContain("tidied up");
    expect(await stop()).toBe("absent");
    expect(await findWindow(program, tmux.socket, ORDER.sessionId)).toMatchObject({ pane, state: "over" });
    const again = await open(["sh", "-c", "echo again; exec sleep 60"], SESSION);
    expect(again.pane).toBe(pane);
    await tmux.waitForScreen(pane, (screen) => screen.includes("again"));
  });

  it("is killed with all it started when it does not end, and a new one is opened when it is gone", async () => {
    const { pane } = await open(["sh", "-c", 'trap "" TERM HUP; echo ready; sleep 600; sleep 600'], SESSION);
    await tmux.waitForScreen(pane, (screen) => screen.includes("ready"));
    expect(await stop(ORDER.sessionId, 200)).toBe("stopped");
    await tmux.run("kill-pane", "-t", pane);
    const again = await open(["sleep", "60"], SESSION);
    expect(again.pane).not.toBe(pane);
  });
});
