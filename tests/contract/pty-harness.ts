import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Sighting } from "../../src/ports/terminal.ts";
import { processesOn, standingOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { type HostDoor, welcome } from "../../src/terminals/pty/host/door.ts";
import { Host } from "../../src/terminals/pty/host/host.ts";
import { recordPath } from "../../src/terminals/pty/records.ts";
import { PtyServer } from "../../src/terminals/pty/server.ts";
import { HOST_VERSION, type HostRecord } from "../../src/wire/host/host.ts";
import { HostViewer } from "../rig/host-viewer.ts";
import { commandFor, ProgramPeer } from "./program-peer.ts";
import { readInFront, suspend } from "./suspending.ts";
import type {
  AttachedPerson,
  OpenedTerminal,
  ProgramOptions,
  Provocation,
  TerminalHarness,
} from "./terminal-harness.ts";
import { recogniseEcho } from "./tmux-harness.ts";

/** A host in this process, reached over its real socket, with a real program in a real PTY. */
export class PtyHarness implements TerminalHarness {
  /** A hosted terminal has no copy mode, no synchronised panes, and no way to switch off its input. */
  readonly without = new Set<Provocation>(["mode", "synchronised", "input-off"]);
  readonly #folder = mkdtempSync(join(tmpdir(), "bh-pty-"));
  readonly #closers: (() => unknown)[] = [];
  readonly processes = processesOn(process.platform);
  /** As the daemon composes it, except that the hosts are in this process. */
  readonly #server = new PtyServer({
    clock: systemClock,
    processes: this.processes,
    recognise: recogniseEcho,
    folder: this.#folder,
    socketOf: (sessionId) => join(this.#folder, `${sessionId}.sock`),
    program: { entry: "/nowhere", logs: this.#folder },
    log: { warn: () => {} },
  });
  #opened = 0;

  async open(program: ProgramOptions = {}): Promise<OpenedTerminal> {
    this.#opened += 1;
    const name = this.#opened.toString(16).padStart(8, "0");
    const peer = await ProgramPeer.listen(join(this.#folder, `${name}.peer`));
    const socket = join(this.#folder, `${name}.sock`);
    const door: { -readonly [K in keyof HostDoor]: HostDoor[K] } = {
      host: undefined as unknown as Host,
      token: "secret",
      sessionId: name,
      agent: name,
      daemons: new Set(),
      viewers: new Set(),
    };
    const host = new Host({
      spec: {
        sessionId: name,
        agent: name,
        command: commandFor(program, peer),
        folder: this.#folder,
        environment: { PATH: process.env.PATH ?? "" },
        cols: 80,
        rows: 24,
        scrollback: 100,
        socket,
        record: join(this.#folder, `${name}.json`),
      },
      monotonic: () => performance.now(),
      now: () => Date.now(),
      standing: standingOn(process.platform),
      pause: async (ms) => {
        await pause(ms);
      },
      onChange: () => {
        for (const daemon of door.daemons) daemon.changed();
      },
      onState: () => {
        for (const one of [...door.daemons, ...door.viewers]) one.state();
      },
    });
    door.host = host;
    const server: Server = createServer((connection) => welcome(connection, door));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    await peer.ready();
    const record: HostRecord = {
      version: HOST_VERSION,
      sessionId: name,
      agent: name,
      command: ["echo"],
      folder: this.#folder,
      socket,
      token: "secret",
      hostPid: process.pid,
      hostStartedAt: await this.#startOf(process.pid),
      programPid: host.programPid,
      programStartedAt: await this.#startOf(host.programPid),
      startedAt: 0,
    };
    writeFileSync(recordPath(this.#folder, name), JSON.stringify(record), { mode: 0o600 });
    const { identity } = await this.#sight(name);
    const terminal = this.#server.terminal(identity);
    const viewers: HostViewer[] = [];
    const attachPerson = async (): Promise<AttachedPerson> => {
      const viewer = await HostViewer.attach(socket, "secret", { cols: 80, rows: 24 });
      viewers.push(viewer);
      return viewer;
    };
    this.#closers.push(async () => {
      for (const viewer of viewers) viewer.close();
      await host.stop(0);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await peer.close();
    });
    return {
      terminal,
      panePid: host.programPid,
      identity,
      show: (lines, cursor = { x: 0, y: 0 }) =>
        peer.print(`\x1b[0m\x1b[2J\x1b[H${lines.join("\r\n")}\x1b[${cursor.y + 1};${cursor.x + 1}H`),
      received: (atLeastBytes) => peer.received(atLeastBytes),
      suspend: (how) => suspend(identity, this.processes, how),
      readInFront: () => readInFront(peer),
      attachPerson,
      async provoke(reason) {
        if (reason !== "typing") throw new Error(`a hosted terminal cannot be ${reason}`);
        const person = await attachPerson();
        const { length } = await peer.received(0);
        person.press("k");
        await peer.received(length + 1);
        return { undo: async () => {} };
      },
      destroy: () => host.stop(0),
    };
  }

  async #startOf(pid: number): Promise<string> {
    const found = await this.processes.identify(pid);
    if (found === "gone") throw new Error(`process ${pid} is gone`);
    return found.startedAt;
  }

  async #sight(sessionId: string): Promise<Sighting> {
    const scan = await this.#server.scan();
    const sightings = scan.kind === "scanned" ? scan.sightings : [];
    const sighting = sightings.find(({ identity }) => identity.pane === sessionId);
    if (sighting === undefined) throw new Error(`not sighted: ${JSON.stringify(scan)}`);
    return sighting;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await Promise.all(this.#closers.map((close) => close()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
