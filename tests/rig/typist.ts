import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import type { TmuxServer } from "./tmux-server.ts";

/** What a person does at a keyboard. */
export interface Hands {
  /** Types character by character, as a person does; `\r` is the Enter key. */
  type(text: string, pace?: Pace): Promise<void>;
  /** All bytes in one write. */
  press(bytes: string): void;
  /** Starts at this `performance.now()`, to the millisecond. */
  typeAt(startMs: number, text: string, pace?: Pace): Promise<void>;
}

export interface Typist extends Hands {
  /** Detaches; the session continues. */
  close(): Promise<void>;
}

export interface Pace {
  /** Default 25. Much above 50, Codex takes typing for a paste, and Enter for a newline in it. */
  readonly charactersPerSecond?: number;
}

export interface TypistOptions {
  readonly tmux: TmuxServer;
  /** A pane id or a session. */
  readonly pane: string;
  readonly cols?: number;
  readonly rows?: number;
}

const ATTACH_DEADLINE_MS = 120_000;
const MS_BETWEEN_LOOKS = 10;
// A timer may fire late, so the last part is a busy loop.
const TIMER_SLACK_MS = 3;

/** A person at a client that is attached to the pane's session. */
export async function attachTypist({ tmux, pane, cols = 120, rows = 40 }: TypistOptions): Promise<Typist> {
  const client = spawn("tmux", ["-u", "-S", tmux.socket, "attach-session", "-t", pane], {
    name: "xterm-256color",
    cols,
    rows,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", TERM: "xterm-256color", LANG: "C.UTF-8" },
  });
  const exited = new Promise<void>((resolve) => client.onExit(() => resolve()));
  // Unread output would stop the client.
  client.onData(() => {});
  await untilAttached(tmux, client.pid);

  return {
    ...handsOn((bytes) => client.write(bytes)),
    async close() {
      client.kill();
      await exited;
    },
  };
}

/** A typist for anything that takes bytes. */
export function handsOn(press: (bytes: string) => void): Hands {
  const type: Hands["type"] = async (text, { charactersPerSecond = 25 } = {}) => {
    let nextMs = performance.now();
    for (const character of text) {
      press(character);
      nextMs += 1000 / charactersPerSecond;
      const waitMs = nextMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
    }
  };
  return {
    type,
    press,
    async typeAt(startMs, text, pace) {
      await untilMoment(startMs);
      await type(text, pace);
    },
  };
}

/** To the millisecond, by `performance.now()`. */
export async function untilMoment(startMs: number): Promise<void> {
  const waitMs = startMs - TIMER_SLACK_MS - performance.now();
  if (waitMs > 0) await sleep(waitMs);
  while (performance.now() < startMs);
}

async function untilAttached(tmux: TmuxServer, clientPid: number): Promise<void> {
  const deadline = Date.now() + ATTACH_DEADLINE_MS;
  while (Date.now() < deadline) {
    const clients = await tmux.run("list-clients", "-F", "#{client_pid}");
    if (clients.split("\n").includes(String(clientPid))) return;
    await sleep(MS_BETWEEN_LOOKS);
  }
  throw new Error(`The typist's tmux client did not attach within ${ATTACH_DEADLINE_MS} ms.`);
}
