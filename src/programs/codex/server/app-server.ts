/** Codex's server, asked one thing at a time. */
import { VERSION } from "../../../wire/version.ts";
import { fieldsOf, parseLine } from "../../transcripts/line.ts";

/** A way to exchange JSON texts with a Codex server, whatever carries them. */
export interface Link {
  /** Once. `lost` may be called more than once. */
  listen(receive: (text: string) => void, lost: (error: Error) => void): void;
  send(text: string): void;
  close(): void;
}

/** `no`: the server answered and refused. `lost`: no answer came, so nobody knows what it did. */
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

/** When the signal is aborted, everything that waits is lost. */
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
    // Notices and questions of the server are for its windows, not for us.
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
    // Queues and the servers of a thread belong to the part of the protocol that must be asked for.
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
