/** The built daemon as a browser meets it: every header is the test's own. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { WebSocket } from "ws";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { WsCaller } from "./broker-callers.ts";
import { refused } from "./ws-refused.ts";

export type Headers = Readonly<Record<string, string>>;

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly body: { readonly [field: string]: unknown };
}

export interface Login {
  readonly cookie: string;
  readonly key: string;
  readonly session: string;
}

export class WebStage {
  readonly bellhop: Bellhop;
  readonly port: number;

  private constructor(bellhop: Bellhop, port: number) {
    this.bellhop = bellhop;
    this.port = port;
  }

  static async of(bellhop: Bellhop): Promise<WebStage> {
    return new WebStage(bellhop, (await bellhop.json<StatusResponse>(["status"])).http.port);
  }

  get host(): string {
    return `bellhop.localhost:${this.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** As the daemon of this port names it. */
  cookieHeader(cookie: string): string {
    return `bellhop-${this.port}=${cookie}`;
  }

  async code(): Promise<string> {
    const { url } = (await this.bellhop.ask("web_link", {})) satisfies WebLink;
    return url.split("#")[1] ?? "";
  }

  async ask(method: string, path: string, headers: Headers = {}, body?: unknown): Promise<WebAnswer> {
    const request = httpRequest({
      port: this.port,
      host: "127.0.0.1",
      method,
      path,
      agent: false,
      headers: {
        host: this.host,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(request, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes,
      body: isJson ? JSON.parse(bytes.toString()) : {},
    };
  }

  /** What our own page sends. */
  redeem(code: string, headers: Headers = {}): Promise<WebAnswer> {
    const page = { origin: this.origin, "sec-fetch-site": "same-origin", ...headers };
    return this.ask("POST", "/web/login", page, { code });
  }

  async logIn(): Promise<Login> {
    const answer = await this.redeem(await this.code());
    const [set = ""] = [answer.headers["set-cookie"] ?? []].flat();
    const { key, session } = answer.body as { readonly key: string; readonly session: string };
    return { cookie: set.split(";")[0]?.split("=")[1] ?? "", key, session };
  }

  proof({ cookie, key }: Login): Headers {
    return { cookie: this.cookieHeader(cookie), "x-bellhop-key": key };
  }

  async status(headers: Headers, path = "/sessions"): Promise<number> {
    return (await this.ask("GET", path, headers)).status;
  }

  get #socketUrl(): string {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  async socketRefused(headers: Headers): Promise<number> {
    return (await refused(this.#socketUrl, { host: this.host, ...headers })).status;
  }

  async socket(headers: Headers): Promise<WsCaller> {
    const caller = new WsCaller(new WebSocket(this.#socketUrl, { headers: { host: this.host, ...headers } }));
    await caller.opened;
    return caller;
  }

  /** A page of ours, connected and authenticated. */
  async page(login: Login): Promise<WsCaller> {
    const caller = await this.socket({ origin: this.origin, cookie: this.cookieHeader(login.cookie) });
    const answer = await caller.ask({ type: "auth", key: login.key });
    if (answer.type !== "auth.ok") throw new Error(JSON.stringify(answer));
    return caller;
  }
}
