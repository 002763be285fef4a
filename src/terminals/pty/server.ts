/** All hosts of this home: finds them by their records, opens their terminals, starts and stops them. */
import { mkdirSync } from "node:fs";
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HostFacts, HostOrder, Hosts } from "../../ports/hosts.ts";
import type { Log } from "../../ports/log.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Recognise } from "../../ports/profile.ts";
import type {
  AnnounceOutcome,
  Attended,
  ScanOutcome,
  Sighting,
  TellingHow,
  Terminal,
  TerminalIdentity,
  TerminalServer,
} from "../../ports/terminal.ts";
import type { HostRecord } from "../../wire/host/host.ts";
import { HostLink } from "./host-link.ts";
import { checkStart, type HostProgram, startHost } from "./host-process.ts";
import { Orphans } from "./orphans.ts";
import { isTaken, untilReachable } from "./reaching.ts";
import { readRecord, recordPath, removeFiles, sessionsWithRecord } from "./records.ts";
import { stopHost } from "./stopping.ts";
import { hostedTerminal } from "./terminal.ts";

export interface PtyTools {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly recognise: Recognise;
  /** Where hosts write their records; readable by the owner only (0700). */
  readonly folder: string;
  /** Where the host of a session is reached. */
  socketOf(sessionId: string): string;
  readonly program: HostProgram;
  readonly log: Pick<Log, "warn">;
  readonly scrollback?: number;
}

/** All hosted terminals belong to one "server". */
export const PTY_SERVER = "pty";
const SCROLLBACK = 1_000;
const LOOK_EVERY_MS = 50;
const LEAVES_WITHIN_MS = 5_000;

export class PtyServer implements TerminalServer, Omit<Hosts, "openWindow" | "stopWindow"> {
  readonly name = PTY_SERVER;
  readonly #tools: PtyTools;
  readonly #links = new Map<string, HostLink>();
  readonly #listeners = new Set<() => void>();
  readonly #orphans: Orphans;
  /** Sessions whose unreadable record has already been reported. */
  readonly #unreadable = new Set<string>();

  constructor(tools: PtyTools) {
    this.#tools = tools;
    this.#orphans = new Orphans(tools.processes, tools.clock);
    mkdirSync(tools.folder, { recursive: true, mode: 0o700 });
  }

