/** A client of Codex's server. */
import { VERSION } from "../../../wire/version.ts";
import { fieldsOf, parseLine } from "../../transcripts/line.ts";

/** Exchanges JSON texts with a Codex server, over any transport. */
export interface Link {
  /** Call once. `lost` may be called more than once. */
  listen(receive: (text: string) => void, lost: (error: Error) => void): void;
  send(text: string): void;
  close(): void;
}

/** `no`: the server refused. `lost`: no answer came, so what it did is unknown. */
export class AppServerError extends Error {
  override readonly name = "AppServerError";
  readonly answer: "no" | "lost";

  constructor(answer: "no" | "lost", message: string) {
    super(message);
    this.answer = answer;
  }
}

export interface AppServer {
  call(method: string, params: object): Promise<unknown>;
  close(): void;
}

/** Aborting the signal fails all pending requests as lost. */
export async function greetAppServer(link: Link, signal: AbortSignal): Promise<AppServer> {
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  let lastId = 0;
  let gone: AppServerError | undefined;
  const lose = (error: Error) => {
    gone ??= new AppServerError("lost", `Codex's server did not answer: ${error.message}.`);
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  const abort = () => {
    lose(new Error("it took too long"));
    link.close();
  };
  link.listen((text) => {
    const answer = parseLine(text) ?? {};
    const waiter = typeof answer.id === "number" ? waiting.get(answer.id) : undefined;
    // The server's notices and questions are for its windows, not for us.
    if (waiter === undefined || "method" in answer) return;
    waiting.delete(answer.id as number);
    if (answer.error === undefined) waiter.resolve(answer.result);
    else waiter.reject(new AppServerError("no", `Codex refused: ${reasonOf(answer.error)}`));
  }, lose);
  signal.addEventListener("abort", abort, { once: true });

  const call = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      if (signal.aborted) abort();
      if (gone !== undefined) return reject(gone);
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      link.send(JSON.stringify({ id: lastId, method, params }));
    });
  const server: AppServer = {
    call,
    close() {
      signal.removeEventListener("abort", abort);
      lose(new Error("it was let go"));
      link.close();
    },
  };
  try {
    // Queues and thread servers belong to the experimental part of the protocol, which must be requested.
    const capabilities = { experimentalApi: true };
    await call("initialize", { clientInfo: { name: "bellhop", version: VERSION }, capabilities });
    link.send(JSON.stringify({ method: "initialized" }));
    return server;
  } catch (error) {
    server.close();
    throw error;
  }
}

const LONGEST_REASON = 200;

function reasonOf(error: unknown): string {
  const message = fieldsOf(error)?.message;
  return typeof message === "string" ? message.slice(0, LONGEST_REASON) : "it gave no reason";
}
