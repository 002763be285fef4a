/** One MCP request as a web request, one web response: what the HTTP door hands over. Keeps nothing between requests. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { mcpServer, type Reception } from "./server.ts";

export interface McpExchange {
  readonly response: Promise<Response>;
  /** Ends what is still under way. */
  close(): Promise<void>;
}

export function exchangeMcp(request: Request, body: unknown, reception: Reception): McpExchange {
  // Nothing that can be subscribed to ever changes, and a stream would hold its connection for nothing.
  const handler = createMcpHandler(() => mcpServer(reception), { maxSubscriptions: 0 });
  return { response: handler.fetch(request, { parsedBody: body }), close: handler.close };
}
