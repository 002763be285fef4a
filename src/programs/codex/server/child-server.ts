/** A Codex server that we start for one task: JSON lines over its pipes. It exits when its input ends. */
import { startProgram } from "../../../system/starting.ts";
import type { Link } from "./app-server.ts";
import { WEBSOCKET_LIMITS } from "./websocket.ts";

const END_PATIENCE_MS = 2_000;

export function startChildServer(
  executable: string,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Link {
  signal.throwIfAborted();
  const { child, stdin, stdout, kill } = startProgram(executable, ["app-server"], {
    env: environment,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: "/",
  });
  child.on("error", () => "told by the close that follows");
  stdin.on("error", () => "told by the close that follows");
  return {
    listen(receive, lost) {
      let rest = "";
      stdout.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > WEBSOCKET_LIMITS.messageBytes) {
          kill("SIGKILL");
          return;
        }
        for (const line of lines) if (line.trim() !== "") receive(line);
      });
      child.on("error", lost);
      child.on("close", (status) => lost(new Error(`it ended with status ${status}`)));
    },
    send: (text) => void stdin.write(`${text}\n`),
    close() {
      stdin.end();
      const timer = setTimeout(() => kill("SIGKILL"), END_PATIENCE_MS);
      child.on("close", () => clearTimeout(timer));
      timer.unref();
    },
  };
}
