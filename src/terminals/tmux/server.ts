import { assertNever } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import type { Recognise } from "../../ports/profile.ts";
import type {
  AnnounceOutcome,
  Attended,
  ScanHow,
  ScanOutcome,
  TellingHow,
  Terminal,
  TerminalIdentity,
  TerminalServer,
} from "../../ports/terminal.ts";
import { AttachTurn } from "./control/attach-turn.ts";
import { OutputClients } from "./control/output-clients.ts";
import { type OpenLink, ServerLink } from "./control/server-link.ts";
import { listeningOrder } from "./control/session-choice.ts";
import { type SocketOptions, tmuxSockets } from "./control/sockets.ts";
import type { Survivors } from "./control/survivors.ts";
import { type TmuxProgram, tmuxProgram } from "./control/tmux-program.ts";
import { type FoundPane, findPrograms, LastLayout, type Layout, SCAN_COMMANDS } from "./discover.ts";
import { KnownPanes } from "./known-panes.ts";
import { type ClientOwner, endLeftovers, OWNER_VARIABLE } from "./leftovers.ts";
import { PaneChanges } from "./screen/pane-changes.ts";
import { TmuxTerminal } from "./terminal.ts";
import { Keyboards } from "./viewing/keyboards.ts";
import { ViewClients } from "./viewing/view-clients.ts";
import { announceCommands, readAnnounced } from "./windows/announcement.ts";
import { ATTENDED_COMMAND, readAttended } from "./windows/attended.ts";
import { peopleCommands, readPeople, ringAt } from "./windows/telling.ts";

export interface TmuxTools {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly recognise: Recognise;
  /** An existing folder that only we can access (0700), for large pastes. */
  readonly scratchFolder: string;
  /** Sixteen or more random hex digits, new at each call. */
  nonce(): string;
  readonly program?: TmuxProgram;
  /** If set, clients left behind by an earlier daemon of the same owner are ended. */
  readonly owner?: ClientOwner;
  /** If set, clients are ended even if this process is killed. */
  readonly survivors?: Pick<Survivors, "watch">;
}

const SCAN_DEADLINE_MS = 10_000;
const TELL_DEADLINE_MS = 2_000;

/** After one of these, a program may have started, ended or changed its label. */
const STRUCTURAL = new Set([
  ...["sessions-changed", "session-renamed", "window-add", "window-close", "window-renamed"],
  ...["unlinked-window-add", "unlinked-window-close", "unlinked-window-renamed", "layout-change"],
]);

/** The default tmux server, the one of `$TMUX`, and the configured ones. They may start later. */
export function tmuxServers(sockets: SocketOptions, tools: TmuxTools): readonly TmuxServer[] {
  const found = tools.program ?? tmuxProgram(sockets.environment);
  const mark = tools.owner === undefined ? {} : { [OWNER_VARIABLE]: tools.owner.mark };
  const program = { ...found, environment: { ...found.environment, ...mark } };
  return tmuxSockets(sockets).map((socket) => new TmuxServer(socket, { ...tools, program }));
}

export class TmuxServer implements TerminalServer {
  readonly name: string;
  readonly #tools: TmuxTools;
  readonly #turn: AttachTurn;
  readonly #link: ServerLink;
  readonly #listeners: OutputClients;
  readonly #viewClients: ViewClients;
  readonly #paneChanges = new PaneChanges();
  readonly #keyboards: Keyboards;
  readonly #known: KnownPanes;
  readonly #lastLayout = new LastLayout();
  readonly #changeListeners = new Set<() => void>();
  #server: ProcessIdentity | undefined;
  #tidy = false;

