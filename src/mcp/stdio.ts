/**
 * `bellhop mcp`: serves one MCP client over stdin and stdout, with the identity that its environment gives. Each call
 * has its own connection to the daemon, so a daemon that was restarted in between is simply reached again.
 */
import { pipeline } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { connectOrStart, type DaemonPlace } from "../client/connect-or-start.ts";
import { claimsFrom } from "../client/identity.ts";
import { BellhopError } from "../core/errors.ts";
import { openHome } from "../home/home.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { localOffset } from "./local-offset.ts";
import { mcpServer, type Reception } from "./server.ts";

export const STDIO_LIMITS = {
  callsAtOnce: 64,
  /** For one message from the client, including its newline; a longer one is answered with an error. */
  messageBytes: 4 * 1024 * 1024,
} as const;

export interface StdioSetting {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly daemonEntry: string;
  /** Reports other errors; stdout belongs to the protocol. */
  complain(line: string): void;
}

/** Resolves when the client has hung up. */
export async function serveMcp(setting: StdioSetting): Promise<void> {
  const reception = receptionFor(setting);
  const lines = new BoundedLines(STDIO_LIMITS.messageBytes, (id) => {
    process.stdout.write(tooLong(id));
    setting.complain(`bellhop mcp: a message of more than ${STDIO_LIMITS.messageBytes} bytes was left out`);
  });
  // However it ends, the transport sees the end of the lines.
  pipeline(process.stdin, lines, () => {});
  const transport = new StdioServerTransport(lines, process.stdout, {
    maxBufferSize: STDIO_LIMITS.messageBytes,
  });
  serveStdio(() => mcpServer(reception), {
    transport,
    onerror: (error) => setting.complain(`bellhop mcp: ${error.message}`),
  });
  const { onclose } = transport;
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  // If it were only left unread, it would keep the process alive.
  process.stdin.destroy();
}

function receptionFor(setting: StdioSetting): Reception {
  const own = claimsFrom(setting.env, process.pid);
  const daemon: DaemonPlace = {
    ...setting,
    home: () => openHome(setting.env, { create: false }),
    createHome: () => openHome(setting.env, { create: true }),
    began: Date.now,
    now: Date.now,
  };
  let calls = 0;
  return {
    async attend(meta, work) {
      if (calls >= STDIO_LIMITS.callsAtOnce) throw tooMany();
      calls += 1;
      try {
        const client = await connectOrStart(daemon, "if-needed");
        try {
          const claims = claimsOf(own, meta);
          return await work({
            call: (verb, request, options) => client.call(verb, { claims, ...request }, options),
            claims,
            now: Date.now,
            offsetAt: localOffset,
          });
        } finally {
          client.close();
        }
      } finally {
        calls -= 1;
      }
    },
    tell(thrown, tool) {
      if (thrown instanceof BellhopError) return thrown;
      setting.complain(`bellhop mcp: ${tool}: ${String((thrown as Error | undefined)?.stack ?? thrown)}`);
      return new BellhopError("internal.bug", {
        message: "Bellhop failed unexpectedly.",
        next: "Report it.",
      });
    },
  };
}

/**
 * Codex passes nothing of its environment to its MCP servers, and one server may serve several of its windows; but each
 * call says in which conversation the model made it.
 */
function claimsOf(own: Claims, meta: unknown): Claims {
  const turn = (
    meta as { readonly "x-codex-turn-metadata"?: { readonly thread_id?: unknown } } | undefined
  )?.["x-codex-turn-metadata"];
  const thread = turn?.thread_id;
  if (typeof thread !== "string" || thread === "") return own;
  return { ...own, programSessions: { ...own.programSessions, CODEX_THREAD_ID: thread.slice(0, 128) } };
}

const INVALID_REQUEST = -32_600;

/** JSON-RPC uses null for an id that was not found. */
function tooLong(id: string | number | undefined): string {
  const { code, message, next } = new BellhopError("request.too_large", {
    message: `One message may hold ${STDIO_LIMITS.messageBytes} bytes at most.`,
    next: "Send a shorter text, or put it into a file and send its path.",
  });
  const error = { code: INVALID_REQUEST, message: `${message} ${next}`, data: { code, next } };
  return `${JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error })}\n`;
}

function tooMany(): BellhopError {
  return new BellhopError("request.throttled", {
    message: `More than ${STDIO_LIMITS.callsAtOnce} calls at once.`,
    next: "Wait for the answers to earlier calls.",
  });
}
