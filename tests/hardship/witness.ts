/** What the agents have read, by their own logs: when, and in which order. A batch by reference is read from its file. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import type { ScriptedAgent, ScriptedEntry } from "../rig/scripted-agent.ts";
import { marksIn } from "./load.ts";

const BATCH_FILE = /^\[\d+ messages from: [^\]]*\] Read (\/\S+?\.md)/u;

export class Witness {
  readonly #readers: ReadonlyMap<string, Reader>;

  /** By `host/agent`. */
  constructor(agents: ReadonlyMap<string, ScriptedAgent>) {
    this.#readers = new Map([...agents].map(([who, { logFile }]) => [who, new Reader(logFile)]));
  }

  /** Everything until now. */
  read(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.#readers].map(([who, reader]) => [who, reader.look().marks]));
  }

  /** When this recipient first read it, as far as `read` was asked. */
  readAt(who: string, mark: string): number | undefined {
    return this.#readers.get(who)?.firstAt.get(mark);
  }
}

class Reader {
  readonly marks: string[] = [];
  readonly firstAt = new Map<string, number>();
  readonly #file: string;
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  look(): this {
    for (const line of this.#newLines()) {
      const { at, prompt } = JSON.parse(line) as ScriptedEntry;
      if (prompt === undefined) continue;
      const file = BATCH_FILE.exec(prompt)?.[1];
      for (const mark of marksIn(file === undefined ? prompt : readFileSync(file, "utf8"))) {
        this.marks.push(mark);
        if (!this.firstAt.has(mark)) this.firstAt.set(mark, at);
      }
    }
    return this;
  }

  #newLines(): readonly string[] {
    const file = openSync(this.#file, "r");
    try {
      const found = Buffer.alloc(1 << 20);
      const bytes = readSync(file, found, 0, found.length, this.#offset);
      const end = found.subarray(0, bytes).lastIndexOf(10) + 1;
      this.#offset += end;
      return found.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    } finally {
      closeSync(file);
    }
  }
}
