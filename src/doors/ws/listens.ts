/** What one WebSocket listens to. All listening ends with the connection. */
import { BellhopError } from "../../core/errors.ts";
import type { BoardFrame } from "../../wire/shapes/board.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { BoardRequest } from "../../wire/verbs/board.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { Push, Streams } from "../../wire/verbs/streams.ts";
import { Listen } from "../caller/listener.ts";
import { NewestTold } from "../caller/newest-told.ts";
import { type Outlet, whenRoom } from "../caller/outlet.ts";
import { RoutesTold } from "../caller/routes-told.ts";
import { boardFrame, routeFrame, type Told } from "./frames.ts";
import type { OwnSends } from "./own-sends.ts";
import type { Receipts } from "./receipts.ts";
import { Screens } from "./screens.ts";

export interface ListensParts {
  readonly streams: Streams;
  readonly outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained" | "write">;
  readonly receipts: Pick<Receipts, "confirmed">;
  readonly ownSends: Pick<OwnSends, "push" | "isAnswered">;
  /** Mailboxes that one connection may listen to. */
  readonly most: number;
  /** Terminals that one connection may look at. */
  readonly mostScreens: number;
}

interface Opened {
  readonly listen: Listen;
  readonly pushedAs: string | undefined;
  readonly told: Told;
}

/** How one listener is told: `frameOf` makes the frames, in this form. */
export interface Telling {
  readonly told: Told;
  frameOf(message: BrokerMessage): Buffer;
}

export class Listens {
  readonly screens: Screens;
  readonly #parts: ListensParts;
  readonly #open = new Set<Opened>();
  #routes: RoutesTold | undefined;
  #board: NewestTold<BoardFrame> | undefined;
  #over = false;

  constructor(parts: ListensParts) {
    this.#parts = parts;
    this.screens = new Screens({ ...parts, most: parts.mostScreens });
  }

  /** A repeated request does not deliver twice. */
  async open(request: ListenRequest, telling: Telling): Promise<Listen> {
    const known = this.#known(request);
    const isSame = known?.listen.consume === (request.consume === true) && known.told === telling.told;
    const opened = isSame ? known : this.#replace(known, request, telling);
    if (this.#over) this.closeAll();
    try {
      await opened.listen.opened;
    } catch (error) {
      this.#open.delete(opened);
      throw error;
    }
    return opened.listen;
  }

  /** Asked again, it tells nothing twice. */
  async routes(claims: Claims): Promise<RoutesTold> {
    if (this.#routes !== undefined) return this.#routes;
    const { streams, outlet, ownSends } = this.#parts;
    const told = new RoutesTold((routed) => {
      const frame = routeFrame(routed);
      return ownSends.push(frame.length, () => outlet.write(frame));
    });
    this.#routes = told;
    try {
      told.onClose((await streams.routes((routed) => told.tell(routed), claims)).close);
    } catch (error) {
      if (this.#routes === told) this.#routes = undefined;
      throw error;
    }
    if (this.#over) told.close();
    return told;
  }

  endRoutes(): void {
    this.#routes?.close();
    this.#routes = undefined;
  }

  /** Asked again, it begins anew, with a snapshot. */
  async board(request: BoardRequest, claims: Claims): Promise<NewestTold<BoardFrame>> {
    const { streams, outlet } = this.#parts;
    const told = new NewestTold(outlet, boardFrame);
    const reading = await streams.board(request, () => told.ready(), claims);
    this.endBoard();
    this.#board = told;
    told.reads(reading);
    if (this.#over) told.close();
    return told;
  }

  endBoard(): void {
    this.#board?.close();
    this.#board = undefined;
  }

  closeAll(): void {
    this.#over = true;
    this.endRoutes();
    this.endBoard();
    this.screens.closeAll();
    for (const { listen } of this.#open) listen.close();
    this.#open.clear();
  }

  #replace(known: Opened | undefined, request: ListenRequest, { told, frameOf }: Telling): Opened {
    const { streams, most } = this.#parts;
    if (known === undefined && this.#open.size >= most) throw tooMany(most);
    known?.listen.close();
    if (known !== undefined) this.#open.delete(known);
    const push = request.consume === true ? this.#handing(frameOf) : this.#telling(frameOf);
    const opened = { listen: new Listen(streams, request, push), pushedAs: pushedAs(request), told };
    this.#open.add(opened);
    return opened;
  }

  /** By the current mailbox, not by the requested name: agents can be renamed, and a name can change hands. */
  #known(request: ListenRequest): Opened | undefined {
    const mailbox = this.#parts.streams.mailboxOf(request);
    const wanted = pushedAs(request);
    return [...this.#open].find(({ listen, pushedAs: as }) => listen.mailbox === mailbox && as === wanted);
  }

  /** A plain listener's push changes nothing, so nobody waits for it. */
  #telling(frameOf: (message: BrokerMessage) => Buffer): Push {
    const { outlet, ownSends } = this.#parts;
    return (message) => {
      const frame = frameOf(message);
      if (ownSends.isAnswered) return outlet.write(frame);
      return ownSends.push(frame.length, () => outlet.write(frame));
    };
  }

  /** Waits for room instead of being cut off: what is handed over and confirmed never piles up. */
  #handing(frameOf: (message: BrokerMessage) => Buffer): Push {
    const { outlet, receipts, ownSends } = this.#parts;
    const hand = (message: BrokerMessage) =>
      whenRoom(outlet, () => (outlet.write(frameOf(message)) === "gone" ? "gone" : receipts.confirmed()));
    return (message) => ownSends.push(0, () => hand(message));
  }
}

/** A session's pushes carry the names used in the request; an agent's carry none. */
function pushedAs({ agent, session }: ListenRequest): string | undefined {
  return session === undefined ? undefined : JSON.stringify([agent, session]);
}

function tooMany(most: number): BellhopError {
  return new BellhopError("listener.too_many", {
    message: `This connection already listens to ${most} mailboxes.`,
    next: "Open another connection.",
  });
}
