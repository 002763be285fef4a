/** The daemon's connection to one host: sends requests, hears of changes. Dialled on first use and after a loss. */
import { connect, type Socket } from "node:net";
import type { Screen } from "../../core/readiness/screen.ts";
import type { Clock } from "../../ports/clock.ts";
import { FirstLine } from "../../wire/first-line.ts";
import { encodeControl, FrameReader } from "../../wire/host/frames.ts";
import {
  type DaemonHears,
  type DaemonSays,
  HOST_VERSION,
  type HostHello,
  type HostRecord,
  type HostState,
  type HostWelcome,
} from "../../wire/host/host.ts";
import { unpackScreen } from "../../wire/host/packed-screen.ts";
import { type Pending, pendingQuestions } from "../../wire/pending.ts";

const ANSWER_MS = 5_000;
const CONNECT_MS = 2_000;
/** After a failed attempt the host is not dialled again for this long, however many requests arrive. */
const REDIAL_MS = 500;
const LONGEST_WELCOME = 64 * 1024;

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;
type Answered = Extract<DaemonHears, { readonly id: number }>;
type Answer =
  | Exclude<Answered, { readonly type: "screen" }>
  | (Omit<Extract<Answered, { readonly type: "screen" }>, "screen"> & { readonly screen: Screen });

export class HostLink {
  readonly record: HostRecord;
  readonly #clock: Clock;
  readonly #beforeDial: () => Promise<void>;
  readonly #pending: Pending<Answer>;
  readonly #changes = new Set<() => void>();
  readonly #states = new Set<(state: HostState) => void>();
  readonly #losses = new Set<() => void>();
  /** The program's title, as last reported. */
  title = "";
  /** How many people look at it, as last reported. */
  viewers: number | undefined;
  /** Whether the host asks where the agent stands before it types; false until it has said so. */
  asksStanding = false;
  /** What prevented the last attempt to connect. */
  obstacle: string | undefined;
  #open: Promise<Socket> | undefined;
  /** The same connection, once its host has welcomed us. */
  #connected: Socket | undefined;
  #missedAtMonotonic: number | undefined;
  #closed = false;

