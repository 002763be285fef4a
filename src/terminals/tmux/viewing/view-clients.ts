/**
 * The control clients through which panes are looked at: one for each session that somebody looks into, and none while
 * nobody does. tmux leaves out what we do not read in time, so that a client never stops a program.
 */
import { BellhopError } from "../../../core/errors.ts";
import type { AttachTurn } from "../control/attach-turn.ts";
import { ControlConnection, type ControlSetting } from "../control/control.ts";
import { withNoticesHeld } from "../control/held-notices.ts";
import type { ServerLink } from "../control/server-link.ts";
import { type Looker, PaneStream } from "./pane-stream.ts";

interface ViewClientsOptions extends ControlSetting {
  readonly turn: AttachTurn;
  /** It must stay up beside our clients: if all clients of a server are slow, tmux stops reading its panes. */
  readonly link: Pick<ServerLink, "connect">;
  onNotice(name: string, rest: string): void;
}

/** What looks at one pane, in whichever session that is. */
export interface PaneLooker extends Looker {
  readonly pane: string;
  readonly panePid: number;
  over(why: string): void;
}

export const VIEW_LIMITS = {
  attachMs: 5_000,
  askMs: 3_000,
  /** A pane is looked for this often in a row, when its session has ended or it has moved. */
  moves: 20,
  followAgainMs: 300,
  /** After this time, it is no longer in a row. */
  steadyMs: 30_000,
} as const;

/** After this many seconds, tmux leaves out what we have not read. */
const FLAGS = ["ignore-size", "read-only", "pause-after=1"];
const OPEN_WAIT = { quietMs: 150, patienceMs: 4_000 } as const;
const CLOSE_WAIT = { quietMs: 150, patienceMs: 10_000 } as const;

/** The last two: it was moved out of this session, or ended. */
const WINDOW_CHANGES = ["layout-change", "window-close", "unlinked-window-close"];
/** So often in a row a client may end before anybody could use it. */
const MOST_LOST_CLIENTS = 3;

interface ViewClient {
  readonly session: string;
  isOver: boolean;
  readonly connection: ControlConnection;
  readonly streams: Map<string, PaneStream>;
  /** Panes that nobody looks at, which tmux was asked to leave out. */
  readonly leftOut: Set<string>;
}

export class ViewClients {
  readonly #options: ViewClientsOptions;
  readonly #bySession = new Map<string, Promise<ViewClient>>();
  readonly #places = new Map<PaneLooker, { client: ViewClient; stream: PaneStream } | "moving">();
  readonly #moves = new Map<PaneLooker, { readonly count: number; readonly lastAt: number }>();
  readonly #closing = new Set<Promise<unknown>>();

  constructor(options: ViewClientsOptions) {
    this.#options = options;
  }

  /** Resolves once it is on its way; rejects with the reason if it cannot be. */
  async join(looker: PaneLooker): Promise<void> {
    this.#places.set(looker, "moving");
    try {
      await this.#enter(looker);
    } catch (error) {
      this.#forget(looker);
      throw error;
    }
  }

  again(looker: PaneLooker): void {
    const place = this.#places.get(looker);
    // On its way it gets a picture anyway.
    if (place !== undefined && place !== "moving") place.stream.join(looker);
  }

  rest(looker: PaneLooker): void {
    const place = this.#places.get(looker);
    if (place !== undefined && place !== "moving") place.stream.rest(looker);
  }

  leave(looker: PaneLooker): void {
    const place = this.#places.get(looker);
    this.#forget(looker);
    if (place === undefined || place === "moving") return;
    place.stream.leave(looker);
    this.#tidy(place.client);
  }

