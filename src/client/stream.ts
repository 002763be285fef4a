/** What the daemon goes on saying after one request, on a connection of its own, until either side ends it. */
import { connect as dial, type Socket } from "node:net";
import type { BellhopError } from "../core/errors.ts";
import { toCamel, toSnake } from "../wire/casing.ts";
import { jsonLine, readLines } from "../wire/lines.ts";
import { VERSION } from "../wire/version.ts";
import { CLIENT_LIMITS, errorFrom, unreachable, whyNoConnection } from "./connect.ts";
import type { Listening } from "./line.ts";

const REQUEST_ID = 1;

export interface StreamEar<Push> {
  hear(push: Push): void;
  /** Once, when it is over: the connection is gone, or the daemon refused. */
  over(error: BellhopError): void;
}

interface Stream extends Listening {
  /** What the daemon answered. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** Resolves once the daemon has agreed; rejects with its refusal. */
export async function openStream<Push>(
  socketPath: string,
  request: { readonly type: string; readonly [field: string]: unknown },
  ear: StreamEar<Push>,
): Promise<Stream> {
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
      const told = toCamel(JSON.parse(line.toString("utf8"))) as Told<Push>;
      if (told.type === "push") ear.hear(told);
      else if (told.ok === false) end(errorFrom(told.error));
      else if (state === "asking") {
        state = "open";
        resolve({ ...listening, result: told.result });
      }
    }, CLIENT_LIMITS.answerBytes);
    socket.on("data", (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        end(unreachable("The daemon's answer cannot be read.", error));
      }
    });
    socket.on("error", (error) => end(unreachable("The connection to the daemon broke.", error)));
    socket.on("close", () => end(unreachable("The daemon closed the connection.")));
    socket.write(jsonLine({ ...(toSnake(request) as object), req_id: REQUEST_ID, version: VERSION }));
  });
}

type Told<Push> =
  | (Push & { readonly type: "push" })
  | ({ readonly type?: undefined; readonly ok: true } & Pick<Stream, "result">)
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
