/** One caller on a WebSocket: it shows who it is, then frames in, one answer for each, and pushes in between. */
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { BellhopError } from "../../core/errors.ts";
import { LIMITS } from "../../core/message.ts";
import type { Log } from "../../ports/log.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import type { ReqId, WsType } from "../../wire/ws/schemas.ts";
import { isSameCaller, type Shown } from "../auth/auth.ts";
import type { Gate } from "../auth/loopback-guard.ts";
import type { Strangers } from "../auth/unauthenticated-sockets.ts";
import { Outlet } from "../caller/outlet.ts";
import { tellable } from "../caller/requests.ts";
import { refusalDetail } from "../http/errors.ts";
import { carryOut, type Said } from "./answering.ts";
import { textFrame } from "./frames.ts";
import { Listens } from "./listens.ts";
import { OwnSends } from "./own-sends.ts";
import { Pulse } from "./pulse.ts";
import { Receipts } from "./receipts.ts";
import { Asking, readFrame } from "./requests.ts";
import {
  authFirst,
  authTooLate,
  echo,
  failure,
  notText,
  openFrame,
  type Question,
  somebodyElse,
  tokenChanged,
  tooLongForAStranger,
  tooManyControls,
} from "./speech.ts";

export const WS_LIMITS = {
  connections: 1_000,
  frameBytes: LIMITS.requestBytes,
  /** A stranger must show a token within this. */
  authMs: 5_000,
  /** How often each is asked whether it is there; one who has not answered by the next time is gone. */
  heartbeatMs: 30_000,
  /** Requests of one connection under way at once, and what they weigh together; further ones wait their turn. */
  inFlight: 1_024,
  inFlightBytes: 4 * 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** A reader who lets this much pile up is gone. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread no further request is begun. */
  roomBytes: 1024 * 1024,
  /** Read of a stranger before it has said one thing whole: a token is short. */
  strangerBytes: 16 * 1024,
  /** Pieces that one frame may come in, and frames that one message may. */
  pieces: 16 * 1024,
  /** Pings, and pongs that answer none of ours, between two heartbeats. */
  controls: 1_024,
  /** Time for the last words. */
  farewellMs: 500,
  /** Read, for the other side's own, after they were said. */
  farewellBytes: 64 * 1024,
} as const;
export type WsLimits = { readonly [K in keyof typeof WS_LIMITS]: number };

/** As HTTP's 401; the numbers from 4000 on are the application's own. */
const CLOSE_UNAUTHORISED = 4401;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_NOT_TEXT = 1003;
const CLOSE_TOO_MANY = 1008;
const CLOSE_TOO_LARGE = 1009;

export interface WsSetting {
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  readonly gate: Gate;
  readonly strangers: Strangers;
  readonly log: Log;
  readonly user: string;
  readonly limits: WsLimits;
}

export interface WsConnection {
  /** Asks whether it is there; ends the connection if it has not answered the last time. */
  beat(): void;
  /** The owner's token has changed: is this one still good? */
  checkAgain(): Promise<void>;
  /** Answers what is under way, then says goodbye. */
  finish(): void;
  breakAway(): void;
  readonly closed: Promise<void>;
}

type Standing =
  | { readonly at: "stranger" | "being-checked" }
  | { readonly at: "admitted"; readonly shown: Shown; readonly asking: Asking };

