/** The bridge to Slack: an app in Socket Mode, so that nothing of this machine must be reachable from outside. */
import type {
  Bridge,
  BridgeHealth,
  OutsideInbox,
  Saying,
  SayingContext,
  SayingOutcome,
} from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { CatchingUp } from "./catching-up.ts";
import { checkSlackSettings, type SlackSettings } from "./config.ts";
import { type Connection, connect } from "./connection.ts";
import { SlackHealth } from "./health.ts";
import { Inflow } from "./inflow.ts";
import { Places } from "./places.ts";
import { Seen } from "./seen.ts";
import { SocketLoop, WORKSPACE_KEY } from "./socket-loop.ts";
import { placeIn, Speaker } from "./speaking.ts";
import { Threads } from "./threads.ts";

export interface SlackNeeds {
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Throws `config.invalid`. */
export function slackBridge(settings: SlackSettings, needs: SlackNeeds): Bridge {
  return new SlackBridge(checkSlackSettings(settings), needs);
}

class SlackBridge implements Bridge {
  readonly name = "slack";
  readonly #settings: SlackSettings;
  readonly #needs: SlackNeeds;
  readonly #health: SlackHealth;
  readonly #closing = new AbortController();
  #inbox: OutsideInbox | undefined;
  #speaker: Speaker | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(settings: SlackSettings, needs: SlackNeeds) {
    this.#settings = settings;
    this.#needs = needs;
    this.#health = new SlackHealth(needs.clock, () => this.#inbox?.changed());
  }

  /** Until Slack has told its id for the first time, a workspace without a configured word may have any. */
  reaches(path: string): boolean {
    const found = placeIn(path);
    const workspace = this.#settings.workspace ?? this.#inbox?.kept(WORKSPACE_KEY);
    return found !== undefined && (workspace === undefined || found.workspace === workspace);
  }

  async open(inbox: OutsideInbox): Promise<void> {
    const { signal } = this.#closing;
    this.#inbox = inbox;
    const connection = await this.#connect();
    if (signal.aborted || connection === undefined) return;
    const { web } = connection;
    const [threads, seen] = [new Threads(inbox), new Seen(inbox)];
    const places = new Places({ ...this.#needs, web, inbox });
    this.#speaker = new Speaker({ web, places, threads });
    const health = this.#health;
    const inflow = new Inflow({ ...this.#needs, web, inbox, health, places, threads, seen, signal });
    const catchingUp = new CatchingUp({ ...this.#needs, web, seen, threads, signal });
    const { workspace } = this.#settings;
    const parts = { connection, inflow, catchingUp, inbox, health, workspace };
    const loop = new SocketLoop({ ...this.#needs, ...parts }, signal);
    this.#running = loop.run().then(() => inflow.ended());
  }

  async say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    if (this.#speaker === undefined || this.#closing.signal.aborted)
      return { kind: "outage", why: "the bridge is not open" };
    const signal = AbortSignal.any([context.signal, this.#closing.signal]);
    if (signal.aborted) return { kind: "outage", why: "it was stopped before it began" };
    return this.#speaker.say(saying, { ...context, signal });
  }

  health(): BridgeHealth {
    return this.#health.now;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #connect(): Promise<Connection | undefined> {
    try {
      return await connect(this.#settings, this.#closing.signal);
    } catch (error) {
      this.#needs.log.error("slack cannot be loaded", { why: String(error) });
      this.#health.become("refused", "Bellhop's client for Slack cannot be loaded: install Bellhop again.");
      return undefined;
    }
  }
}
