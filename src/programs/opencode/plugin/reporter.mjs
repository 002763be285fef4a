/** How Bellhop is told: by the script that the hooks of every program run, which keeps what nobody takes. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Reports that wait for the script. */
const MOST_WAITING = 200;
/** Much longer than the script needs: a report that is cut off is lost. */
const DEADLINE_MS = 30_000;

/** Tells Bellhop one thing after the other: their order counts. */
export class Reporter {
  #waiting = 0;
  last = Promise.resolve();

  constructor(home, run) {
    this.script = join(home, "hooks", "bellhop-hook");
    this.run = run;
  }

  report(event, payload) {
    if (this.#waiting >= MOST_WAITING || !existsSync(this.script)) return;
    this.#waiting += 1;
    this.last = this.last
      .then(() => this.run(this.script, event, JSON.stringify(payload)))
      .catch(() => "nobody listens")
      .finally(() => {
        this.#waiting -= 1;
      });
  }
}

export function runScript(script, event, payload) {
  return new Promise((resolve) => {
    const env = { ...process.env, OPENCODE_PID: String(process.pid) };
    const child = spawn("sh", [script, "opencode", event], { env, stdio: ["pipe", "ignore", "ignore"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    child.on("error", done).on("close", done);
    child.stdin.on("error", () => "told by the close that follows");
    child.stdin.end(payload);
  });
}
