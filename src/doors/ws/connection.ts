/** One caller on a WebSocket: it authenticates, then sends frames; each gets an answer, with pushes in between. */
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { BellhopError } from "../../core/errors.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import type { ReqId, WsType } from "../../wire/ws/schemas.ts";
import type { UnauthenticatedSockets } from "../auth/unauthenticated-sockets.ts";
import { cutOffAfterFarewell, type Leaving } from "../caller/closing.ts";
import { Outlet } from "../caller/outlet.ts";
import { Pump, type Reply } from "../caller/pump.ts";
import { tellable } from "../caller/requests.ts";
import { AT_ONCE } from "../caller/turns.ts";
import { carryOut, typeKeys } from "./answering.ts";
import { Bearer, type BearerSetting, type Brought } from "./bearer.ts";
import { answerFrame } from "./frames.ts";
import type { WsLimits } from "./limits.ts";
import { Listens } from "./listens.ts";
import { OwnSends } from "./own-sends.ts";
import { Pulse } from "./pulse.ts";
import { Receipts } from "./receipts.ts";
import {
  authFirst,
  failure,
  notText,
  openFrame,
  type Question,
  tooLongForAStranger,
  tooManyControls,
  type Unreadable,
} from "./speech.ts";

/** Like HTTP's 401; codes from 4000 on are for applications. */
const CLOSE_UNAUTHORISED = 4401;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_NOT_TEXT = 1003;
const CLOSE_TOO_MANY = 1008;
const CLOSE_TOO_LARGE = 1009;

const SENDING_TYPES: ReadonlySet<unknown> = new Set<WsType>(["msg.send", "msg.route", "msg.broadcast"]);

export interface WsSetting extends BearerSetting {
  readonly streams: Streams;
  readonly strangers: UnauthenticatedSockets;
  readonly limits: WsLimits;
}

export class WsConnection implements Leaving {
  readonly closed: Promise<void>;
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #setting: WsSetting;
  readonly #outlet: Outlet;
  readonly #pulse: Pulse;
  readonly #ownSends: OwnSends;
  readonly #listens: Listens;
  readonly #bearer: Bearer;
  readonly #pump: Pump<Question | Unreadable>;
  /** How much is read from an unauthenticated caller, and from one that was told goodbye. */
  readonly #strangersLast: number;
  #lastRead = Number.POSITIVE_INFINITY;

