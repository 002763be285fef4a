/** Requests as an attacker would write them. `{port}` stands for ours, which is another each time. */
import { TOKEN } from "./http-harness.ts";

export const BODY = '{"text":"x"}';
export const HOST = "Host: 127.0.0.1:{port}";
export const TOKEN_LINE = `Authorization: Bearer ${TOKEN}`;
export const TYPE = "Content-Type: application/json";
export const LENGTH = `Content-Length: ${BODY.length}`;

export function written(
  headers: readonly string[],
  line = "POST /sessions/api/send HTTP/1.1",
  body = BODY,
): string {
  return `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
}