  async close(): Promise<void> {
    for (const looker of [...this.#places.keys()]) this.#end(looker, "Bellhop has stopped looking at it");
    const clients = [...this.#bySession.values()];
    this.#bySession.clear();
    await Promise.all(
      clients.map((client) =>
        client.then(
          ({ connection }) => connection.close(),
          () => {},
        ),
      ),
    );
    await Promise.all(this.#closing);
  }

  async #enter(looker: PaneLooker): Promise<void> {
    const session = await this.#sessionOf(looker.pane);
    const client = await this.#livingClient(session);
    if (!this.#places.has(looker)) return this.#tidy(client);
    const stream = client.streams.get(looker.pane) ?? this.#stream(client, looker);
    client.leftOut.delete(looker.pane);
    this.#places.set(looker, { client, stream });
    stream.join(looker);
  }

  #stream(client: ViewClient, { pane, panePid }: PaneLooker): PaneStream {
    const stream = new PaneStream({
      pane,
      panePid,
      session: client.session,
      connection: client.connection,
      clock: this.#options.clock,
      onLeft: (where) => {
        const lookers = this.#lookersOf(stream);
        this.#drop(client, pane);
        for (const looker of lookers) {
          if (where === "gone") this.#end(looker, GONE);
          else this.#follow(looker);
        }
      },
      onUnreadable: (why) => {
        const lookers = this.#lookersOf(stream);
        this.#drop(client, pane);
        for (const looker of lookers) this.#end(looker, `its screen cannot be copied: ${why}`);
      },
    });
    // tmux may have been asked to leave it out; joining it asks for it again.
    if (client.leftOut.has(pane)) stream.leftOut();
    client.streams.set(pane, stream);
    return stream;
  }

  #lookersOf(stream: PaneStream): readonly PaneLooker[] {
    return [...this.#places].flatMap(([looker, place]) =>
      place !== "moving" && place.stream === stream ? [looker] : [],
    );
  }

  /** Its client has ended, or its pane is in another session now. */
  #follow(looker: PaneLooker): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const before = this.#moves.get(looker);
    const count = before === undefined || now > before.lastAt + VIEW_LIMITS.steadyMs ? 1 : before.count + 1;
    this.#moves.set(looker, { count, lastAt: now });
    this.#places.set(looker, "moving");
    this.#enter(looker).catch((error: unknown) => {
      const isLost = error instanceof BellhopError && error.code === "terminal.gone";
      if (isLost || !this.#places.has(looker)) this.#end(looker, GONE);
      else if (count > VIEW_LIMITS.moves) this.#end(looker, whyNot(error));
      else clock.after(VIEW_LIMITS.followAgainMs, () => this.#places.has(looker) && this.#follow(looker));
    });
  }

  #end(looker: PaneLooker, why: string): void {
    if (!this.#places.has(looker)) return;
    this.leave(looker);
    looker.over(why);
  }

  #forget(looker: PaneLooker): void {
    this.#places.delete(looker);
    this.#moves.delete(looker);
  }