  async scan(): Promise<ScanOutcome> {
    try {
      const sightings: Sighting[] = [];
      for (const id of await sessionsWithRecord(this.#tools.folder)) {
        const sighting = await this.#sight(id);
        if (sighting !== undefined) sightings.push(sighting);
      }
      return { kind: "scanned", sightings, serverPid: process.pid };
    } catch (error) {
      return { kind: "unknown", cause: String(error) };
    }
  }

  terminal(identity: TerminalIdentity): Terminal {
    const link = this.#links.get(identity.pane);
    if (link === undefined) throw new Error(`no host was sighted for ${identity.pane}`);
    const agent = { pid: identity.agentPid, startedAt: identity.agentStartedAt };
    return hostedTerminal({ kind: "pty", server: this.name, pane: identity.pane }, link, {
      identity: agent,
      standing: () => this.#tools.processes.standing(agent, identity.panePid),
    });
  }

  /** Shows a line in the bar of everyone who is attached. */
  async tell(text: string, { line, except }: TellingHow): Promise<AnnounceOutcome> {
    if (!line) return { kind: "shown", to: 0 };
    const links = [...this.#links].filter(([id]) => id !== except);
    const told = links.map(async ([, link]) => {
      const answer = await link.ask({ type: "announce", text });
      return typeof answer === "object" && answer.type === "announced" && answer.to !== "nobody-left"
        ? answer.to
        : 0;
    });
    return { kind: "shown", to: (await Promise.all(told)).reduce((sum, one) => sum + one, 0) };
  }

  /** When they pressed a key is the hosts' own knowledge. */
  async attended(): Promise<Attended | undefined> {
    const viewers = [...this.#links.values()].map((link) => link.viewers);
    const people = viewers.reduce((sum: number, one) => sum + (one ?? 0), 0);
    return people === 0 && viewers.includes(undefined) ? undefined : { people };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    this.#orphans.close();
  }

  async check({ command, folder, environment }: Parameters<Hosts["check"]>[0]): Promise<void> {
    checkStart(command, folder, environment.PATH ?? "");
  }

  async start(order: HostOrder): Promise<void> {
    const { folder, program, clock, scrollback = SCROLLBACK } = this.#tools;
    const { columns, ...rest } = order;
    await this.#untilLeft(order);
    await this.forget(order.sessionId);
    const socket = this.#tools.socketOf(order.sessionId);
    if (isTaken(socket)) throw inTheWay(order.agent, socket);
    await startHost(
      { ...rest, cols: columns, scrollback, socket, record: recordPath(folder, order.sessionId) },
      program,
      folder,
      clock,
    );
    this.#tell();
  }

  /** The previous host lingers for its last readers, then removes its socket file, not its successor's. */
  async #untilLeft({ sessionId, agent }: HostOrder): Promise<void> {
    const { folder, clock } = this.#tools;
    const found = await readRecord(folder, sessionId);
    if (found.kind !== "record") return;
    const until = clock.monotonic() + LEAVES_WITHIN_MS;
    while ((await this.#isAlive(found.record)) === "alive") {
      if (clock.monotonic() > until) {
        throw new BellhopError("host.start_failed", {
          message: `The previous terminal of "${agent}" is not gone yet.`,
          next: "Try again in a moment.",
        });
      }
      await new Promise<void>((wake) => {
        clock.after(LOOK_EVERY_MS, wake);
      });
    }
  }

  async facts(id: string): Promise<HostFacts | undefined> {
    const found = await readRecord(this.#tools.folder, id);
    if (found.kind !== "record") return undefined;
    const { exit, lastScreen, lastLines } = found.record;
    if (exit !== undefined) {
      return { state: "exited", exit, ...present({ lastScreen, lastLines }) };
    }
    return { state: (await this.#isAlive(found.record)) === "gone" ? "lost" : "running" };
  }

  async grant(id: string): Promise<{ readonly socket: string; readonly token: string } | undefined> {
    const record = await this.#running(id);
    if (record === undefined || (await this.#isAlive(record)) === "gone") return undefined;
    const { agent, socket, token } = record;
    const reach = await untilReachable(record, this.#tools);
    if (reach === "reachable") return { socket, token };
    // A host records that its program has ended before it removes its socket.
    if ((await this.#running(id)) === undefined) return undefined;
    if (reach === "taken") throw outOfReach(agent, socket);
    throw new BellhopError("terminal.unreadable", {
      message: `The host of "${agent}" is running but cannot be reached: its socket is gone, and it does not create it again.`,
      next: `Restart it with "bellhop restart ${agent}", or stop it with "bellhop stop ${agent}".`,
    });
  }

  async stop(id: string, graceMs: number): Promise<"stopped" | "running" | "absent"> {
    const record = await this.#running(id);
    if (record === undefined) return "absent";
    const { clock, processes } = this.#tools;
    const outcome = await stopHost(record, graceMs, {
      clock,
      processes,
      link: this.#link(record),
      orphans: this.#orphans,
      facts: () => this.facts(id),
    });
    if ((await this.facts(id))?.state === "lost") await this.#clearUpAfter(record);
    return outcome;
  }

  /** Removes the socket file of a host that was killed and could not remove it. */
  async #clearUpAfter({ sessionId, token, socket }: HostRecord): Promise<void> {
    const now = await readRecord(this.#tools.folder, sessionId);
    // Not if a successor has taken its place.
    if (now.kind !== "record" || now.record.token !== token || isTaken(socket)) return;
    await removeFiles([socket]);
  }

  /** Undefined if none was started or its program has ended. A host with an unreadable record may still run. */
  async #running(id: string): Promise<HostRecord | undefined> {
    const found = await readRecord(this.#tools.folder, id);
    if (found.kind === "record") return found.record.exit === undefined ? found.record : undefined;
    if (found.kind === "absent") return undefined;
    throw new BellhopError("terminal.unreadable", {
      message: `The terminal of session ${id} cannot be identified: ${found.cause}.`,
      next: "Use the bellhop that started it; or end its program and remove its file from the hosts folder.",
    });
  }

  async forget(id: string): Promise<void> {
    const { folder, socketOf } = this.#tools;
    const socket = socketOf(id);
    await removeFiles([recordPath(folder, id), ...(isTaken(socket) ? [] : [socket])]);
  }

  async #sight(id: string): Promise<Sighting | undefined> {
    const found = await readRecord(this.#tools.folder, id);
    // A host with an unreadable record cannot be reached, but it is reported gone only once its process is.
    if (found.kind === "unreadable" && !this.#unreadable.has(id)) {
      this.#unreadable.add(id);
      this.#tools.log.warn("host.record_unreadable", { session: id, cause: found.cause });
    }
    if (found.kind !== "record") return undefined;
    const { record } = found;
    const isGone = record.exit === undefined && (await this.#isAlive(record)) === "gone";
    if (isGone) {
      this.#orphans.sighted(record);
      await this.#clearUpAfter(record);
    }
    if (isGone || record.exit !== undefined) {
      this.#drop(id);
      return undefined;
    }
    const { title } = this.#link(record);
    const tree = await this.#tools.processes.tree(record.programPid);
    // One session per terminal: it belongs to the program that was there first, even while another runs in front of it.
    const programs = this.#tools.recognise(tree);
    const known = programs.toSorted((a, b) => tree.indexOf(a.process) - tree.indexOf(b.process))[0];
    const agent = known?.process ?? tree.find(({ pid }) => pid === record.programPid);
    return {
      identity: {
        kind: "pty",
        server: this.name,
        serverPid: record.hostPid,
        serverStartedAt: record.hostStartedAt,
        pane: id,
        panePid: record.programPid,
        agentPid: agent?.pid ?? record.programPid,
        agentStartedAt: agent?.startedAt ?? record.programStartedAt,
      },
      program: known?.program ?? UNKNOWN_PROGRAM,
      label: `pty:${record.agent}`,
      title,
      folder: record.folder,
      agentArgv: agent?.argv ?? record.command,
    };
  }

  #isAlive({ hostPid, hostStartedAt }: HostRecord): Promise<"alive" | "gone" | "unknown"> {
    return this.#tools.processes.alive(hostPid, hostStartedAt);
  }

  #link(record: HostRecord): HostLink {
    const known = this.#links.get(record.sessionId);
    if (known !== undefined && known.record.token === record.token) return known;
    known?.close();
    const link = new HostLink(record, this.#tools.clock, async () => {
      const { socket } = record;
      if ((await untilReachable(record, this.#tools)) === "taken")
        throw new Error(`${socket} is no longer a socket; remove it`);
    });
    link.onState((state) => {
      if (state.exit !== null) this.#tell();
    });
    link.onLost(() => this.#tell());
    this.#links.set(record.sessionId, link);
    return link;
  }

  #drop(id: string): void {
    this.#links.get(id)?.close();
    this.#links.delete(id);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function outOfReach(agent: string, socket: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `The host of "${agent}" is running but cannot be reached: ${socket} is not its socket.`,
    next: `Remove that file, and the host listens there again; or stop it with "bellhop stop ${agent}".`,
  });
}

function inTheWay(agent: string, socket: string): BellhopError {
  return new BellhopError("host.start_failed", {
    message: `The terminal for "${agent}" did not start: ${socket} is not a socket.`,
    next: "Remove that file, and try again.",
  });
}