  /** `beforeDial` may make the host reachable; it throws if it knows why that is impossible. */
  constructor(record: HostRecord, clock: Clock, beforeDial: () => Promise<void> = async () => {}) {
    this.record = record;
    this.#clock = clock;
    this.#pending = pendingQuestions({
      now: () => clock.monotonic(),
      after: (ms, late) => clock.after(ms, late),
    });
    this.#beforeDial = beforeDial;
  }

  /** Throws if it knows why the host cannot be reached. */
  reach(): Promise<void> {
    return this.#beforeDial();
  }

  onChange(listener: () => void): () => void {
    this.#changes.add(listener);
    // Only a connected link hears of changes.
    this.#connection().catch(() => {});
    return () => this.#changes.delete(listener);
  }

  onLost(listener: () => void): void {
    this.#losses.add(listener);
  }

  onState(listener: (state: HostState) => void): void {
    this.#states.add(listener);
  }

  /**
   * `unreachable`: the request was not sent; only the host's process can tell whether it still runs. `lost`: no answer
   * came, and the host may have carried out the request.
   */
  ask(request: Unnumbered<DaemonSays>): Promise<Answer | "unreachable" | "lost"> {
    // Over a connection that stands, keys leave in this turn, before whatever the caller does next.
    if (this.#connected !== undefined) return this.#askOver(this.#connected, request);
    return this.#connection().then(
      (socket) => this.#askOver(socket, request),
      () => "unreachable" as const,
    );
  }

  #askOver(socket: Socket, request: Unnumbered<DaemonSays>): Promise<Answer | "lost"> {
    const send = (id: number): void => void socket.write(encodeControl({ ...request, id }));
    const late = () => new Error("it does not answer");
    return this.#pending
      .ask(send, (answer) => answer, { withinMs: ANSWER_MS, late })
      .catch(() => "lost" as const);
  }

  close(): void {
    this.#closed = true;
    this.#connected = undefined;
    this.#open?.then((socket) => socket.destroy()).catch(() => {});
  }

  #connection(): Promise<Socket> {
    if (this.#closed) return Promise.reject(new Error("closed"));
    if (this.#open !== undefined) return this.#open;
    if (this.#clock.monotonic() - (this.#missedAtMonotonic ?? Number.NEGATIVE_INFINITY) < REDIAL_MS)
      return Promise.reject(new Error("tried a moment ago"));
    const opening = this.#reached();
    this.#open = opening;
    opening.catch(() => {
      this.#open = undefined;
      this.#missedAtMonotonic = this.#clock.monotonic();
    });
    return opening;
  }

  async #reached(): Promise<Socket> {
    this.obstacle = undefined;
    await this.#beforeDial().catch((cause: Error) => {
      this.obstacle = cause.message;
      throw cause;
    });
    if (this.#closed) throw new Error("closed");
    return this.#dial();
  }

  #dial(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.record.socket);
      const cancel = this.#clock.after(CONNECT_MS, () => socket.destroy(new Error("ETIMEDOUT")));
      const hello: HostHello = { type: "serve", versions: [HOST_VERSION], token: this.record.token };
      const first = new FirstLine(LONGEST_WELCOME);
      const dialledAtMonotonic = this.#clock.monotonic();
      let reader: FrameReader | undefined;
      socket.on("connect", () => socket.write(`${JSON.stringify(hello)}\n`));
      socket.on("error", reject);
      socket.on("close", () => {
        cancel();
        this.#open = undefined;
        this.#connected = undefined;
        this.#pending.lose(new Error("closed"));
        if (this.#clock.monotonic() - dialledAtMonotonic < REDIAL_MS)
          this.#missedAtMonotonic = this.#clock.monotonic();
        // If the host was never reached, there is no loss to report: listeners would redial without end.
        if (reader !== undefined && !this.#closed)
          for (const listener of [...this.#changes, ...this.#losses]) listener();
        reject(new Error("closed"));
      });
      socket.on("data", (chunk: Buffer) => {
        try {
          if (reader !== undefined) return reader.push(chunk);
          const answer = first.push(chunk);
          if (answer.kind === "too-long") throw new Error("its first line is too long");
          if (answer.kind === "partial") return;
          const welcome = JSON.parse(answer.line.toString("utf8")) as HostWelcome;
          if (!welcome.ok) return void socket.destroy(new Error(welcome.error.message));
          cancel();
          this.asksStanding = welcome.asks_standing === true;
          reader = new FrameReader(({ payload }) => this.#heard(payload));
          reader.push(answer.rest);
          this.#hearState(welcome.state);
          if (!this.#closed) this.#connected = socket;
          resolve(socket);
        } catch (error) {
          socket.destroy(error instanceof Error ? error : undefined);
        }
      });
    });
  }

  #hearState(state: HostState): void {
    this.title = state.title;
    this.viewers = state.viewers;
    for (const listener of this.#states) listener(state);
  }

  #heard(payload: Buffer): void {
    const told = JSON.parse(payload.toString("utf8")) as DaemonHears;
    if (told.type === "changed") for (const listener of this.#changes) listener();
    else if (told.type === "state") {
      this.#hearState(told.state);
      for (const listener of this.#changes) listener();
    } else {
      const question = this.#pending.find(told.id);
      if (typeof question !== "string") question.answer(told.type === "screen" ? unpacked(told) : told);
    }
  }
}

/** A screen that cannot be unpacked counts as a failed answer and carries the reason. */
function unpacked(told: Extract<DaemonHears, { readonly type: "screen" }>): Answer {
  const { id, above, quietForMs } = told;
  const unpacked = unpackScreen(told.screen);
  if (unpacked.kind === "unreadable")
    return { type: "failed", id, code: "terminal.unreadable", message: unpacked.cause };
  const { screen } = unpacked;
  return {
    type: "screen",
    id,
    screen,
    ...(areLines(above) ? { above } : {}),
    ...(typeof quietForMs === "number" ? { quietForMs } : {}),
  };
}

function areLines(above: unknown): above is readonly string[] {
  return Array.isArray(above) && above.every((line) => typeof line === "string");
}
