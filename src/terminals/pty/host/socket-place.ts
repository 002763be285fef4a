/** A host's socket file, created again if it was removed or replaced by another socket's. */
import { once } from "node:events";
import { lstatSync, type Stats } from "node:fs";
import type { Server } from "node:net";

export class SocketPlace {
  readonly #server: Server;
  readonly #path: string;
  /** Identifies our file: no other file can have these numbers while we listen. */
  #own: Pick<Stats, "dev" | "ino"> | undefined;

  constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  async take(): Promise<void> {
    await listenAt(this.#server, this.#path);
    this.#own = lstatSync(this.#path, { throwIfNoEntry: false });
  }

  /** Existing connections stay open. */
  async takeAgain(): Promise<void> {
    const there = lstatSync(this.#path, { throwIfNoEntry: false });
    if (this.#server.listening && this.#isOwn(there)) return;
    if (there !== undefined && !there.isSocket()) throw new Error(`${this.#path} is not a socket.`);
    // In this order: closing removes whatever file is at the path at that time.
    this.#server.close();
    await this.take();
  }

  /** Removes our file, and only ours. */
  leave(): void {
    if (this.#isOwn(lstatSync(this.#path, { throwIfNoEntry: false }))) this.#server.close();
  }

  #isOwn(there: Stats | undefined): boolean {
    return there !== undefined && there.ino === this.#own?.ino && there.dev === this.#own.dev;
  }
}

async function listenAt(server: Server, path: string): Promise<void> {
  const listening = once(server, "listening");
  const umask = process.umask(0o177);
  server.listen(path);
  process.umask(umask);
  await listening;
}