/** `shown` is undefined for one who brought no token: it has a few seconds to. */
export function serveWebSocket(
  ws: WebSocket,
  socket: Socket,
  shown: Shown | undefined,
  setting: WsSetting,
): WsConnection {
  const { limits, log, gate } = setting;
  let standing: Standing = shown === undefined ? { at: "stranger" } : admitted(shown, setting);
  let taking = true;
  let underWay = 0;
  let underWayBytes = 0;
  const parked: Buffer[] = [];
  const strangersLast = socket.bytesRead + limits.strangerBytes;
  let lastRead = Number.POSITIVE_INFINITY;
  /** Requests without a `reqId` can be told apart by their order only. */
  let ordered: Promise<void> = Promise.resolve();

  // Whole frames go to the socket itself: `ws` would make one of its own for each of a hundred listeners, and answer
  // pings past every limit. It writes its own (close) whole and at once, since nothing is compressed, so none is split.
  const overflow = (bytes: number) => {
    log.warn("ws.backlog", { bytes });
    ws.terminate();
  };
  const outlet = new Outlet({ ...limits, socket, isOpen: () => ws.readyState === ws.OPEN, overflow });
  const pulse = new Pulse({
    outlet,
    most: limits.controls,
    isAdmitted: () => standing.at === "admitted",
    tooMany: () => cutOff(tooManyControls(limits.controls, limits.heartbeatMs), CLOSE_TOO_MANY),
  });
  const ownSends = new OwnSends({ ...limits, overflow });
  const listens = new Listens({
    streams: setting.streams,
    outlet,
    receipts: new Receipts(ws, (text) => pulse.ping(text)),
    ownSends,
    most: limits.listens,
  });

  const write = (answer: object) => void outlet.write(textFrame(JSON.stringify(answer)));
  const stopTaking = () => {
    taking = false;
    parked.length = 0;
    clearTimeout(authTimer);
  };
  const leave = (code: number, reason: string) => {
    ws.close(code, reason);
    part();
  };
  /** Our last word is said: the caller's is waited for, and nothing else is read for it. */
  const part = () => {
    stopTaking();
    listens.closeAll();
    lastRead = socket.bytesRead + limits.farewellBytes;
    ws.resume();
    // A peer that does not answer would keep the connection, and us.
    setTimeout(() => ws.terminate(), limits.farewellMs).unref();
  };
  const turnAway = (error: BellhopError, type: unknown, reqId?: ReqId) => {
    write(failure(error, type, reqId));
    leave(CLOSE_UNAUTHORISED, error.code);
  };
  const cutOff = (error: BellhopError, code: number) => {
    // A stranger must not be able to fill the log.
    if (standing.at === "admitted") log.warn("ws.cut_off", { code: error.code });
    write(failure(error, undefined));
    leave(code, error.code);
  };
  const goodbye = () => leave(CLOSE_GOING_AWAY, "daemon.stopping");

  const mayBegin = () =>
    standing.at !== "being-checked" &&
    underWay < limits.inFlight &&
    underWayBytes < limits.inFlightBytes &&
    outlet.hasRoom;
  const goOn = () => {
    while (taking && outlet.isOpen && mayBegin()) {
      const bytes = parked.shift();
      if (bytes === undefined) {
        ws.resume();
        return;
      }
      begin(bytes);
    }
    if (outlet.isOpen && !outlet.hasRoom) void outlet.drained().then(goOn);
  };
  const take = (bytes: Buffer) => {
    if (!taking) return;
    if (parked.length === 0 && mayBegin()) {
      begin(bytes);
      return;
    }
    // No more than what the chunk in hand still holds: nothing further is read until there is room.
    parked.push(bytes);
    ws.pause();
    if (parked.length === 1 && !outlet.hasRoom) void outlet.drained().then(goOn);
  };

  const begin = (bytes: Buffer) => {
    let question: Question;
    try {
      question = openFrame(bytes);
    } catch (error) {
      const told = tellable(error, log, "?");
      if (standing.at === "admitted") void inOrder(Promise.resolve({ answer: failure(told, undefined) }));
      else turnAway(told, undefined);
      return;
    }
    const { type, reqId } = question;
    if (type === "auth") void authenticate(question);
    else if (standing.at !== "admitted") turnAway(authFirst(), type, reqId);
    else {
      const weight = weightOf(type, bytes);
      underWay += 1;
      underWayBytes += weight;
      const answered = SENDING_TYPES.has(type) ? ownSends.begin() : () => {};
      const said = carryOut(question, standing.asking, listens, log);
      void (reqId === undefined ? inOrder(said) : said.then(say)).then(() => {
        answered();
        done(weight);
      });
    }
  };
  /** An answer waits for room; only what nobody asked for can pile up. */
  const say = ({ answer, after }: Said): void | Promise<void> => {
    if (outlet.isOpen && !outlet.hasRoom) return outlet.drained().then(() => say({ answer, after }));
    write(answer);
    after?.();
  };
  const inOrder = (work: Promise<Said>): Promise<void> => {
    const before = ordered;
    ordered = work.then(async (said) => {
      await before;
      await say(said);
    });
    return ordered;
  };
  const done = (weight: number) => {
    underWay -= 1;
    underWayBytes -= weight;
    if (ws.isPaused) goOn();
    if (!taking && underWay === 0) goodbye();
  };

  const authenticate = async ({ type, reqId, fields }: Question): Promise<void> => {
    const before = standing;
    if (before.at !== "admitted") {
      standing = { at: "being-checked" };
      // Nothing more is read of it until it is known who it is.
      ws.pause();
    }
    try {
      const identified = await gate.identifyToken(readFrame("auth", fields).token);
      if (!taking) return;
      if (identified.kind === "refused") {
        const { code, ...detail } = refusalDetail(identified);
        turnAway(new BellhopError(code, detail), type, reqId);
        return;
      }
      if (before.at === "admitted" && !isSameCaller(before.shown.who, identified.who)) throw somebodyElse();
      standing = admitted(identified, setting);
      clearTimeout(authTimer);
      setting.strangers.admit(socket);
      write({ type: "auth.ok", ...echo(reqId) });
      pulse.answer();
      goOn();
    } catch (error) {
      const told = tellable(error, log, "auth");
      if (before.at === "admitted") write(failure(told, type, reqId));
      else turnAway(told, type, reqId);
    }
  };
  const authTimer = setTimeout(() => {
    if (standing.at !== "admitted") turnAway(authTooLate(limits.authMs), "auth");
  }, limits.authMs).unref();

  ws.on("message", (data: RawData, isBinary: boolean) => {
    if (!isBinary) take(data as Buffer);
    else if (taking) cutOff(notText(), CLOSE_NOT_TEXT);
  });
  const control = (heard: () => void) => {
    if (!taking) return;
    if (standing.at === "stranger") turnAway(authFirst(), undefined);
    else heard();
  };
  ws.on("ping", (data: Buffer) => control(() => pulse.pinged(data)));
  ws.on("pong", () => control(() => pulse.ponged()));
  // Behind `ws`, which has taken the frames out of it by then.
  socket.on("data", () => {
    if (socket.bytesRead > lastRead) ws.pause();
    else if (taking && standing.at === "stranger" && socket.bytesRead > strangersLast)
      cutOff(tooLongForAStranger(limits.strangerBytes), CLOSE_TOO_LARGE);
  });
  // A frame that is none, or in too many pieces: `ws` has said why, with its code.
  ws.on("error", part);

  return {
    beat() {
      // A stranger has less time than this to say who it is.
      if (standing.at !== "admitted" || pulse.beat() === "asked") return;
      log.warn("ws.silent");
      ws.terminate();
    },
    async checkAgain() {
      if (!taking || standing.at !== "admitted") return;
      if (!(await gate.isStill(standing.shown)) && taking) turnAway(tokenChanged(), "auth");
    },
    finish() {
      stopTaking();
      if (underWay === 0) goodbye();
    },
    breakAway: () => ws.terminate(),
    closed: new Promise((resolve) => {
      ws.once("close", () => {
        stopTaking();
        listens.closeAll();
        ownSends.end();
        resolve();
      });
    }),
  };
}

/** What may give back a whole mailbox weighs more than it looks. */
function weightOf(type: unknown, bytes: Buffer): number {
  return MAILBOX_TYPES.has(type) ? MAILBOX_WEIGHT : bytes.length;
}

const MAILBOX_TYPES: ReadonlySet<unknown> = new Set<WsType>([
  "msg.receive",
  "msg.history",
  "msg.unmatched",
  "msg.session.receive",
  "msg.session.history",
]);
const SENDING_TYPES: ReadonlySet<unknown> = new Set<WsType>(["msg.send", "msg.route", "msg.broadcast"]);
const MAILBOX_WEIGHT = 1024 * 1024;

function admitted(shown: Shown, { useCases, user }: WsSetting): Standing {
  const agent = shown.who.kind === "agent" ? shown.who.name : undefined;
  return { at: "admitted", shown, asking: new Asking(useCases, { user, agent }) };
}
