/** `bellhop/client`: for programs that send and listen. No native modules; WebSocket is loaded only for a URL. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openHome } from "../home/home.ts";
import { type Bellhop, bellhopOver } from "./bellhop.ts";
import { claimsFrom } from "./identity.ts";
import type { Line } from "./line.ts";
import { unixLine } from "./unix-line.ts";

export type { BoardTopic } from "../core/board.ts";
export { BellhopError } from "../core/errors.ts";
export type { AutoRunWords } from "../core/turns/auto-run.ts";
export type { Board, BoardAgent, BoardChanges, BoardSession, BoardTurn } from "../wire/shapes/board.ts";
export type { BrokerMessage, Routed } from "../wire/shapes/broker.ts";
export type { ConversationEntry, ShownAutoRun, ShownTurn, TurnsResponse } from "../wire/shapes/turns.ts";
export type { Bellhop } from "./bellhop.ts";
export type {
  AutoRunSaid,
  Content,
  Conversation,
  ConversationPage,
  HistoryOptions,
  SendOptions,
  Sent,
  Triggered,
  TurnsOptions,
  Whose,
} from "./line.ts";
export type { ListenOptions } from "./listen.ts";
export type { RouteOptions } from "./routes.ts";
export type { Watched, WatchOptions } from "./watch.ts";

export interface OpenOptions {
  /** `ws://127.0.0.1:2355/ws`; if absent, the Unix socket of this home. */
  readonly url?: string;
  /** With a URL: the owner's token, or an agent's own. If absent, it is read from the home's token file. */
  readonly token?: string;
  /** If absent: BELLHOP_HOME, or ~/.bellhop. */
  readonly home?: string;
  /** How long to wait for an absent daemon before a call fails; by default a minute. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;

/** Connects on first use. */
export async function openBellhop(options: OpenOptions = {}): Promise<Bellhop> {
  const patience = {
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    pause: (ms: number) => pause<void>(ms),
    now: () => performance.now(),
    jitter: Math.random,
  };
  return bellhopOver(await lineFor(options), patience, keysInOrder());
}

/** The database keeps keys sorted: those that begin alike go into few of its pages, random ones into as many pages as keys. */
function keysInOrder(): () => string {
  const program = randomUUID();
  let made = 0;
  return () => {
    made += 1;
    return `${program}-${made.toString(36).padStart(7, "0")}`;
  };
}

async function lineFor({ url, token, home }: OpenOptions): Promise<Line> {
  const env = home === undefined ? process.env : { ...process.env, BELLHOP_HOME: home };
  const places = openHome(env, { create: false });
  if (url === undefined) return unixLine(places.socket, claimsFrom(env, process.pid));
  const { wsLine } = await import("./ws-line.ts");
  return wsLine({ url, token: token ?? readFileSync(places.token, "utf8").trim() });
}
