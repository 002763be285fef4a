import { once } from "node:events";
import { WebSocket } from "ws";

/** The status with which an upgrade was refused, and its body. */
export async function refused(
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly status: number; readonly error: { readonly code: string } }> {
  const socket = new WebSocket(url, { headers });
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, ...JSON.parse(Buffer.concat(chunks).toString()) };
}