  #drop(client: ViewClient, pane: string): void {
    client.streams.get(pane)?.close();
    client.streams.delete(pane);
    this.#tidy(client);
  }

  /** A client that nobody needs leaves. */
  #tidy(client: ViewClient): void {
    for (const [pane, stream] of client.streams) {
      if (stream.isWatched) continue;
      stream.close();
      client.streams.delete(pane);
      client.leftOut.add(pane);
    }
    if (client.streams.size > 0 || this.#isAwaited(client)) return;
    this.#bySession.delete(client.session);
    const { turn } = this.#options;
    const closing = turn
      .take(CLOSE_WAIT, () => client.connection.close().then(() => "closed"))
      .then((closed) => (closed === undefined ? client.connection.close() : undefined))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #isAwaited({ session }: ViewClient): boolean {
    return (this.#awaiting.get(session) ?? 0) > 0;
  }

  /** How many are about to enter a session's client. */
  readonly #awaiting = new Map<string, number>();

  /** Somebody may detach it while it is being opened. */
  async #livingClient(session: string): Promise<ViewClient> {
    for (let lost = 0; lost < MOST_LOST_CLIENTS; lost += 1) {
      const client = await this.#client(session);
      if (!client.isOver) return client;
    }
    throw unreadable(DETACHED);
  }

  async #client(session: string): Promise<ViewClient> {
    const { turn } = this.#options;
    let opening = this.#bySession.get(session);
    if (opening === undefined) {
      opening = turn
        .take(OPEN_WAIT, () => this.#open(session))
        .then((client) => {
          if (client === undefined) throw unreadable(TOO_FAST);
          return client;
        });
      this.#bySession.set(session, opening);
      opening.catch(() => this.#bySession.delete(session));
    }
    this.#awaiting.set(session, (this.#awaiting.get(session) ?? 0) + 1);
    try {
      return await opening;
    } finally {
      const left = (this.#awaiting.get(session) ?? 1) - 1;
      if (left > 0) this.#awaiting.set(session, left);
      else this.#awaiting.delete(session);
    }
  }

  async #open(session: string): Promise<ViewClient> {
    const streams = new Map<string, PaneStream>();
    const connection = await withNoticesHeld(this.#options, session, async () => {
      const made = new ControlConnection({
        ...this.#options,
        session,
        flags: FLAGS,
        attachDeadlineMs: VIEW_LIMITS.attachMs,
        output: "kept",
        onEvent: (event) => {
          if (event.kind === "output") this.#wrote(client, event.pane, event.data);
          else this.#noticed(client, event.name, event.rest);
        },
      });
      const client: ViewClient = { session, isOver: false, connection: made, streams, leftOut: new Set() };
      void made.ended.then(() => this.#ended(client));
      const attached = await made.attached;
      if (attached.kind === "refused") throw unreadable(attached.cause);
      return client;
    });
    return connection;
  }

  #wrote(client: ViewClient, pane: string, data: Buffer | undefined): void {
    const stream = client.streams.get(pane);
    stream?.heard(data);
    if (stream !== undefined || client.leftOut.has(pane)) return;
    client.leftOut.add(pane);
    void client.connection.run(`refresh-client -A "${pane}:pause"`, VIEW_LIMITS.askMs);
  }

  #noticed(client: ViewClient, name: string, rest: string): void {
    const [first = ""] = rest.split(" ");
    if (name === "pause") client.streams.get(first)?.paused();
    if (WINDOW_CHANGES.includes(name))
      for (const stream of [...client.streams.values()]) stream.layoutChanged(first);
    // When its session ends, tmux may move a client to another one.
    if (name === "session-changed" && first !== client.session) void client.connection.close();
    this.#options.onNotice(name, rest);
  }

  #ended(client: ViewClient): void {
    client.isOver = true;
    void this.#bySession.get(client.session)?.then(
      (known) => {
        if (known === client) this.#bySession.delete(client.session);
      },
      () => {},
    );
    const lookers = [...client.streams.values()].flatMap((stream) => this.#lookersOf(stream));
    for (const stream of client.streams.values()) stream.close();
    client.streams.clear();
    for (const looker of lookers) this.#follow(looker);
  }

  async #sessionOf(pane: string): Promise<string> {
    const connected = await this.#options.link.connect();
    if (connected.kind === "unavailable") throw unreadable(connected.cause);
    if (connected.kind !== "open") throw gone();
    const asked = await connected.link.run(
      `display-message -p -t ${pane} "#{session_id}/#{destroy-unattached}"`,
      VIEW_LIMITS.askMs,
    );
    if (asked.kind !== "answered") throw unreadable(asked.cause);
    const [session = "", endsUnattached = ""] = (asked.blocks[0]?.lines.join("") ?? "").split("/");
    if (!/^\$\d+$/.test(session)) throw gone();
    if (endsUnattached !== "0" && endsUnattached !== "off") throw unreadable(ENDS_UNATTACHED);
    return session;
  }
}

const GONE = "its terminal is gone";
const DETACHED = "its tmux detaches whoever joins";
const TOO_FAST = "tmux changes too fast to join it safely";
const ENDS_UNATTACHED = "its tmux session ends with its last client, so Bellhop does not join it";

function whyNot(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreadable(cause: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `This terminal cannot be looked at now: ${cause}.`,
    next: 'Try again, or see its screen with "bellhop peek".',
  });
}

function gone(): BellhopError {
  return new BellhopError("terminal.gone", {
    message: "This terminal is gone.",
    next: 'See who runs with "bellhop ls".',
  });
}
