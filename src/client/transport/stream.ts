/** What the daemon keeps sending after one request, on its own connection, until either side ends it. */
import { BellhopError } from "../../core/errors.ts";
import { agentSinceIn, type Ear, type Opened, type Unread } from "../line.ts";
import {
  type Connection,
  type Fields,
  type Hearer,
  openConnection,
  type Place,
  type Pushes,
  type Request,
} from "./connection.ts";

/**
 * Resolves once the daemon has agreed, with what `read` extracts from its answer; rejects with its refusal. `hearer`
 * gets each push with the protocol's own names.
 */
export async function openStream<Granted extends object>(
  place: Place,
  request: Request,
  read: (answer: Fields) => Granted,
  hearer: Hearer,
): Promise<Connection & Granted> {
  const connection = await openConnection(place, hearer);
  try {
    return { ...connection, ...(await connection.ask(request, (answer) => read(place.named(answer)))) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

export async function listenAt<Heard>(
  place: Place,
  request: Request,
  heardIn: (push: Fields) => Heard | undefined,
  ear: Ear<Heard>,
): Promise<Opened> {
  const hear = (push: Fields): void => {
    const heard = heardIn(push);
    if (heard !== undefined) ear.hear(heard);
  };
  const opened = await openStream(place, request, agentSinceIn, {
    hear,
    hearUnread: readLater(heardIn, ear),
  });
  void opened.ended.then((ending) => ending === "closed-here" || ear.over(ending));
  return opened;
}

function readLater<Heard>(
  heardIn: (push: Fields) => Heard | undefined,
  ear: Ear<Heard>,
): Hearer["hearUnread"] {
  if (ear.hearUnread === undefined) return undefined;
  const trust = { isLost: false };
  return (pushes, refuse) => {
    const lose = (why: unknown): void => {
      trust.isLost = true;
      refuse(why);
    };
    ear.hearUnread?.(new ReadLater(pushes, heardIn, trust, lose));
  };
}

/** A class: V8 keeps what the getter of an object literal holds until it next collects all of its memory. */
class ReadLater<Heard> implements Unread<Heard> {
  readonly #pushes: Pushes;
  readonly #heardIn: (push: Fields) => Heard | undefined;
  /** Of all that came over this connection. */
  readonly #trust: { readonly isLost: boolean };
  readonly #lose: (why: unknown) => void;

  constructor(
    pushes: Pushes,
    heardIn: (push: Fields) => Heard | undefined,
    trust: { readonly isLost: boolean },
    lose: (why: unknown) => void,
  ) {
    this.#pushes = pushes;
    this.#heardIn = heardIn;
    this.#trust = trust;
    this.#lose = lose;
  }

  get size(): number {
    return this.#trust.isLost ? 0 : this.#pushes.size;
  }

  take(): Heard | undefined {
    try {
      while (this.size > 0) {
        const heard = this.#heardIn(this.#pushes.take());
        if (heard !== undefined) return heard;
      }
    } catch (error) {
      this.#lose(error);
    }
    return undefined;
  }
}

/** A daemon of an earlier version refuses to be brief. */
export async function listenBriefly(
  request: Request,
  brief: Request,
  listen: (request: Request) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await listen(brief);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "request.malformed") throw error;
    return listen(request);
  }
}
