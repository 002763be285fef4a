/** The built daemon, asked by HTTP. Every answer is held against what the table of operations declares. */
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import type { z } from "zod";
import { errorAnswer } from "../../src/wire/http/answers.ts";
import { type HttpOperation, OPERATIONS } from "../../src/wire/http/operations.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { type Answer, type Ask, askHttp } from "./http-harness.ts";

export interface DaemonAnswer extends Answer {
  readonly body: unknown;
}

export class HttpDaemon {
  readonly port: number;
  readonly token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  private constructor(port: number, token: string) {
    this.port = port;
    this.token = token;
  }

  static async of(bellhop: Bellhop): Promise<HttpDaemon> {
    const { http } = await bellhop.json<StatusResponse>(["status"]);
    return new HttpDaemon(http.port, readFileSync(join(bellhop.home, "token"), "utf8").trim());
  }

  raw(options: Ask): Promise<Answer> {
    return askHttp({ port: this.port }, options, this.#agent);
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<DaemonAnswer> {
    const answer = await this.raw({
      method,
      path,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const told: unknown = answer.text === "" ? undefined : JSON.parse(answer.text);
    expectDeclared(method, path, answer.status, told);
    return { ...answer, body: told };
  }

  get = (path: string): Promise<DaemonAnswer> => this.ask("GET", path);
  post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<DaemonAnswer> =>
    this.ask("POST", path, body, headers);

  /** What a GET answers, as what it is declared to be. */
  async read<S extends z.ZodType>(path: string, declared: S): Promise<z.infer<S>> {
    return bodyOf(await this.get(path), declared);
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function bodyOf<S extends z.ZodType>({ body }: DaemonAnswer, declared: S): z.infer<S> {
  return declared.parse(body);
}

/** By the closed schemas: a field that nobody declared fails too. */
export function expectDeclared(method: string, path: string, status: number, body: unknown): void {
  const [bare = ""] = path.split("?");
  const operation = Object.values<HttpOperation>(OPERATIONS).find(
    (each) =>
      each.method === method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, "[^/]*")}$`).test(bare),
  );
  const schemas: readonly z.ZodType[] =
    status >= 400 ? [errorAnswer] : (operation?.answers[status]?.schemas ?? []);
  if (body === undefined) {
    expect(status).toBe(204);
    return;
  }
  const faults = schemas.map((schema) => schema.safeParse(body).error?.message);
  expect(
    faults.some((fault) => fault === undefined) || `${method} ${path} ${status}: ${faults.join("; ")}`,
  ).toBe(true);
}
