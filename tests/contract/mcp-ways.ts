/** Every transport of MCP, with two agents that use it. */
import { afterAll, beforeAll } from "vitest";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { type McpClient, McpDesk, type Opened } from "./mcp-desk.ts";

export interface Sent {
  readonly id: string;
  readonly deliveries: readonly { readonly to: string; readonly state: string; readonly held?: object }[];
}
export interface Inbox {
  readonly who: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly more: boolean;
}

export const WAYS = [
  ["stdio", "2025"],
  ["stdio", "2026"],
  ["http", "2025"],
  ["http", "2026"],
] as const;

type Way = (typeof WAYS)[number];

/** A desk for the surrounding suite; its agents are known once the suite has begun. */
export class McpVisit {
  readonly desk = new McpDesk();
  #sessions: Opened | undefined;
  #clients: { readonly coder: McpClient; readonly reviewer: McpClient } | undefined;

  constructor(way: Way[0], revision: Way[1]) {
    beforeAll(async () => {
      const sessions = await this.desk.open();
      const enter = (name: "coder" | "reviewer") =>
        way === "stdio"
          ? this.desk.overStdio({ BELLHOP_SESSION_ID: sessions[name] }, revision)
          : this.desk.overHttp(this.desk.tokenOf(name), revision);
      this.#sessions = sessions;
      this.#clients = { coder: await enter("coder"), reviewer: await enter("reviewer") };
    });
    afterAll(() => this.desk.close());
  }

  get sessions(): Opened {
    return begun(this.#sessions);
  }

  get coder(): McpClient {
    return begun(this.#clients).coder;
  }

  get reviewer(): McpClient {
    return begun(this.#clients).reviewer;
  }

  /** As the owner. */
  async send(to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> {
    return (await this.desk.office()).call("send", { to, body, claims: { user: "dev" }, ...more });
  }
}

function begun<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("nobody has come in yet");
  return value;
}