  constructor(socket: string, tools: TmuxTools & { readonly program: TmuxProgram }) {
    this.name = socket;
    this.#tools = tools;
    this.#turn = new AttachTurn(tools.clock);
    this.#known = new KnownPanes(tools.clock, tools.processes);
    const { program, clock, survivors } = tools;
    const client = { program, socket, clock, survivors, turn: this.#turn, nonce: () => tools.nonce() };
    this.#link = new ServerLink({
      ...client,
      processes: tools.processes,
      onNotice: (name, rest) => this.#takeNotice(name, rest),
      onEnded: () => {
        this.#paneChanges.tellAll();
        this.#tellChange();
      },
    });
    this.#listeners = new OutputClients({
      ...client,
      onOutput: (pane) => this.#paneChanges.tell(pane),
      onNotice: (name, rest) => this.#takeNotice(name, rest),
    });
    this.#keyboards = new Keyboards(clock, (pane) => this.#paneChanges.tell(pane));
    this.#viewClients = new ViewClients({
      ...client,
      link: this.#link,
      onNotice: (name, rest) => this.#takeNotice(name, rest),
    });
  }

  async scan(how?: ScanHow): Promise<ScanOutcome> {
    if (how === "thoroughly") this.#known.forget();
    const first = await this.#scanOnce();
    // The connection may have ended with its session or its server: a new one tells which.
    const outcome = first === "lost" ? await this.#scanOnce() : first;
    return outcome === "lost" ? { kind: "unknown", cause: "the connection to tmux broke twice" } : outcome;
  }

  async #scanOnce(): Promise<ScanOutcome | "lost"> {
    const connected = await this.#link.connect();
    switch (connected.kind) {
      case "absent":
        this.#listeners.reset();
        return { kind: "absent" };
      case "empty":
        this.#listeners.reset();
        return { kind: "scanned", sightings: [], serverPid: connected.server.pid };
      case "unavailable":
        return { kind: "unknown", cause: connected.cause };
      case "open":
        return this.#scanOver(connected.link);
      default:
        return assertNever(connected);
    }
  }

  terminal(identity: TerminalIdentity): Terminal {
    return new TmuxTerminal({
      identity,
      link: this.#link,
      processes: this.#tools.processes,
      clock: this.#tools.clock,
      changes: this.#paneChanges,
      keyboards: this.#keyboards,
      viewClients: this.#viewClients,
      scratchFolder: this.#tools.scratchFolder,
      nonce: () => this.#tools.nonce(),
    });
  }

  async tell(text: string, { line, bell, except }: TellingHow): Promise<AnnounceOutcome> {
    const connected = await this.#link.connect();
    if (connected.kind === "unavailable") return { kind: "unknown", cause: connected.cause };
    if (connected.kind !== "open") return { kind: "gone" };
    const { link } = connected;
    const asked = await link.run(peopleCommands(except), TELL_DEADLINE_MS);
    const people = readPeople(asked);
    if (people === undefined) return { kind: "unknown", cause: "tmux does not name its clients" };
    const { clients, ttys } = people;
    if (bell) await Promise.all(ttys.map(ringAt));
    if (!line || clients.length === 0) return { kind: "shown", to: clients.length };
    return readAnnounced(await link.run(announceCommands(clients, text), TELL_DEADLINE_MS), clients);
  }

  async attended(): Promise<Attended | undefined> {
    const connected = await this.#link.connect();
    if (connected.kind === "unavailable") return undefined;
    if (connected.kind !== "open") return { people: 0 };
    const asked = await connected.link.run(ATTENDED_COMMAND, TELL_DEADLINE_MS);
    return readAttended(asked, this.#tools.clock.now());
  }

  onChange(listener: () => void): () => void {
    const entry = () => listener();
    this.#changeListeners.add(entry);
    return () => this.#changeListeners.delete(entry);
  }

  async close(): Promise<void> {
    this.#changeListeners.clear();
    this.#turn.stop();
    await Promise.all([this.#link.close(), this.#listeners.close(), this.#viewClients.close()]);
  }

  async #scanOver(link: OpenLink): Promise<ScanOutcome | "lost"> {
    const { owner, processes } = this.#tools;
    if (owner !== undefined && !this.#tidy) {
      this.#tidy = true;
      await endLeftovers(link, owner, processes);
    }
    const outcome = await link.run(SCAN_COMMANDS, SCAN_DEADLINE_MS);
    if (outcome.kind === "lost") return "lost";
    if (outcome.kind !== "answered") return { kind: "unknown", cause: outcome.cause };
    const layout = this.#lastLayout.read(outcome.blocks);
    if (layout === undefined) return { kind: "unknown", cause: "tmux lists its panes in an unknown form" };
    try {
      this.#isOf(link.server);
      const found = await findPrograms(layout, link.server, this.name, this.#tools, this.#known);
      this.#listenWhereAgentsAre(layout, found);
      return {
        kind: "scanned",
        sightings: found.map(({ sighting }) => sighting),
        serverPid: link.server.pid,
      };
    } catch (error) {
      return { kind: "unknown", cause: error instanceof Error ? error.message : String(error) };
    }
  }

  /** What was known about another server does not apply to this one. */
  #isOf(server: ProcessIdentity): void {
    if (this.#server?.pid !== server.pid || this.#server.startedAt !== server.startedAt) {
      this.#listeners.reset();
      this.#known.forget();
    }
    this.#server = server;
  }

  #listenWhereAgentsAre(layout: Layout, found: readonly FoundPane[]): void {
    const wanted = new Set(found.flatMap(({ pane }) => pane.sessions.slice(0, 1)));
    this.#listeners.listenTo(listeningOrder(layout.sessions, wanted));
  }

  #takeNotice(name: string, rest: string): void {
    // Our own attach causes this notice, and no others follow it.
    if (name !== "client-session-changed") this.#turn.noticed();
    if (STRUCTURAL.has(name)) this.#tellChange();
    if (name === "pane-mode-changed") this.#paneChanges.tell(rest);
  }

  #tellChange(): void {
    for (const listener of [...this.#changeListeners]) listener();
  }
}
