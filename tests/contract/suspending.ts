/** Suspends a program that runs under a shell, and resumes it, as job control does. */
import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Processes } from "../../src/ports/processes.ts";
import type { TerminalIdentity } from "../../src/ports/terminal.ts";
import { frontLogOf, type ProgramPeer } from "./program-peer.ts";
import { POLL } from "./terminal-harness.ts";

export async function suspend(
  { agentPid, agentStartedAt, panePid }: TerminalIdentity,
  processes: Processes,
  how: "stopped" | "continued-behind",
): Promise<{ readonly undo: () => Promise<void> }> {
  const standing = () => processes.standing({ pid: agentPid, startedAt: agentStartedAt }, panePid);
  const inFront = async () => (await processes.tree(panePid)).find(({ command }) => command === "cat");
  process.kill(agentPid, "SIGSTOP");
  await expect.poll(inFront, POLL).toMatchObject({ foreground: true });
  // In the background it stops by itself as soon as it touches the terminal.
  if (how === "continued-behind") process.kill(agentPid, "SIGCONT");
  expect(["stopped", "behind"]).toContain(await standing());
  return {
    async undo() {
      const cat = await inFront();
      if (cat !== undefined) process.kill(cat.pid, "SIGTERM");
      const back = async () => {
        const now = await standing();
        // It may have stopped for touching the terminal just when the shell took it for running and sent it no signal.
        if (now === "stopped" && (await inFront()) === undefined) process.kill(agentPid, "SIGCONT");
        return now;
      };
      await expect.poll(back, POLL).toBe("in-front");
    },
  };
}

export function readInFront(peer: ProgramPeer): string {
  const log = frontLogOf(peer);
  return existsSync(log) ? readFileSync(log, "utf8") : "";
}
