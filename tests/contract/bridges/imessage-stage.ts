/** A bridge to the Messages of the rig, for what is particular to iMessage. */
import type { IMessageSettings } from "../../../src/bridges/imessage/config.ts";
import { type IMessageSurroundings, imessageBridge } from "../../../src/bridges/imessage/index.ts";
import type { Bridge, Saying, SayingOutcome } from "../../../src/ports/bridge.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { Messages } from "../../rig/imessage/messages.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";

export const PHONE = "+15551234567";
export const MAIL = "me@icloud.com";
export const FRIEND = "+4930123456";

/** So rare that only the watcher can have noticed. */
const HOUR_MS = 3_600_000;

/** However slow the machine is, nothing takes too long. */
export const PATIENT_CLOCK: Clock = { ...systemClock, monotonic: () => 0 };

/** A deadline that passes when the test says so. */
export function lateAtWill(): { readonly surroundings: Partial<IMessageSurroundings>; passes(): void } {
  const osascriptDeadlineMs = 12_345;
  const deadlines: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(delayMs, call) {
      if (delayMs !== osascriptDeadlineMs) return systemClock.after(delayMs, call);
      deadlines.push(call);
      return () => void deadlines.splice(deadlines.indexOf(call), 1);
    },
  };
  return {
    surroundings: { clock, osascriptDeadlineMs },
    passes: () => {
      for (const call of deadlines) call();
    },
  };
}

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class IMessageStage {
  readonly messages: Messages;
  inbox = new KeptInbox();
  readonly lines: LogLine[] = [];
  readonly #bridges: Bridge[] = [];

  private constructor(messages: Messages) {
    this.messages = messages;
  }

  static async open(schema?: string): Promise<IMessageStage> {
    return new IMessageStage(await Messages.start(schema));
  }

  bridge(settings: Partial<IMessageSettings> = {}, surroundings: Partial<IMessageSurroundings> = {}): Bridge {
    const write =
      (level: LogLine["level"]) =>
      (event: string, fields: LogLine["fields"] = {}) =>
        void this.lines.push({ level, event, fields });
    const bridge = imessageBridge(
      { handles: [PHONE, MAIL], chatDb: this.messages.chatDb, pollMs: HOUR_MS, ...settings },
      {
        clock: systemClock,
        log: { info: write("info"), warn: write("warn"), error: write("error") },
        environment: { PATH: `${this.messages.bin}:${process.env.PATH}`, BELLHOP_SECRET: "hunter2" },
        ...surroundings,
      },
    );
    this.#bridges.push(bridge);
    return bridge;
  }

  async connected(
    settings: Partial<IMessageSettings> = {},
    surroundings: Partial<IMessageSurroundings> = {},
  ) {
    const bridge = this.bridge(settings, surroundings);
    await bridge.open(this.inbox);
    await isConnected(bridge);
    return bridge;
  }

  async say(
    bridge: Bridge,
    saying: Partial<Saying> = {},
    signal = AbortSignal.timeout(20_000),
  ): Promise<{ readonly outcome: SayingOutcome; readonly ids: readonly string[] }> {
    const ids: string[] = [];
    const outcome = await bridge.say(
      {
        ...{ messageId: "m1", path: `imessage/${PHONE}`, text: "The build is green." },
        ...{ partsSaid: 0, perhapsSaid: false, ...saying },
      },
      { signal, saying: (text) => this.inbox.says(text), said: async (id) => void ids.push(id) },
    );
    return { outcome, ids };
  }

  events(event: string): readonly LogLine[] {
    return this.lines.filter((line) => line.event === event);
  }

  async close(): Promise<void> {
    await Promise.all(this.#bridges.splice(0).map((bridge) => bridge.close()));
    await this.messages.close();
  }
}
