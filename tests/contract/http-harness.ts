/** The HTTP door on real sockets, over scripted use-cases. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpDoor, type PortChoice, startHttpDoor } from "../../src/doors/http/door.ts";
import type { HttpLimits } from "../../src/doors/http/limits.ts";
import type { RequestOf, UseCases, Verb } from "../../src/wire/verbs/index.ts";
import {
  type RememberedLog,
  rememberedLog,
  type ScriptedUseCases,
  scriptedUseCases,
} from "./scripted-use-cases.ts";

export const TOKEN = "t0ken-of-the-test";
/** An agent's own token: it speaks for `api`. */
export const AGENT_TOKEN = "t0ken-of-an-agent";
export const AUTH = { authorization: `Bearer ${TOKEN}` };
export const JSON_TYPE = { "content-type": "application/json" };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  /** On the Unix socket. */
  readonly local?: boolean;
}

/** The answer on a raw socket. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

export class HttpHarness {
  readonly folder = mkdtempSync(join(tmpdir(), "bh-http-"));
  readonly socketPath = join(this.folder, "http.sock");
  readonly log: RememberedLog = rememberedLog();
  script: ScriptedUseCases = scriptedUseCases({});
  token = TOKEN;
  now = 1_000;
  #door: HttpDoor | undefined;

  async start(
    answers: Partial<UseCases> = {},
    limits: Partial<HttpLimits> = {},
    port: PortChoice = { kind: "default", port: 0 },
  ): Promise<HttpDoor> {
    this.script = scriptedUseCases(answers);
    this.#door = await startHttpDoor({
      port,
      socketPath: this.socketPath,
      readToken: async () => this.token,
      agentOfToken: (_, text) => (text === AGENT_TOKEN ? "api" : undefined),
      useCases: this.script.useCases,
      log: this.log,
      user: "dev",
      environment: { PATH: "/usr/bin" },
      now: () => this.now,
      limits,
    });
    return this.#door;
  }

  get port(): number {
    return this.#door?.port ?? 0;
  }

  ask(options: Ask): Promise<Answer> {
    return askHttp(options.local === true ? { socketPath: this.socketPath } : { port: this.port }, options);
  }

  /** The requests to a verb, in order. */
  asked<V extends Verb>(verb: V): readonly RequestOf<V>[] {
    return this.script.asked
      .filter((each) => each.verb === verb)
      .map(({ request }) => request as RequestOf<V>);
  }

  get(path: string, headers: Ask["headers"] = {}): Promise<Answer> {
    return this.ask({ path, headers: { ...AUTH, ...headers } });
  }

  post(path: string, body: unknown, more: Ask = {}): Promise<Answer> {
    return this.ask({
      method: "POST",
      path,
      headers: { ...AUTH, ...JSON_TYPE },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      ...more,
    });
  }

  /** Resolves once the server has seen it. */
  async dial(): Promise<Socket> {
    const socket = dial(this.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  }

  /** Sends this and reads until the other side hangs up; `{port}` is replaced by ours. */
  async say(text: string): Promise<RawAnswer> {
    const socket = await this.dial();
    socket.write(this.here(text));
    return hear(socket);
  }

  here(text: string): string {
    return text.replaceAll("{port}", String(this.port));
  }

  async close(): Promise<void> {
    await this.#door?.close(100);
    this.#door = undefined;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export type Target = { readonly port: number } | { readonly socketPath: string };

/** Without an `agent` each request has its own connection. */
export async function askHttp(target: Target, options: Ask, agent: Agent | false = false): Promise<Answer> {
  const request = httpRequest({
    ...target,
    method: options.method ?? "GET",
    path: options.path ?? "/healthz",
    headers: { ...options.headers },
    agent,
  });
  request.end(options.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString("utf8"),
  };
}

export async function hear(socket: Socket): Promise<RawAnswer> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  if (!socket.closed) await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0), text };
}
