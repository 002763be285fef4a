/** The daemon's Unix socket: one JSON object a line, in snake_case. Needs nothing but `node:net`. */
import { createConnection } from "node:net";
import type { ErrorDetail } from "../../core/errors.ts";
import { toCamel, toSnake } from "../../wire/casing.ts";
import { jsonLine, readLines } from "../../wire/lines.ts";
import { VERSION } from "../../wire/version.ts";
import { CLIENT_LIMITS, type Fields, type Heard, type Place } from "./connection.ts";
import { errorFrom, lost, unreadable, whyNoConnection } from "./failures.ts";

/** `versionHeard`: which one the daemon is, with each answer. */
export function unixSocket(path: string, versionHeard: (version: string) => void = () => {}): Place {
  const read = (line: Buffer): Heard => {
    const said = toCamel(JSON.parse(line.toString("utf8"))) as Fields;
    if (typeof said.version === "string") versionHeard(said.version);
    if (said.type === "push") return { kind: "push", push: said };
    const to = typeof said.reqId === "number" ? said.reqId : undefined;
    if (said.ok === true) return { kind: "answer", to, answer: said.result as Fields };
    return { kind: "refusal", to, error: errorFrom(said.error as Partial<ErrorDetail> | undefined) };
  };
  return {
    name: path,
    dial(ear) {
      const socket = createConnection(path);
      let broken = (error: Error) => whyNoConnection(path, error);
      const lines = readLines((line) => ear.heard(() => read(line)), CLIENT_LIMITS.answerBytes);
      socket.on("connect", () => {
        broken = lost;
        ear.opened();
      });
      socket.on("data", (chunk: Buffer) => {
        try {
          lines.push(chunk);
        } catch (error) {
          ear.over(unreadable(error));
        }
      });
      socket.on("error", (error) => ear.over(broken(error)));
      socket.on("close", () => ear.over(lost()));
      return {
        send: (id, request) =>
          void socket.write(jsonLine({ ...(toSnake(request) as object), req_id: id, version: VERSION })),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        close: () => void socket.destroy(),
      };
    },
  };
}
