/** From one parsed line to its answer, and what continues after it: what this caller listens to and follows. */
import type { BellhopError } from "../../core/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { BoardFrame } from "../../wire/shapes/board.ts";
import type { AskedUseCases, RequestOf, Verb } from "../../wire/verbs/index.ts";
import type { FollowEar, Streams } from "../../wire/verbs/streams.ts";
import { Listen } from "../caller/listener.ts";
import { NewestTold } from "../caller/newest-told.ts";
import type { Outlet } from "../caller/outlet.ts";
import { PlainSends } from "../caller/plain-publish.ts";
import type { Reply } from "../caller/pump.ts";
import {
  type Ask,
  answerRequest,
  type Caller,
  readRequest,
  readStreamRequest,
  tellable,
} from "../caller/requests.ts";
import { RoutesTold } from "../caller/routes-told.ts";
import { failure, success } from "./answers.ts";
import type { Manner, OpenedEnvelope } from "./envelope.ts";
import type { UnixLimits } from "./limits.ts";
import { boardLine, handing, routeLine, telling } from "./listens.ts";
import { Newest } from "./newest.ts";
import { UnixStreams } from "./streams.ts";
import { readVerbRequest, type VerbRequest } from "./verbs.ts";

/** What the door gives each of its connections. */
export interface UnixSetting {
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  readonly log: Log;
  readonly version: string;
  readonly limits: UnixLimits;
  caller(): Caller;
}

export interface AnsweringParts extends UnixSetting {
  readonly outlet: Outlet;
  /** Nothing more will come for something that was followed. */
  followOver(error: BellhopError, manner: Manner): void;
}

type Fields = Readonly<Record<string, unknown>>;

export class UnixAnswering {
  readonly #parts: AnsweringParts;
  readonly #plainSends = new PlainSends();
  readonly #listens: UnixStreams<Listen>;
  readonly #follows: UnixStreams<Newest>;
  readonly #routes: UnixStreams<RoutesTold>;
  readonly #boards: UnixStreams<NewestTold<BoardFrame>>;

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
    this.#listens = new UnixStreams("listen", parts.limits.listens);
    this.#follows = new UnixStreams("follow", parts.limits.follows);
    this.#routes = new UnixStreams("routes", parts.limits.routes);
    this.#boards = new UnixStreams("watch_all", parts.limits.boards);
  }

  get hasStreams(): boolean {
    return this.#all.some(({ size }) => size > 0);
  }

  closeStreams(): void {
    for (const streams of this.#all) streams.closeAll();
  }

  get #all(): readonly Pick<UnixStreams<Listen>, "size" | "closeAll">[] {
    return [this.#listens, this.#follows, this.#routes, this.#boards];
  }

  /** Every failure becomes an answer too. */
  async carryOut({ manner, content }: OpenedEnvelope): Promise<Reply> {
    const { useCases, log, version, caller } = this.#parts;
    let verb = "?";
    try {
      if (content.kind === "unreadable") throw content.error;
      const stream = this.#stream(content.type, content.fields, manner);
      if (stream !== undefined) return await stream;
      const asked = readVerbRequest(content.type, content.fields());
      verb = asked.verb;
      const ask = this.#read(asked, caller());
      const result = await answerRequest(useCases, asked.verb, ask);
      return { frame: success(version, manner, result, asked.verb) };
    } catch (error) {
      return { frame: failure(version, manner, tellable(error, log, verb)) };
    }
  }

  #read({ verb, fields }: VerbRequest, caller: Caller): Ask<RequestOf<Verb>> {
    const plain = this.#plainSends.read(verb, fields, caller);
    if (plain !== undefined) return plain;
    const ask = readRequest(verb, fields, caller);
    this.#plainSends.learn(fields, caller, ask.claims);
    return ask;
  }

  /** Requests with more than one answer, and those that end them. */
  #stream(type: unknown, fields: () => Fields, manner: Manner): Reply | Promise<Reply> | undefined {
    const { version, caller } = this.#parts;
    switch (type) {
      case "listen":
        return this.#listen(fields(), manner);
      case "follow":
        return this.#follow(fields(), manner);
      case "unlisten": {
        const { request } = readStreamRequest(type, fields(), caller());
        this.#listens.close(request.listen);
        return { frame: success(version, manner, request) };
      }
      case "unfollow": {
        const { request } = readStreamRequest(type, fields(), caller());
        this.#follows.close(request.follow);
        return { frame: success(version, manner, request) };
      }
      case "routes":
        return this.#tellRoutes(fields(), manner);
      case "unroutes": {
        const { request } = readStreamRequest(type, fields(), caller());
        this.#routes.close(request.routes);
        return { frame: success(version, manner, request) };
      }
      case "watch_all":
        return this.#tellBoard(fields(), manner);
      case "unwatch_all": {
        const { request } = readStreamRequest(type, fields(), caller());
        this.#boards.close(request.watchAll);
        return { frame: success(version, manner, request) };
      }
      default:
        return undefined;
    }
  }

  async #listen(fields: Fields, manner: Manner): Promise<Reply> {
    const { streams, outlet, version, caller } = this.#parts;
    const { request } = readStreamRequest("listen", fields, caller());
    const reqId = this.#listens.place(manner.reqId);
    const push = request.consume === true ? handing(outlet, manner) : telling(outlet, manner);
    const listen = new Listen(streams, request, push);
    const whose = await this.#listens.keep(reqId, listen, () => listen.opened);
    return { frame: success(version, manner, whose), after: () => listen.begin() };
  }

  async #tellRoutes(fields: Fields, manner: Manner): Promise<Reply> {
    const { streams, outlet, version, caller } = this.#parts;
    const { claims } = readStreamRequest("routes", fields, caller());
    const reqId = this.#routes.place(manner.reqId);
    const told = new RoutesTold((routed) => outlet.write(routeLine(reqId, routed)));
    const open = () => streams.routes((routed) => told.tell(routed), claims);
    told.onClose((await this.#routes.keep(reqId, told, open)).close);
    return { frame: success(version, manner, {}), after: () => told.begin() };
  }

  async #tellBoard(fields: Fields, manner: Manner): Promise<Reply> {
    const { streams, outlet, version, caller } = this.#parts;
    const { request, claims } = readStreamRequest("watch_all", fields, caller());
    const reqId = this.#boards.place(manner.reqId);
    const told = new NewestTold<BoardFrame>(outlet, (frame) => boardLine(reqId, frame));
    const open = () => streams.board(request, () => told.ready(), claims);
    told.reads(await this.#boards.keep(reqId, told, open));
    return { frame: success(version, manner, {}), after: () => told.begin() };
  }

  async #follow(fields: Fields, manner: Manner): Promise<Reply> {
    const { streams, outlet, version, caller, followOver } = this.#parts;
    const { request, claims } = readStreamRequest("follow", fields, caller());
    const reqId = this.#follows.place(manner.reqId);
    const newest = new Newest(reqId, outlet);
    const ear: FollowEar = {
      hear: (followed) => newest.tell(followed),
      over: (error) => {
        this.#follows.remove(reqId);
        newest.close();
        followOver(error, manner);
      },
    };
    const opened = await this.#follows.keep(reqId, newest, () => streams.follow(request, ear, claims));
    const { close, ...whom } = opened;
    newest.onClose(close);
    return { frame: success(version, manner, whom), after: () => newest.begin() };
  }
}
