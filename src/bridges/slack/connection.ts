/** Slack's libraries: the Web API, and the socket's client without Bolt, which acknowledges before anything is kept. */
import type { SocketModeClient } from "@slack/socket-mode";
import type { WebClient } from "@slack/web-api";
import type { SlackSettings } from "./config.ts";

export interface Connection {
  readonly web: WebClient;
  /** A client for one connection: it does not reconnect by itself. */
  socket(): SocketModeClient;
}

const CALL_DEADLINE_MS = 15_000;
/** The library's 5 seconds end connections when the machine is busy. */
const PONG_DEADLINE_MS = 30_000;
const PING_DEADLINE_MS = 60_000;
const LONGEST_ANSWER_BYTES = 4_194_304;

type Logger = NonNullable<NonNullable<ConstructorParameters<typeof WebClient>[1]>["logger"]>;
type Level = ReturnType<Logger["getLevel"]>;

/** `closing` ends every call. */
export async function connect(
  { appToken, botToken, apiUrl }: SlackSettings,
  closing: AbortSignal,
): Promise<Connection> {
  const [{ WebClient }, { SocketModeClient }] = await Promise.all([
    import("@slack/web-api"),
    import("@slack/socket-mode"),
  ]);
  const options = {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    timeout: CALL_DEADLINE_MS,
    // Whoever calls decides when to try again.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: boundedFetch(closing),
  };
  return {
    web: new WebClient(botToken, { ...options, logger: SILENT }),
    socket: () =>
      new SocketModeClient({
        appToken,
        autoReconnectEnabled: false,
        clientPingTimeout: PONG_DEADLINE_MS,
        serverPingTimeout: PING_DEADLINE_MS,
        logger: SILENT,
        clientOptions: { ...options },
      }),
  };
}

/** The libraries would print whole messages, and addresses that let anybody in. */
const SILENT: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => "error" as Level,
  setName: () => {},
};

function boundedFetch(closing: AbortSignal): typeof fetch {
  return async (input, init) => {
    const given = init?.signal;
    const signal = given == null ? closing : AbortSignal.any([given, closing]);
    const asked = new Headers(init?.headers);
    // A connection that was kept open may end just when it is used again, and nobody knows whether a message went out.
    asked.set("connection", "close");
    const { body, status, statusText, headers } = await fetch(input, { ...init, headers: asked, signal });
    return new Response(body?.pipeThrough(bounded()) ?? null, { status, statusText, headers });
  };
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > LONGEST_ANSWER_BYTES) controller.error(new Error("the answer has no end"));
      else controller.enqueue(chunk);
    },
  });
}
