/** `bellhop bridge …` as built: a daemon, a config file that is the person's own, and a Telegram. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Bellhop, type CliResult } from "../rig/bellhop.ts";

export const PERSON = 42;
const MINE = "# mine\ntmux:   { servers: [] }   # none\n\nretention: { days: 7 } # enough\n";

export type BridgeCommandsStage = Awaited<ReturnType<typeof openStage>>;

async function openStage() {
  const telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: PERSON }] });
  const bellhop = new Bellhop({ config: MINE });
  const config = () => readFileSync(join(bellhop.home, "config.yaml"), "utf8");
  const before = config();
  await bellhop.start();
  return {
    telegram,
    bellhop,
    /** The config file as the person wrote it. */
    before,
    config,
    secret: () => join(bellhop.home, "secrets", "telegram-token"),
    add: (more: readonly string[] = [], stdin = telegram.token): Promise<CliResult> => {
      const place = ["--token", "-", "--api-root", telegram.url];
      return bellhop.run(["bridge", "add", "telegram", ...place, "--json", ...more], { stdin });
    },
    /** What came from outside, as often as it was taken. */
    arrived: async () => {
      const { stdout } = await bellhop.run(["history", "--json"]);
      return [...stdout.matchAll(/"body": ?"([^"]*)"/g)]
        .map(([, body]) => body)
        .filter((body) => /there/.test(`${body}`));
    },
    close: async () => {
      await bellhop.dispose();
      await telegram.close();
    },
  };
}

/** A new one for each test of the file. */
export function stagePerTest(): () => BridgeCommandsStage {
  let stage: BridgeCommandsStage | undefined;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(async () => stage?.close());
  return () => {
    if (stage === undefined) throw new Error("no test is running");
    return stage;
  };
}

export function codeOf({ stderr }: CliResult): string {
  return (JSON.parse(stderr) as { error: { code: string } }).error.code;
}
