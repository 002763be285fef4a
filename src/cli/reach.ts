/** From a command to the daemon: one connection at a time, a start if there is none, a word when the versions differ. */
import { type Client, connect, restartAdvice } from "../client/connect.ts";
import { BellhopError } from "../core/errors.ts";
import type { Home } from "../home.ts";
import { VERSION } from "../wire/version.ts";
import type { Output } from "./output.ts";

export interface Reach {
  client(start: "if-needed" | "never"): Promise<Client>;
  /** After the work: tells of another version and lets the connection go. */
  finish(): void;
  close(): void;
}

export interface ReachSetting {
  readonly home: () => Home;
  readonly createHome: () => Home;
  readonly daemonEntry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
}

export function reachDaemon(setting: ReachSetting): Reach {
  let client: Client | undefined;
  let state: "usable" | "over" = "over";
  return {
    async client(start) {
      if (client !== undefined && state === "usable") return client;
      const opened = await open(setting, start);
      client = opened;
      state = "usable";
      void opened.ended.then(() => {
        state = "over";
      });
      return opened;
    },
    finish() {
      if (client === undefined) return;
      const { daemonVersion } = client;
      if (daemonVersion !== undefined && daemonVersion !== VERSION) {
        setting.out.note(setting.out.paint("yellow", restartAdvice(daemonVersion)));
      }
      client.close();
    },
    close() {
      client?.close();
    },
  };
}

async function open(setting: ReachSetting, start: "if-needed" | "never"): Promise<Client> {
  try {
    return await connect(setting.home().socket);
  } catch (error) {
    const absent = error instanceof BellhopError && error.code === "daemon.not_running";
    if (!absent || start === "never") throw error;
  }
  const { startDaemon } = await import("../client/start-daemon.ts");
  const home = setting.createHome();
  return startDaemon({
    entry: setting.daemonEntry,
    socket: home.socket,
    logs: home.logs,
    folder: home.root,
    env: setting.env,
  });
}
