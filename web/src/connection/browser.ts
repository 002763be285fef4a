/** What the connection needs of a real browser. */
import type { ConnectionParts, Heard, Socket } from "./connection.ts";
import type { Admission } from "./entering.ts";
import { storedKey } from "./key.ts";
import { longestRetryMs } from "./link.ts";
import { ask } from "./requests.ts";

export const browserParts: Omit<ConnectionParts, "onFrame" | "onLink"> = {
  dial,
  key: storedKey,
  admission,
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  longestRetryMs: longestRetryMs(location.hostname),
  isVisible: () => !document.hidden,
};

export async function admission(): Promise<Admission> {
  if (storedKey() === undefined) return "refused";
  const answer = await ask({ method: "GET", path: "/status" });
  if (answer.kind === "done") return "admitted";
  return answer.status === 401 ? "refused" : "unknown";
}

function dial(heard: Heard): Socket {
  const socket = new WebSocket(new URL("/ws", location.href).href.replace(/^http/, "ws"));
  let isHeard = true;
  socket.addEventListener("open", () => isHeard && heard.opened());
  socket.addEventListener("message", ({ data }) => isHeard && heard.said(String(data)));
  socket.addEventListener("close", ({ code }) => isHeard && heard.closed(code));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    drop: () => {
      isHeard = false;
      socket.close();
    },
  };
}
