/** A line over the daemon's Unix socket: the file's mode is the credential, the environment says who we are. */
import { connect as dial, type Socket } from "node:net";
import type { BellhopError } from "../core/errors.ts";
import { toCamel, toSnake } from "../wire/casing.ts";
import { jsonLine, readLines } from "../wire/lines.ts";
import type { BrokerMessage, Claims } from "../wire/shapes.ts";
import { CLIENT_LIMITS, type Client, connect, errorFrom, unreachable, whyNoConnection } from "./connect.ts";
import type { Ear, Line, Listening, Question, Questions, Whose } from "./line.ts";

export function unixLine(socketPath: string, claims: Claims): Line & { client(): Promise<Client> } {
  let open: Promise<Client> | undefined;
  let closed = false;
  const client = (): Promise<Client> => {
    if (closed) throw unreachable("This client was closed.");
    open ??= connect(socketPath).then((connected) => {
      connected.ended.then(() => {
        open = undefined;
      });
      return connected;
    });
    open.catch(() => {
      open = undefined;
    });
    return open;
  };
  return {
    client,
    async ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]) {
      const asked: (one: Client, what: Questions[Q]["ask"], own: Claims) => Promise<Questions[Q]["answer"]> =
        ASKED[question];
      return asked(await client(), ask, claims);
    },
    listen: (request, ear) => listenOn(socketPath, { ...request, claims }, ear),
    close() {
      closed = true;
      open?.then((connected) => connected.close()).catch(() => {});
    },
  };
}

const ASKED: {
  readonly [Q in Question]: (
    client: Client,
    ask: Questions[Q]["ask"],
    claims: Claims,
  ) => Promise<Questions[Q]["answer"]>;
} = {
  async send(client, { text = "", source, ...ask }, claims) {
    const request = { ...ask, body: text, ...(source === undefined ? {} : { channel: source }), claims };
    const { messageId, unmatched } = await client.call("send", request);
    return { messageId, unmatched };
  },
  async route(client, { text, source, ...ask }, claims) {
    const { messageId, unmatched } = await client.call("route", {
      ...ask,
      ...(text === undefined ? {} : { body: text }),
      ...(source === undefined ? {} : { channel: source }),
      claims,
    });
    return { messageId, unmatched };
  },
  receive: async (client, ask, claims) => (await client.call("receive", { ...ask, claims })).messages,
  history: async (client, ask, claims) => (await client.call("mailbox_history", { ...ask, claims })).messages,
  async ack(client, { messageId, ...ask }, claims) {
    await client.call("ack", { id: messageId, ...ask, claims });
    return undefined;
  },
  subscribe: async (client, ask, claims) => (await client.call("sub_add", { ...ask, claims })).subscriptions,
  unsubscribe: async (client, ask, claims) =>
    (await client.call("sub_remove", { ...ask, claims })).subscriptions,
  subscriptions: async (client, ask, claims) =>
    (await client.call("sub_list", { ...ask, claims })).subscriptions,
  unmatched: async (client, ask) => (await client.call("unmatched", ask)).messages,
  async clearUnmatched(client) {
    await client.call("unmatched_clear", {});
    return undefined;
  },
};

const LISTEN_ID = 1;

async function listenOn(
  socketPath: string,
  request: Whose & { readonly consume: boolean; readonly claims: Claims },
  ear: Ear,
): Promise<Listening> {
  const socket = await reach(socketPath);
  return new Promise((resolve, reject) => {
    let state: "asking" | "open" | "over" = "asking";
    const end = (error: BellhopError): void => {
      if (state === "over") return;
      const was = state;
      state = "over";
      socket.destroy();
      if (was === "asking") reject(error);
      else ear.over(error);
    };
    const listening: Listening = {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close() {
        state = "over";
        socket.destroy();
      },
    };
    const lines = readLines((line) => {
      if (line.length === 0 || state === "over") return;
      const told = toCamel(JSON.parse(line.toString("utf8"))) as Told;
      if (told.type === "push") ear.hear(told.message);
      else if (told.ok === false) end(errorFrom(told.error));
      else if (state === "asking") {
        state = "open";
        resolve(listening);
      }
    }, CLIENT_LIMITS.answerBytes);
    socket.on("data", (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        end(unreachable("What the daemon says cannot be read.", error));
      }
    });
    socket.on("error", (error) => end(unreachable("The connection to the daemon broke.", error)));
    socket.on("close", () => end(unreachable("The daemon closed the connection.")));
    socket.write(jsonLine({ ...(toSnake(request) as object), type: "listen", req_id: LISTEN_ID }));
  });
}

type Told =
  | { readonly type: "push"; readonly message: BrokerMessage }
  | { readonly type?: undefined; readonly ok: true }
  | { readonly type?: undefined; readonly ok: false; readonly error: Parameters<typeof errorFrom>[0] };

function reach(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial(path);
    socket.setTimeout(CLIENT_LIMITS.connectMs, () => socket.destroy(new Error("ETIMEDOUT")));
    socket.once("error", (error: NodeJS.ErrnoException) => reject(whyNoConnection(path, error)));
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}
