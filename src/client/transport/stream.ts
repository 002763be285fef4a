/** What the daemon goes on saying after one request, on a connection of its own, until either side ends it. */
import type { BellhopError } from "../../core/errors.ts";
import type { Listening } from "../line.ts";
import { type Fields, openConnection, type Place } from "./connection.ts";

interface StreamEar {
  hear(push: Fields): void;
  /** Once, unless we closed it ourselves: the connection is gone, or the daemon refused. */
  over(error: BellhopError): void;
}

/** Resolves once the daemon has agreed; rejects with its refusal. */
export async function openStream<Granted extends object>(
  place: Place,
  request: Fields,
  read: (answer: Fields) => Granted,
  ear: StreamEar,
): Promise<Listening & Granted> {
  const connection = await openConnection(place, (push) => ear.hear(push));
  try {
    const granted = await connection.ask(request, read);
    void connection.ended.then((ending) => ending === "closed-here" || ear.over(ending));
    return {
      ...granted,
      pause: () => connection.pause(),
      resume: () => connection.resume(),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
