/** What the daemon keeps sending after one request, on its own connection, until either side ends it. */
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
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

export async function listenAt(
  place: Place,
  request: Request,
  messageIn: (push: Fields) => BrokerMessage | undefined,
  ear: Ear,
): Promise<Opened> {
  const opened = await openStream(place, request, agentSinceIn, (push) => {
    const message = messageIn(push);
    if (message !== undefined) ear.hear(message);
  });
  void opened.ended.then((ending) => ending === "closed-here" || ear.over(ending));
  return opened;
}
