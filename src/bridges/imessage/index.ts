/** People on iMessage: reads the database of the Messages app, and writes through the app itself. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Bridge, BridgeHealth, OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { loadDriver } from "../../system/sqlite-driver.ts";
import { checkIMessageSettings, type IMessageSettings } from "./config.ts";
import { NOT_MACOS } from "./obstacles.ts";
import { Receiving } from "./receiving.ts";
import { Speaking } from "./speaking.ts";

const POLL_MS = 5_000;
/** Messages may have to start first. */
const OSASCRIPT_DEADLINE_MS = 30_000;

export interface IMessageSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
  readonly osascriptDeadlineMs?: number;
}

/** Throws `config.invalid` if the settings cannot work. */
export function imessageBridge(settings: IMessageSettings, surroundings: IMessageSurroundings): Bridge {
  const { handles, chatDb, osascript, pollMs = POLL_MS, sms = false } = checkIMessageSettings(settings);
  const { clock, log, environment = process.env, platform = process.platform } = surroundings;
  const { osascriptDeadlineMs: deadlineMs = OSASCRIPT_DEADLINE_MS } = surroundings;
  const canRun = platform === "darwin" || chatDb !== undefined;
  let health: BridgeHealth = { state: "connecting", since: clock.now() };
  let inbox: OutsideInbox | undefined;
  let receiving: Receiving | undefined;
  let isClosed = false;

  const tell = ({ state, error }: Omit<BridgeHealth, "since">): void => {
    if (isClosed || (health.state === state && health.error === error)) return;
    health = { state, since: clock.now(), ...(error === undefined ? {} : { error }) };
    log.info("imessage.health", { state, ...(error === undefined ? {} : { error }) });
    inbox?.changed();
  };

  const speaking = new Speaking({
    handles,
    log,
    clock,
    environment,
    deadlineMs,
    program: osascript ?? "osascript",
    rows: () => receiving,
  });

  return {
    name: "imessage",
    reaches: (path) => speaking.reaches(path),
    async open(given) {
      if (isClosed) return;
      inbox = given;
      if (!canRun) return tell(NOT_MACOS);
      receiving = new Receiving(given, {
        ...{ path: chatDb ?? defaultDatabase(), handles, sms, pollMs, clock, log, loadDriver },
        onHealth: tell,
      });
      await receiving.start();
    },
    say: (saying, context) =>
      canRun ? speaking.say(saying, context) : Promise.resolve({ kind: "refused", why: NOT_MACOS.error }),
    health: () => health,
    async close() {
      isClosed = true;
      receiving?.close();
      await speaking.close();
    },
  };
}

function defaultDatabase(): string {
  return join(homedir(), "Library", "Messages", "chat.db");
}