  constructor(ws: WebSocket, socket: Socket, brought: Brought, setting: WsSetting) {
    const { limits, log, streams } = setting;
    this.#ws = ws;
    this.#socket = socket;
    this.#setting = setting;
    this.#strangersLast = socket.bytesRead + limits.strangerBytes;
    // We write whole frames to the socket directly: `ws` would build one for each of a hundred listeners, and answer
    // pings beyond any limit. Its own close frames are whole and written at once (no compression), so frames never mix;
    // it closes by this method also when the caller does, and what we have said comes before.
    const close = ws.close.bind(ws);
    ws.close = (...why) => {
      outlet.flush();
      close(...why);
    };
    const overflow = (bytes: number) => {
      log.warn("ws.backlog", { bytes });
      ws.terminate();
    };
    const outlet = new Outlet({ ...limits, socket, isOpen: () => ws.readyState === ws.OPEN, overflow });
    this.#outlet = outlet;
    this.#pulse = new Pulse({
      outlet,
      most: limits.controls,
      isAdmitted: () => this.#bearer.isAdmitted,
      tooMany: () => this.#cutOff(tooManyControls(limits.controls, limits.heartbeatMs), CLOSE_TOO_MANY),
    });
    this.#ownSends = new OwnSends({ ...limits, overflow });
    this.#listens = new Listens({
      streams,
      outlet,
      receipts: new Receipts(ws, (text) => this.#pulse.ping(text)),
      ownSends: this.#ownSends,
      most: limits.listens,
      mostScreens: limits.screens,
    });
    this.#pump = this.#newPump();
    this.#bearer = this.#newBearer(brought);
    this.#hear();
    this.closed = new Promise((resolve) => {
      ws.once("close", () => {
        this.#stopTaking();
        this.#listens.closeAll();
        this.#ownSends.end();
        resolve();
      });
    });
  }

  get isBrowser(): boolean {
    return this.#bearer.isBrowser;
  }

  /** Asks whether the caller is there; closes the connection if it did not answer the last time. */
  beat(): void {
    // An unauthenticated caller has less time than this anyway.
    if (!this.#bearer.isAdmitted || this.#pulse.beat() === "asked") return;
    this.#setting.log.warn("ws.silent");
    this.#ws.terminate();
  }

  /** The owner's token has changed, or browsers were logged out: checks whether this caller may stay. */
  checkAgain(): Promise<void> {
    return this.#bearer.checkAgain();
  }

  /** Answers what is under way, then says goodbye. */
  finish(): void {
    this.#stopTaking();
    this.#leaveIfDone();
  }

  breakAway(): void {
    this.#ws.terminate();
  }

  #newPump(): Pump<Question | Unreadable> {
    const { inFlight, inFlightBytes } = this.#setting.limits;
    return new Pump({
      inFlight,
      inFlightBytes,
      withoutRoom: "waits",
      outlet: this.#outlet,
      turns: AT_ONCE,
      intake: { pause: () => this.#ws.pause(), resume: () => this.#ws.resume() },
      open: openFrame,
      carryOut: (opened) => this.#carryOut(opened),
      answered: () => this.#leaveIfDone(),
    });
  }

  #newBearer(brought: Brought): Bearer {
    const { strangers, limits } = this.#setting;
    return new Bearer(
      {
        ...this.#setting,
        authMs: limits.authMs,
        isTaking: () => this.#pump.isTaking,
        hold: () => this.#pump.hold(),
        admitted: () => {
          strangers.admit(this.#socket);
          this.#pulse.answer();
          this.#pump.release();
        },
        turnAway: (error, type, reqId) => this.#turnAway(error, type, reqId),
        write: (answer) => this.#write(answer),
      },
      brought,
    );
  }

  #hear(): void {
    const ws = this.#ws;
    const socket = this.#socket;
    const { strangerBytes } = this.#setting.limits;
    ws.on("message", (data: RawData, isBinary: boolean) => {
      if (!isBinary) this.#pump.take(data as Buffer);
      else if (this.#pump.isTaking) this.#cutOff(notText(), CLOSE_NOT_TEXT);
    });
    const control = (heard: () => void) => {
      if (!this.#pump.isTaking) return;
      if (this.#bearer.isStranger) this.#turnAway(authFirst(), undefined);
      else heard();
    };
    ws.on("ping", (data: Buffer) => control(() => this.#pulse.pinged(data)));
    ws.on("pong", () => control(() => this.#pulse.ponged()));
    // Registered after `ws`, which has processed the frames in the chunk by then.
    socket.on("data", () => {
      if (socket.bytesRead > this.#lastRead) ws.pause();
      else if (this.#pump.isTaking && this.#bearer.isStranger && socket.bytesRead > this.#strangersLast)
        this.#cutOff(tooLongForAStranger(strangerBytes), CLOSE_TOO_LARGE);
    });
    // An invalid frame, or one in too many pieces: `ws` has already sent the reason and its code.
    ws.on("error", () => this.#part());
  }

  #carryOut(opened: Question | Unreadable): Promise<Reply> | undefined {
    const { log } = this.#setting;
    const { caller } = this.#bearer;
    if (opened.kind === "unreadable") {
      const told = tellable(opened.error, log, "?");
      if (caller !== undefined) return Promise.resolve({ frame: answerFrame(failure(told, undefined)) });
      this.#turnAway(told, undefined);
    } else if (opened.type === "auth") void this.#bearer.show(opened);
    else if (caller === undefined) this.#turnAway(authFirst(), opened.type, opened.reqId);
    else if (opened.type === "screen.keys")
      void typeKeys(opened, this.#listens, log, (error) => this.#write(error));
    else {
      const answered = SENDING_TYPES.has(opened.type) ? this.#ownSends.begin() : undefined;
      return carryOut(opened, caller, this.#listens, log, answered);
    }
    return undefined;
  }

  #write(answer: object): void {
    this.#outlet.write(answerFrame(answer));
  }

  #stopTaking(): void {
    this.#pump.end();
    this.#bearer.end();
  }

  #turnAway(error: BellhopError, type: unknown, reqId?: ReqId): void {
    this.#write(failure(error, type, reqId));
    this.#leave(CLOSE_UNAUTHORISED, error.code);
  }

  #cutOff(error: BellhopError, code: number): void {
    // An unauthenticated caller must not be able to fill the log.
    if (this.#bearer.isAdmitted) this.#setting.log.warn("ws.cut_off", { code: error.code });
    this.#write(failure(error, undefined));
    this.#leave(code, error.code);
  }

  #leaveIfDone(): void {
    if (!this.#pump.isTaking && this.#pump.standing === "at-rest")
      this.#leave(CLOSE_GOING_AWAY, "daemon.stopping");
  }

  #leave(code: number, reason: string): void {
    this.#ws.close(code, reason);
    this.#part();
  }

  /** Our close frame is sent: wait for the caller's, and process nothing else. */
  #part(): void {
    const { farewellBytes, farewellMs } = this.#setting.limits;
    this.#stopTaking();
    this.#listens.closeAll();
    this.#lastRead = this.#socket.bytesRead + farewellBytes;
    this.#ws.resume();
    cutOffAfterFarewell(farewellMs, () => this.#ws.terminate());
  }
}
