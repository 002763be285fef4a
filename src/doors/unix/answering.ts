/** From one opened line to its answer, and what goes on after it: whom this caller listens to and follows. */
import type { BellhopError } from "../../core/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import type { Outlet } from "../caller/outlet.ts";
import type { Reply } from "../caller/pump.ts";
import { answerRequest, type Caller, readRequest, readStreamRequest, tellable } from "../caller/requests.ts";
import { failure, success } from "./answers.ts";
import type { Manner, OpenedEnvelope, ReqId } from "./envelope.ts";
import { UnixFollows } from "./follows.ts";
import type { UnixLimits } from "./limits.ts";
import { UnixListens } from "./listens.ts";
import { readAsked } from "./verbs.ts";

export interface AnsweringParts {
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  readonly log: Log;
  readonly version: string;
  readonly limits: Pick<UnixLimits, "listens" | "follows">;
  readonly outlet: Outlet;
  caller(): Caller;
  /** There is no more to tell of one that was followed. */
  followOver(error: BellhopError, manner: Manner): void;
}

type Fields = Readonly<Record<string, unknown>>;

export class UnixAnswering {
  readonly #parts: AnsweringParts;
  readonly #listens: UnixListens;
  readonly #follows: UnixFollows;
  /** Who began to follow flat is told so how it ends. */
  readonly #flatFollows = new Set<ReqId>();

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
    const { streams, outlet, limits, followOver } = parts;
    this.#listens = new UnixListens({ streams, outlet, most: limits.listens });
    this.#follows = new UnixFollows({
      streams,
      outlet,
      most: limits.follows,
      over: (reqId, error) =>
        followOver(error, { reqId, form: this.#flatFollows.delete(reqId) ? "flat" : "enveloped" }),
    });
  }

  get hasStreams(): boolean {
    return this.#listens.size > 0 || this.#follows.size > 0;
  }

  closeStreams(): void {
    this.#listens.closeAll();
    this.#follows.closeAll();
  }

  /** Everything that goes wrong on the way becomes an answer too. */
  async carryOut({ manner, content }: OpenedEnvelope): Promise<Reply> {
    const { useCases, log, version, caller } = this.#parts;
    let verb = "?";
    try {
      if (content.kind === "unreadable") throw content.error;
      const stream = this.#stream(content.type, content.fields, manner);
      if (stream !== undefined) return await stream;
      const asked = readAsked(content.type, content.fields());
      verb = asked.verb;
      const ask = readRequest(asked.verb, asked.fields, caller());
      const result = await answerRequest(useCases, asked.verb, ask);
      return { frame: success(version, manner, result, asked.verb) };
    } catch (error) {
      return { frame: failure(version, manner, tellable(error, log, verb)) };
    }
  }

  /** What does not end with one answer, and what ends it. */
  #stream(type: unknown, fields: () => Fields, manner: Manner): Reply | Promise<Reply> | undefined {
    const { version, caller } = this.#parts;
    switch (type) {
      case "listen":
        return this.#listen(fields(), manner);
      case "follow":
        return this.#follow(fields(), manner);
      case "unlisten": {
        const { request } = readStreamRequest(type, fields(), caller());
        return { frame: success(version, manner, this.#listens.close(request.listen)) };
      }
      case "unfollow": {
        const { request } = readStreamRequest(type, fields(), caller());
        return { frame: success(version, manner, this.#follows.close(request.follow)) };
      }
      default:
        return undefined;
    }
  }

  async #listen(fields: Fields, manner: Manner): Promise<Reply> {
    const { version, caller } = this.#parts;
    const { request } = readStreamRequest("listen", fields, caller());
    const listen = await this.#listens.open(manner.reqId, request);
    return { frame: success(version, manner, await listen.opened), after: () => listen.begin() };
  }

  async #follow(fields: Fields, manner: Manner): Promise<Reply> {
    const { version, caller } = this.#parts;
    const { request, claims } = readStreamRequest("follow", fields, caller());
    const { begin, ...whom } = await this.#follows.open(manner.reqId, request, claims);
    if (manner.reqId !== undefined && manner.form === "flat") this.#flatFollows.add(manner.reqId);
    return { frame: success(version, manner, whom), after: begin };
  }
}
