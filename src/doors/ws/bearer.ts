/**
 * On whose behalf one WebSocket speaks: shown when connecting, or by its first frame, or (a browser) half and half.
 *
 *   stranger ─▶ being-checked ─▶ admitted ─▶ (another token of the same caller) admitted
 */
import type { BellhopError } from "../../core/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import type { ReqId, WsRequest } from "../../wire/ws/schemas.ts";
import { type Credentials, type Identified, isSameCaller } from "../auth/auth.ts";
import type { LoopbackGuard } from "../auth/loopback-guard.ts";
import { tellable } from "../caller/requests.ts";
import { refusalError } from "../http/errors.ts";
import { AdmittedCaller, readFrame } from "./requests.ts";
import {
  authTooLate,
  echo,
  failure,
  loggedOut,
  type Question,
  somebodyElse,
  tokenChanged,
} from "./speech.ts";

/** What the door gives each of its connections. */
export interface BearerSetting {
  readonly useCases: AskedUseCases;
  readonly loopbackGuard: LoopbackGuard;
  readonly log: Log;
  /** The user that the owner's token represents. */
  readonly user: string;
}

export interface BearerParts extends BearerSetting {
  readonly authMs: number;
  isTaking(): boolean;
  /** Stops reading until it is known who the caller is. */
  hold(): void;
  admitted(): void;
  turnAway(error: BellhopError, type: unknown, reqId?: ReqId): void;
  write(answer: object): void;
}

/** What it brought when it connected. */
export interface Brought {
  readonly credentials: Credentials | undefined;
  readonly cookies: readonly string[];
}

type Standing =
  | { readonly at: "stranger" | "being-checked" }
  | { readonly at: "admitted"; readonly shown: Credentials; readonly caller: AdmittedCaller };

export class Bearer {
  readonly #parts: BearerParts;
  readonly #cookies: readonly string[];
  readonly #timer: NodeJS.Timeout;
  #standing: Standing;

  /** Who has shown no credential on connecting has a few seconds to show one. */
  constructor(parts: BearerParts, { credentials: shown, cookies }: Brought) {
    this.#cookies = cookies;
    this.#parts = parts;
    this.#standing = shown === undefined ? { at: "stranger" } : this.#as(shown);
    this.#timer = setTimeout(() => {
      if (this.caller === undefined) parts.turnAway(authTooLate(parts.authMs), "auth");
    }, parts.authMs).unref();
  }

  get isStranger(): boolean {
    return this.#standing.at === "stranger";
  }

  get isAdmitted(): boolean {
    return this.#standing.at === "admitted";
  }

  get isBrowser(): boolean {
    return this.#standing.at === "admitted" && this.#standing.shown.shown.kind === "browser";
  }

  /** Undefined until it is admitted. */
  get caller(): AdmittedCaller | undefined {
    return this.#standing.at === "admitted" ? this.#standing.caller : undefined;
  }

  async show({ type, reqId, fields }: Question): Promise<void> {
    const { log, isTaking, hold, turnAway, admitted, write } = this.#parts;
    const before = this.#standing;
    if (before.at !== "admitted") {
      this.#standing = { at: "being-checked" };
      hold();
    }
    try {
      const identified = await this.#identify(readFrame("auth", fields));
      if (!isTaking()) return;
      if (identified.kind === "refused") {
        turnAway(refusalError(identified), type, reqId);
        return;
      }
      if (before.at === "admitted" && !isSameCaller(before.shown.who, identified.who)) throw somebodyElse();
      this.#standing = this.#as(identified);
      clearTimeout(this.#timer);
      write({ type: "auth.ok", ...echo(reqId) });
      admitted();
    } catch (error) {
      const told = tellable(error, log, "auth");
      if (before.at === "admitted") write(failure(told, type, reqId));
      else turnAway(told, type, reqId);
    }
  }

  /** The owner's token has changed, or browsers were logged out: checks whether this caller may stay. */
  async checkAgain(): Promise<void> {
    const { loopbackGuard, isTaking, turnAway } = this.#parts;
    if (!isTaking() || this.#standing.at !== "admitted") return;
    if (!(await loopbackGuard.isStill(this.#standing.shown)) && isTaking())
      turnAway(this.#standing.shown.shown.kind === "token" ? tokenChanged() : loggedOut(), "auth");
  }

  /** Stops waiting for a token. */
  end(): void {
    clearTimeout(this.#timer);
  }

  async #identify({ token, key }: WsRequest<"auth">): Promise<Identified> {
    const { loopbackGuard } = this.#parts;
    if (token !== undefined) return loopbackGuard.identifyToken(token);
    return loopbackGuard.identifyKey({ cookies: this.#cookies, key: key ?? "" });
  }

  #as(shown: Credentials): Standing {
    const { useCases, user } = this.#parts;
    const agent = shown.who.kind === "agent" ? shown.who.name : undefined;
    return { at: "admitted", shown, caller: new AdmittedCaller(useCases, { user, agent }) };
  }
}
