/** Clients of a broker's doors: on a WebSocket, and on the Unix socket. */
import type { Socket } from "node:net";
import { expect } from "vitest";
import type { WebSocket } from "ws";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";

/** As parsed from JSON. */
export type Frame = { readonly type: string; readonly [field: string]: unknown };

/** A queue of things that arrive one by one and can be awaited. */
class Arrivals<T> {
  readonly #come: T[] = [];
  readonly #asked: { resolve(value: T): void; reject(error: Error): void }[] = [];
  #over: Error | undefined;

  add(value: T): void {
    const asked = this.#asked.shift();
    if (asked === undefined) this.#come.push(value);
    else asked.resolve(value);
  }

  next(): Promise<T> {
    const come = this.#come.shift();
    if (come !== undefined) return Promise.resolve(come);
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#asked.push({ resolve, reject }));
  }

  get waiting(): readonly T[] {
    return this.#come;
  }

  end(why: string): void {
    this.#over = new Error(why);
    for (const { reject } of this.#asked.splice(0)) reject(this.#over);
  }
}

export class WsCaller {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  /** The code it was closed with. */
  readonly closed: Promise<number>;
  readonly answers = new Arrivals<Frame>();
  readonly pushes = new Arrivals<Frame & { readonly message: BrokerMessage }>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      socket.once("close", (code) => {
        this.answers.end(`closed with ${code}`);
        this.pushes.end(`closed with ${code}`);
        resolve(code);
      });
    });
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data));
      if (frame.type.endsWith(".push")) this.pushes.add(frame);
      else this.answers.add(frame);
    });
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  ask(frame: unknown): Promise<Frame> {
    const answer = this.answers.next();
    this.say(frame);
    return answer;
  }

  /** Waits until everything sent before is answered, and everything pushed before has arrived. */
  async settled(): Promise<void> {
    expect(await this.ask({ type: "ping", reqId: "settled" })).toEqual({ type: "pong", reqId: "settled" });
  }

  /** The next pushed message. */
  async heard(): Promise<BrokerMessage> {
    return (await this.pushes.next()).message;
  }

  end(): void {
    this.socket.terminate();
  }
}

export class UnixCaller {
  readonly socket: Socket;
  readonly lines = new Arrivals<Record<string, unknown>>();
  readonly pushes = new Arrivals<Record<string, unknown>>();
  readonly closed: Promise<void>;
  #text = "";

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (text: string) => {
      const lines = (this.#text + text).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines.filter((one) => one !== "")) {
        const told = JSON.parse(line);
        (told.type === "push" ? this.pushes : this.lines).add(told);
      }
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.lines.end("closed");
        this.pushes.end("closed");
        resolve();
      });
    });
  }

  /** With a version, so that the answer comes in an envelope; without one it is flat. */
  say(request: unknown): void {
    this.socket.write(`${JSON.stringify({ version: "0.1.0", ...(request as object) })}\n`);
  }

  ask(request: unknown): Promise<Record<string, unknown>> {
    const answer = this.lines.next();
    this.say(request);
    return answer;
  }

  end(): void {
    this.socket.destroy();
  }
}
