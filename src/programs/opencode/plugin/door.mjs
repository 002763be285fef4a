/** The way in: one question and one answer for each connection, each a line of JSON. */
import { chmodSync, existsSync, readdirSync, unlinkSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";

/** A text of a megabyte, as JSON. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
const DEADLINE_MS = 10_000;

/** The socket on which this window takes messages, named after its process. */
export class Door {
  #server;
  #isOpening = false;

  constructor(home, answer) {
    this.folder = join(home, "run");
    this.path = join(this.folder, `oc-${process.pid}`);
    this.answer = answer;
  }

  /** Again, if somebody has removed it. */
  open() {
    if (this.#isOpening || !existsSync(this.folder)) return;
    if (existsSync(this.path)) {
      if (this.#server === undefined) this.#clear();
      return;
    }
    this.#isOpening = true;
    this.#server?.close();
    forgetTheDead(this.folder);
    const server = createServer((connection) => this.#converse(connection));
    server.on("error", () => {
      this.#isOpening = false;
    });
    server.listen(this.path, () => {
      this.#isOpening = false;
      quietly(() => chmodSync(this.path, 0o600));
    });
    server.unref();
    this.#server = server;
  }

  /** A killed window had the same process id, as happens in containers. If nobody answers, the next look opens. */
  #clear() {
    this.#isOpening = true;
    const probe = createConnection(this.path);
    probe.unref();
    probe.on("connect", () => probe.destroy());
    probe.on("error", ({ code }) => {
      if (code === "ECONNREFUSED") quietly(() => unlinkSync(this.path));
    });
    probe.on("close", () => {
      this.#isOpening = false;
    });
  }

  close() {
    this.#server?.close();
    this.#server = undefined;
    quietly(() => unlinkSync(this.path));
  }

  #converse(connection) {
    let text = "";
    connection.setEncoding("utf8");
    connection.setTimeout(DEADLINE_MS, () => connection.destroy());
    connection.on("error", () => connection.destroy());
    connection.on("data", (piece) => {
      text += piece;
      if (text.length > MOST_CHARACTERS) return connection.destroy();
      const end = text.indexOf("\n");
      if (end === -1) return;
      const line = text.slice(0, end);
      connection.removeAllListeners("data");
      this.answer(line).then(
        (answer) => connection.end(`${JSON.stringify(answer)}\n`),
        () => connection.destroy(),
      );
    });
  }
}

/** Sockets of windows that were killed. */
function forgetTheDead(folder) {
  for (const name of readdirSync(folder)) {
    const pid = /^oc-(\d+)$/.exec(name)?.[1];
    if (pid === undefined) continue;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      if (error.code === "ESRCH") quietly(() => unlinkSync(join(folder, name)));
    }
  }
}

/** Whatever goes wrong here, OpenCode goes on. */
function quietly(act) {
  try {
    act();
  } catch {
    // Nothing of OpenCode's depends on it.
  }
}
