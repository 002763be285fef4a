import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "../../src/client/connect.ts";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix/door.ts";
import type { UnixLimits } from "../../src/doors/unix/limits.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import {
  noStreams,
  type RememberedLog,
  rememberedLog,
  type ScriptedUseCases,
  scriptedUseCases,
} from "./scripted-use-cases.ts";

export const SENT: SendResponse = {
  messageId: "m-1",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [{ id: "d-1", to: "agent/coder", state: "queued" }],
};
export const STATUS: StatusResponse = {
  running: true,
  pid: 1,
  version: "1.2.3",
  home: "/h",
  socket: "/h/run/bellhop.sock",
  http: { host: "127.0.0.1", port: 2355 },
  tokenFile: "/h/token",
  sessions: 0,
  queued: 0,
  startedAt: 1,
  warnings: [],
  trouble: [],
};

export interface UnixCaller {
  readonly socket: Socket;
  /** The next line of the answers. */
  next(): Promise<Record<string, unknown>>;
  /** What is left to read when the door has closed. */
  all(): Promise<string>;
}

export class UnixDoorStage {
  readonly folder = mkdtempSync(join(tmpdir(), "bh-door-"));
  readonly path = join(this.folder, "bellhop.sock");
  script: ScriptedUseCases = scriptedUseCases({});
  log: RememberedLog = rememberedLog();
  #door: UnixDoor | undefined;
  readonly #open: { destroy(): void }[] = [];

  async start(
    answers: Partial<UseCases>,
    limits: Partial<UnixLimits> = {},
    path: string = this.path,
  ): Promise<void> {
    this.script = scriptedUseCases(answers);
    this.log = rememberedLog();
    this.#door = await startUnixDoor({
      path,
      streams: noStreams,
      useCases: this.script.useCases,
      log: this.log,
      version: "1.2.3",
      user: "dev",
      now: () => 1_000,
      limits,
    });
  }

  async closeDoor(graceMs?: number): Promise<void> {
    await this.#door?.close(graceMs);
  }

  async caller(): Promise<UnixCaller> {
    const socket = dial({ path: this.path, allowHalfOpen: true });
    this.#open.push(socket);
    await once(socket, "connect");
    let text = "";
    const wake = { call: () => {} };
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      wake.call();
    });
    const ended = new Promise<void>((resolve) => {
      socket.once("end", resolve);
      socket.once("close", () => resolve());
    });
    socket.on("error", () => {});
    return {
      socket,
      async next() {
        while (!text.includes("\n")) {
          await new Promise<void>((resolve, reject) => {
            wake.call = resolve;
            void ended.then(() =>
              text.includes("\n") ? resolve() : reject(new Error("ended without an answer")),
            );
          });
        }
        const at = text.indexOf("\n");
        const line = text.slice(0, at);
        text = text.slice(at + 1);
        return JSON.parse(line);
      },
      async all() {
        await ended;
        return text;
      },
    };
  }

  async client(): Promise<Client> {
    const made = await connect(this.path);
    this.#open.push({ destroy: () => made.close() });
    return made;
  }

  async dispose(): Promise<void> {
    for (const thing of this.#open.splice(0)) thing.destroy();
    await this.#door?.close(100).catch(() => {});
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An answer that waits until the test releases it. */
export function heldBack<Answer>(answer: Answer): { give(): Promise<Answer>; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    async give() {
      await released;
      return answer;
    },
    release: () => release(),
  };
}

/** In an envelope, or flat, where the error is a text and its code and next step are separate fields. */
export function errorOf(answer: Record<string, unknown>) {
  const { error } = answer;
  return (typeof error === "string" ? { ...answer, message: error } : error) as {
    code: string;
    message: string;
    next: string;
  };
}
