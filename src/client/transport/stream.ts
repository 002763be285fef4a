/** What the daemon keeps sending after one request, on its own connection, until either side ends it. */
import { BellhopError } from "../../core/errors.ts";
import { agentSinceIn, type Ear, type Opened } from "../line.ts";
import { type Connection, type Fields, openConnection, type Place, type Request } from "./connection.ts";

/**
 * Resolves once the daemon has agreed, with what `read` extracts from its answer; rejects with its refusal. `hear` gets
 * each push with the protocol's own names.
 */
export async function openStream<Granted extends object>(
  place: Place,
  request: Request,
  read: (answer: Fields) => Granted,
  hear: (push: Fields) => void,
): Promise<Connection & Granted> {
  const connection = await openConnection(place, hear);
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
  const opened = await openStream(place, request, agentSinceIn, (push) => {
    const heard = heardIn(push);
    if (heard !== undefined) ear.hear(heard);
  });
  void opened.ended.then((ending) => ending === "closed-here" || ear.over(ending));
  return opened;
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
