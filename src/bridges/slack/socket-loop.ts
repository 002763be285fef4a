/** Keeps one connection to Slack open: says who we are, connects, listens until it ends, and begins again. */
import type { SocketModeClient } from "@slack/socket-mode";
import { type Backoff, backoffMs } from "../../core/time/backoff.ts";
import type { OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { rest } from "../../system/resting.ts";
import { matching, textIn } from "../fields.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import type { CatchingUp } from "./catching-up.ts";
import type { Connection } from "./connection.ts";
import { type Self, USER_ID } from "./events.ts";
import { guardSocket } from "./guarded-socket.ts";
import { type Ailment, ailment, type SlackHealth, SWITCHED_OFF } from "./health.ts";
import type { Inflow } from "./inflow.ts";

export interface SocketLoopOptions {
  readonly connection: Connection;
  readonly inflow: Inflow;
  readonly catchingUp: CatchingUp;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly health: SlackHealth;
  /** As configured. */
  readonly workspace: string | undefined;
}

type Ending =
  | { readonly kind: "ended" }
  | { readonly kind: "ailing"; readonly ailment: Ailment; readonly afterMs?: number };

export const WORKSPACE_KEY = "workspace";
const WHILE_DOWN: Backoff = { firstMs: 250, longestMs: 60_000 };
/** A person must act first. */
const WHILE_REFUSED: Backoff = { firstMs: 15_000, longestMs: 300_000 };
/** Slack does not tell what was missed. */
const WHILE_UNTOLD: Backoff = { firstMs: 5_000, longestMs: 300_000 };
const CONNECT_DEADLINE_MS = 30_000;
const GOODBYE_DEADLINE_MS = 1_000;
/** A connection that lasted so long was a good one. */
const STEADY_MS = 10_000;
/** Slack itself repeats what it could not deliver in a shorter absence. */
const LONG_ABSENCE_MS = 60_000;
const TEAM_ID = /^[TE][A-Z0-9]{1,40}$/;
const BOT_ID = /^B[A-Z0-9]{1,40}$/;

export class SocketLoop {
  readonly #options: SocketLoopOptions;
  readonly #signal: AbortSignal;
  /** When the last connection ended after which nothing was missing. */
  #leftAt: number | undefined;

  constructor(options: SocketLoopOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Ends when the signal says so; never rejects. */
  async run(): Promise<void> {
    const { clock, health, log, random } = this.#options;
    let failures = 0;
    while (!this.#signal.aborted) {
      const beganAt = clock.monotonic();
      const ending = await this.#session().catch((error: unknown) => {
        log.error("slack's connection failed by a bug", { why: String(error) });
        return ailing(LOST, "app");
      });
      if (this.#signal.aborted) break;
      if (ending.kind === "ended" && clock.monotonic() - beganAt >= STEADY_MS) failures = 0;
      if (ending.kind === "ended") health.become("connecting");
      else if (health.become(ending.ailment.state, ending.ailment.error))
        log.warn(`slack is ${ending.ailment.state}`, { why: ending.ailment.error });
      const isRefused = ending.kind === "ailing" && ending.ailment.state === "refused";
      const asked = ending.kind === "ailing" ? ending.afterMs : undefined;
      await rest(
        clock,
        asked ?? backoffMs(isRefused ? WHILE_REFUSED : WHILE_DOWN, failures, random()),
        this.#signal,
      );
      failures += 1;
    }
  }

  async #session(): Promise<Ending> {
    let self: Self;
    try {
      self = await this.#identify();
    } catch (error) {
      return ailing(callFailure(error), "bot");
    }
    let client: SocketModeClient;
    try {
      client = this.#options.connection.socket();
    } catch {
      return ailing(LOST, "app");
    }
    return this.#listen(client, self);
  }

  async #identify(): Promise<Self> {
    const { connection, inbox, workspace } = this.#options;
    const answer: unknown = await connection.web.auth.test();
    const userId = matching(answer, "user_id", USER_ID);
    const teamId = matching(answer, "team_id", TEAM_ID);
    if (userId === undefined || teamId === undefined) throw new Error("an answer that cannot be read");
    const botId = matching(answer, "bot_id", BOT_ID);
    const known = workspace ?? teamId;
    // A store that cannot write is told of when something arrives.
    if (inbox.kept(WORKSPACE_KEY) !== known) await inbox.keep({ [WORKSPACE_KEY]: known }).catch(() => {});
    const name = textIn(answer, "user", 80) ?? userId;
    return { userId, teamId, name, ...(botId === undefined ? {} : { botId }) };
  }

  async #listen(client: SocketModeClient, self: Self): Promise<Ending> {
    const { health, inflow, log, workspace = self.teamId } = this.#options;
    let isSwitchedOff = false;
    let unreadable = 0;
    guardSocket(client, {
      hello: (connections) => {
        inflow.hold();
        if (connections > 1)
          log.warn("slack has several connections: each gets only a part of the messages", { connections });
      },
      goodbye: (reason) => {
        isSwitchedOff = reason === "link_disabled";
      },
      unreadable: () => {
        unreadable += 1;
      },
    });
    client.on("slack_event", ({ ack, type, body }: SlackEvent) => {
      inflow.push({ type, body, self, workspace, acknowledge: () => ack() });
    });
    const ended = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
    const trouble = await this.#start(client);
    if (trouble === undefined) {
      if (health.become("connected")) log.info("slack is connected");
      const end = Promise.race([ended, aborted(this.#signal)]);
      const isCaughtUp = await this.#catchUpUntil(end, self, workspace);
      await end;
      if (isCaughtUp) this.#leftAt = this.#options.clock.monotonic();
    }
    inflow.release();
    await this.#end(client);
    if (unreadable > 0) log.info("slack sends what cannot be read", { count: unreadable });
    if (isSwitchedOff) return { kind: "ailing", ailment: SWITCHED_OFF };
    return trouble === undefined ? { kind: "ended" } : ailing(trouble, "app");
  }

  /** What cannot be read now is asked for again, while what is said meanwhile comes in. */
  async #catchUpUntil(end: Promise<void>, self: Self, workspace: string): Promise<boolean> {
    const { clock, inflow, random } = this.#options;
    const over = new AbortController();
    void end.then(() => over.abort());
    for (let attempt = 0; !over.signal.aborted; attempt += 1) {
      inflow.hold();
      const isCaughtUp = await Promise.race([this.#catchUp(self, workspace), end.then(() => false)]);
      inflow.release();
      if (isCaughtUp) return true;
      await rest(clock, backoffMs(WHILE_UNTOLD, attempt, random()), over.signal);
    }
    return false;
  }

  /** What was said during a long absence comes before what is said now. */
  async #catchUp(self: Self, workspace: string): Promise<boolean> {
    const { catchingUp, clock, inflow } = this.#options;
    if (this.#leftAt !== undefined && clock.monotonic() - this.#leftAt < LONG_ABSENCE_MS) return true;
    const { events, isAll } = await catchingUp.missed();
    await inflow.bringInFirst(
      events.map((event) => ({ type: "events_api", body: { event }, self, workspace })),
    );
    return isAll;
  }

  /** Until Slack says hello; why it did not, if so. */
  async #start(client: SocketModeClient): Promise<CallFailure | undefined> {
    const { clock } = this.#options;
    const settled = new AbortController();
    let isGivenUp = false;
    // The client may still be asking for an address when nobody waits for it any more.
    client.on("connecting", () => {
      if (isGivenUp) queueMicrotask(() => void this.#end(client));
    });
    const started = client.start().then(
      () => undefined,
      (error: unknown) => (error === undefined ? LOST : callFailure(error)),
    );
    const deadline = rest(clock, CONNECT_DEADLINE_MS, AbortSignal.any([this.#signal, settled.signal]));
    const outcome = await Promise.race([started, deadline.then((): "late" => "late")]);
    settled.abort();
    if (outcome !== "late") return outcome;
    isGivenUp = true;
    return LOST;
  }

  /** Politely, then by force: a second goodbye does not wait for an answer. */
  async #end(client: SocketModeClient): Promise<void> {
    if (client.websocket === undefined) return;
    const settled = new AbortController();
    const said = client.disconnect().then((): "said" => "said");
    const late = rest(this.#options.clock, GOODBYE_DEADLINE_MS, settled.signal).then((): "late" => "late");
    const outcome = await Promise.race([said, late]);
    settled.abort();
    if (outcome === "late") await client.disconnect();
  }
}

interface SlackEvent {
  readonly ack: () => Promise<void>;
  readonly type: string;
  readonly body: unknown;
}

const LOST: CallFailure = { kind: "unreachable", words: "it does not answer", isUnsent: false };

function ailing(failure: CallFailure, token: "app" | "bot"): Ending {
  const found = { kind: "ailing", ailment: ailment(failure, token) } as const;
  return failure.kind === "throttled" ? { ...found, afterMs: failure.afterMs } : found;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
