/** One connection to the daemon, in any protocol: dialled within a deadline, with numbered questions, ended once. */
import type { BellhopError } from "../../core/errors.ts";
import { type Pending, pendingQuestions } from "../../wire/pending.ts";
import type { Listening } from "../line.ts";
import { unreachable, unreadable } from "./failures.ts";

export const CLIENT_LIMITS = {
  connectMs: 5_000,
  callMs: 30_000,
  /** An answer may list a whole queue. */
  answerBytes: 64 * 1024 * 1024,
} as const;

export type Fields = Readonly<Record<string, unknown>>;

/** A question before it has a number. `claims` rarely change, so they are written once. */
export interface Request {
  readonly type: string;
  readonly fields: Fields;
  readonly claims?: object | undefined;
  /** The answer may leave out what the caller knows; the daemon must have said that it can be brief. */
  readonly brief?: boolean;
}

/** `to`: the number of the question; undefined if it concerns the connection itself. */
export type Heard =
  | { readonly kind: "answer"; readonly to: number | undefined; readonly answer: Fields }
  | { readonly kind: "refusal"; readonly to: number | undefined; readonly error: BellhopError }
  | { readonly kind: "push"; readonly push: Fields };

export interface Transport extends Listening {
  send(id: number, request: Request): void;
}

export interface TransportEar {
  opened(): void;
  /** `read` throws if the data cannot be read. */
  heard(read: () => Heard): void;
  /** Pushes that nobody has read yet. Absent: each is read as it comes. */
  pushed?(pushes: Pushes): void;
  /** The first reason counts. */
  over(error: BellhopError): void;
}

/** Pushes in one piece, oldest first. */
export interface Pushes {
  readonly size: number;
  /** The next; throws if it cannot be read. */
  take(): Fields;
}

/** Who hears what is pushed over a connection. */
export interface Hearer {
  hear(push: Fields): void;
  /** For pushes that are read later; `refuse` is called if they cannot be. Without it, `hear` gets each as it comes. */
  readonly hearUnread?: ((pushes: Pushes, refuse: (why: unknown) => void) => void) | undefined;
}

export interface Place {
  /** Its name for people. */
  readonly name: string;
  dial(ear: TransportEar): Transport;
  /** Gives fields the names that the code uses: what is heard has the protocol's own. */
  named(heard: Fields): Fields;
}

type Ending = BellhopError | "closed-here";

export interface Connection extends Listening {
  /** If `read` throws, nothing else on this connection can be trusted, so it ends. */
  ask<Answer>(
    request: Request,
    read: (answer: Fields) => Answer,
    withinMs?: number | "never",
  ): Promise<Answer>;
  /** Why it is over, if it is. */
  lost(): BellhopError | undefined;
  readonly ended: Promise<Ending>;
}

/** `hearer`: for a connection that listens. It ends if the daemon later withdraws what it granted. */
export function openConnection(place: Place, hearer?: Hearer): Promise<Connection> {
  const hearUnread = hearer?.hearUnread;
  return new Promise((opened, failed) => {
    const pending = pendingQuestions<Fields>({ now: () => performance.now(), after });
    let lost: BellhopError | undefined;
    let tellEnd: (ending: Ending) => void = () => {};
    const ended = new Promise<Ending>((tell) => {
      tellEnd = tell;
    });
    const end = (error: BellhopError, ending: Ending = error): void => {
      if (lost !== undefined) return;
      lost = error;
      callOffDial();
      // Before the callers are told, so that none of them asks on this connection again.
      tellEnd(ending);
      pending.lose(error);
      failed(error);
      transport.close();
    };
    const refuse = (why: unknown): void => end(unreadable(why));
    const transport = place.dial({
      opened() {
        callOffDial();
        opened(connection);
      },
      heard(read) {
        try {
          if (lost === undefined) take(read(), pending, hearer, end);
        } catch (error) {
          refuse(error);
        }
      },
      ...(hearUnread === undefined
        ? {}
        : {
            pushed(pushes) {
              if (lost === undefined) hearUnread(pushes, refuse);
            },
          }),
      over: (error) => end(error),
    });
    const callOffDial = after(CLIENT_LIMITS.connectMs, () =>
      end(unreachable(`No daemon answered on ${place.name}.`)),
    );
    const connection: Connection = {
      ...transport,
      ask(request, read, withinMs = CLIENT_LIMITS.callMs) {
        if (lost !== undefined) return Promise.reject(lost);
        return pending.ask((id) => transport.send(id, request), read, {
          withinMs,
          late: () => unreachable(`The daemon did not answer within ${Number(withinMs) / 1_000} s.`),
        });
      },
      lost: () => lost,
      ended,
      close: () => end(unreachable("This side closed the connection."), "closed-here"),
    };
  });
}

function take(
  heard: Heard,
  pending: Pending<Fields>,
  hearer: Hearer | undefined,
  end: (error: BellhopError) => void,
): void {
  if (heard.kind === "push") {
    hearer?.hear(heard.push);
    return;
  }
  const question = pending.find(heard.to);
  // The daemon withdraws what a listener was granted, or refuses the connection itself.
  const isEnd = heard.to === undefined || (question === "settled" && hearer !== undefined);
  if (heard.kind === "refusal" && isEnd) end(heard.error);
  else if (question === "never-asked") throw new Error("this was never asked");
  else if (question === "settled") return;
  else if (heard.kind === "answer") question.answer(heard.answer);
  else question.refuse(heard.error);
}

function after(ms: number, late: () => void): () => void {
  const timer = setTimeout(late, ms);
  return () => clearTimeout(timer);
}
