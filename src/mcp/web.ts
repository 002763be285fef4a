/** One MCP request as a web request, one web response: for the HTTP door. Keeps nothing between requests. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { mcpServer, type Reception } from "./server.ts";

export interface McpExchange {
  readonly response: Promise<Response>;
  /** Ends calls that are still under way. */
  close(): Promise<void>;
}

export function exchangeMcp(request: Request, body: unknown, reception: Reception): McpExchange {
  // Nothing that can be subscribed to ever changes, so a stream would only occupy a connection.
  const handler = createMcpHandler(() => mcpServer(reception), { maxSubscriptions: 0 });
  return { response: handler.fetch(request, { parsedBody: body }), close: handler.close };
}
