/** A real daemon with a few agents, and the official SDK's client in front of it: over stdio, or over HTTP. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Client as DaemonClient } from "../../src/client/connect.ts";
import type { ErrorDetail } from "../../src/core/errors.ts";
import { agentToken } from "../../src/home/token.ts";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import { Bellhop } from "../rig/bellhop.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const COMMAND = [join(ROOT, "bin", "bellhop.cjs"), "mcp"];

export type Revision = "2025" | "2026";

export interface Answer {
  /** As a model gets it: the structured content, else the text. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
  readonly error: ErrorDetail | undefined;
}

export class McpClient {
  readonly sdk: Client;
  readonly transport: Transport;
  /** What the server said on stderr. */
  complaints = "";

  constructor(transport: Transport, revision: Revision) {
    this.transport = transport;
    const mode = revision === "2025" ? "legacy" : { pin: "2026-07-28" };
    this.sdk = new Client({ name: "contract", version: "1.0.0" }, { versionNegotiation: { mode } });
    if (transport instanceof StdioClientTransport)
      transport.stderr?.on("data", (chunk: Buffer) => {
        this.complaints += chunk.toString("utf8");
      });
  }

  async call(tool: string, given: unknown = {}, meta?: Record<string, unknown>): Promise<Answer> {
    const result = await this.sdk.callTool({
      name: tool,
      arguments: given as Record<string, unknown>,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
    const [content] = result.content;
    const text = content?.type === "text" ? content.text : "";
    return {
      value: result.structuredContent as Answer["value"],
      text,
      error: result.isError === true ? (JSON.parse(text) as { error: ErrorDetail }).error : undefined,
    };
  }

  /** A call that must succeed. */
  async ask<T>(tool: string, given: unknown = {}): Promise<T> {
    const { value, error } = await this.call(tool, given);
    if (error !== undefined) throw new Error(`${tool}: ${JSON.stringify(error)}`);
    return value as T;
  }

  /** A call that must fail. */
  async refused(tool: string, given: unknown): Promise<ErrorDetail> {
    const { error, value } = await this.call(tool, given);
    if (error === undefined) throw new Error(`${tool} answered ${JSON.stringify(value)}`);
    return error;
  }

  close(): Promise<void> {
    return this.sdk.close();
  }
}

export interface Opened {
  readonly daemon: ChildProcess;
  /** The ids of their sessions. */
  readonly coder: string;
  readonly reviewer: string;
}

export class McpDesk {
  readonly bellhop = new Bellhop({ env: { TMUX_TMPDIR: "/nonexistent", TZ: "UTC" } });
  readonly #clients: McpClient[] = [];
  #office: DaemonClient | undefined;

  /** `coder` and `reviewer`, each with one session that does not run. */
  async open(daemonEnv: Readonly<Record<string, string>> = {}): Promise<Opened> {
    const daemon = await this.bellhop.start(daemonEnv);
    const [coder, reviewer] = [await this.#addAgent("coder"), await this.#addAgent("reviewer")];
    return { daemon, coder, reviewer };
  }

  async #addAgent(name: string): Promise<string> {
    const office = await this.office();
    await office.call("agent_add", { name });
    return (await office.call("session_add", { agent: name, name: "desk" })).sessionId;
  }

  /** A client of the same daemon, to see what the tools did. */
  async office(): Promise<DaemonClient> {
    this.#office ??= await this.bellhop.client();
    return this.#office;
  }

  async show(id: string): Promise<ShowResponse> {
    return (await this.office()).call("show", { id });
  }

  get token(): string {
    return readFileSync(join(this.bellhop.home, "token"), "utf8").trim();
  }

  tokenOf(agent: string): string {
    return agentToken(this.token, agent);
  }

  async url(): Promise<string> {
    const { http } = await (await this.office()).call("status", {});
    return `http://${http.host}:${http.port}/mcp`;
  }

  async overStdio(
    env: Readonly<Record<string, string>> = {},
    revision: Revision = "2025",
  ): Promise<McpClient> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: COMMAND,
      env: { ...this.bellhop.env, ...env },
      stderr: "pipe",
    });
    return this.#connected(transport, revision);
  }

  async overHttp(token: string, revision: Revision = "2025"): Promise<McpClient> {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    return this.#connected(
      new StreamableHTTPClientTransport(new URL(await this.url()), { requestInit }),
      revision,
    );
  }

  async #connected(transport: Transport, revision: Revision): Promise<McpClient> {
    const client = new McpClient(transport, revision);
    this.#clients.push(client);
    await client.sdk.connect(transport);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.bellhop.dispose();
  }
}
