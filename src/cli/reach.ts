/** A command's connection to the daemon, one at a time: starts it if needed, and reports a different version. */
import { type Client, restartAdvice } from "../client/connect.ts";
import { connectOrStart, type DaemonPlace } from "../client/connect-or-start.ts";
import { VERSION } from "../wire/version.ts";
import type { Output } from "./printing/output.ts";

export interface Reach {
  client(start: "if-needed" | "never"): Promise<Client>;
  /** Call after the work: a daemon of another version may have done it otherwise than this one would. */
  tellVersion(): void;
  close(): void;
}

export interface ReachSetting extends DaemonPlace {
  readonly out: Output;
}

export function reachDaemon(setting: ReachSetting): Reach {
  let client: Client | undefined;
  let state: "usable" | "over" = "over";
  return {
    async client(start) {
      if (client !== undefined && state === "usable") return client;
      const opened = await connectOrStart(setting, start);
      client = opened;
      state = "usable";
      void opened.ended.then(() => {
        state = "over";
      });
      return opened;
    },
    tellVersion() {
      const daemonVersion = client?.daemonVersion;
      if (daemonVersion !== undefined && daemonVersion !== VERSION) {
        setting.out.note(setting.out.paint("yellow", restartAdvice(daemonVersion)));
      }
    },
    close() {
      client?.close();
    },
  };
}
