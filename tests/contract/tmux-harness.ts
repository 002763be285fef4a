import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/ports/clock.ts";
import type { Processes } from "../../src/ports/processes.ts";
import type { Recognise } from "../../src/ports/profile.ts";
import type { Sighting } from "../../src/ports/terminal.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { type TmuxProgram, tmuxProgram } from "../../src/terminals/tmux/control/tmux-program.ts";
import { TmuxServer } from "../../src/terminals/tmux/server.ts";
import { startTmuxServer, type TmuxServer as TmuxRig } from "../rig/tmux-server.ts";
import { attachTypist, type Typist } from "../rig/typist.ts";
import { commandFor, ProgramPeer } from "./program-peer.ts";
import { readInFront, suspend } from "./suspending.ts";
import type { OpenedTerminal, ProgramOptions, Provocation, TerminalHarness } from "./terminal-harness.ts";

/** Far enough from every attach and every new session, which count as activity. */
const AHEAD_MS = 3_600_000;

/**
 * Runs as the real one does; its wall time can be ahead, so that what just happened is long ago, and its deadlines
 * can come sooner, so that no test waits for them.
 */
export class TestClock implements Clock {
  aheadMs = 0;
  hurry = 1;

  now(): number {
    return Date.now() + this.aheadMs;
  }

  monotonic(): number {
    return performance.now();
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = setTimeout(call, delayMs / this.hurry);
    return () => clearTimeout(timer);
  }
}

export interface OpenedPane extends OpenedTerminal {
  readonly pane: string;
  readonly session: string;
  readonly peer: ProgramPeer;
  readonly sighting: Sighting;
}

export const processes = processesOn(process.platform);

/** A private tmux server with the adapter over it. */
export class TmuxHarness implements TerminalHarness {
  readonly processes = processes;
  readonly clock = new TestClock();
  readonly rig: TmuxRig;
  readonly server: TmuxServer;
  readonly scratchFolder: string;
  readonly #peers: ProgramPeer[] = [];
  readonly #typists: Typist[] = [];
  #sessions = 0;

  constructor() {
    this.clock.aheadMs = AHEAD_MS;
    this.rig = startTmuxServer();
    this.scratchFolder = join(this.rig.folder, "scratch #{pid}; x");
    this.server = this.newAdapter();
  }

  newAdapter(changes: { processes?: Processes; program?: TmuxProgram } = {}): TmuxServer {
    mkdirSync(this.scratchFolder, { recursive: true, mode: 0o700 });
    return new TmuxServer(this.rig.socket, {
      clock: this.clock,
      processes,
      recognise: recogniseEcho,
      scratchFolder: this.scratchFolder,
      nonce: () => randomBytes(8).toString("hex"),
      program: tmuxProgram(process.env),
      ...changes,
    });
  }

  async open(program: ProgramOptions = {}, size: { cols?: number; rows?: number } = {}): Promise<OpenedPane> {
    this.#sessions += 1;
    const session = `s${this.#sessions}`;
    const peer = await ProgramPeer.listen(join(this.rig.folder, `peer-${session}`));
    this.#peers.push(peer);
    const command = commandFor(program, peer);
    const pane = await this.rig.newSession({ name: session, command, cwd: this.rig.folder, ...size });
    await peer.ready();
    const sighting = await this.sight(pane);
    return {
      terminal: this.server.terminal(sighting.identity),
      panePid: sighting.identity.panePid,
      identity: sighting.identity,
      pane,
      session,
      peer,
      sighting,
      show: (lines, cursor = { x: 0, y: 0 }) =>
        peer.print(`\x1b[0m\x1b[2J\x1b[H${lines.join("\r\n")}\x1b[${cursor.y + 1};${cursor.x + 1}H`),
      received: (atLeastBytes) => peer.received(atLeastBytes),
      suspend: (how) => suspend(sighting.identity, this.processes, how),
      readInFront: () => readInFront(peer),
      attachPerson: () => this.attachPerson(pane),
      provoke: (reason) => this.#provoke(pane, session, peer, reason),
      destroy: async () => {
        await this.rig.run("kill-pane", "-t", pane);
      },
    };
  }

  async sight(pane: string): Promise<Sighting> {
    const scan = await this.server.scan();
    if (scan.kind !== "scanned") throw new Error(`no scan: ${JSON.stringify(scan)}`);
    const sighting = scan.sightings.find((each) => each.identity.pane === pane);
    if (sighting === undefined) throw new Error(`${pane} was not sighted`);
    return sighting;
  }

  /** A person at a client of their own. */
  async attachPerson(pane: string, size: { cols?: number; rows?: number } = {}): Promise<Typist> {
    const typist = await attachTypist({ tmux: this.rig, pane, ...size });
    this.#typists.push(typist);
    return typist;
  }

  async #provoke(
    pane: string,
    session: string,
    peer: ProgramPeer,
    reason: Provocation,
  ): Promise<{ undo: () => Promise<void> }> {
    const run = async (...args: string[]) => {
      await this.rig.run(...args);
    };
    switch (reason) {
      case "mode":
        await run("copy-mode", "-t", pane);
        return { undo: () => run("send-keys", "-t", pane, "-X", "cancel") };
      case "synchronised":
        await run("set-option", "-w", "-t", session, "synchronize-panes", "on");
        return { undo: () => run("set-option", "-w", "-t", session, "synchronize-panes", "off") };
      case "input-off":
        await run("select-pane", "-d", "-t", pane);
        return { undo: () => run("select-pane", "-e", "-t", pane) };
      case "typing": {
        const person = await this.attachPerson(pane);
        const { length } = await peer.received(0);
        person.press("k");
        await peer.received(length + 1);
        const before = this.clock.aheadMs;
        this.clock.aheadMs = 0;
        return {
          undo: async () => {
            this.clock.aheadMs = before;
          },
        };
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#typists.map((typist) => typist.close().catch(() => undefined)));
    await this.server.close();
    await Promise.all(this.#peers.map((peer) => peer.close()));
    await this.rig.kill();
  }
}

export const recogniseEcho: Recognise = (tree) => {
  const process = tree.find(({ argv }) => argv[1]?.endsWith("echo-program.mjs") === true);
  return process === undefined ? [] : [{ program: "echo", process }];
};
