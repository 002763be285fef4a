/** A rehearsal of Telegram with one person, for the contract of bridges and for what only Telegram has. */
import { telegramBridge } from "../../../src/bridges/telegram/index.ts";
import { badRequest } from "../../../src/bridges/telegram/rehearsal/refusal.ts";
import { TelegramRehearsal } from "../../../src/bridges/telegram/rehearsal/server.ts";
import type { Bridge } from "../../../src/ports/bridge.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Log } from "../../../src/ports/log.ts";
import { systemClock } from "../../../src/system/clock.ts";
import type { SpeakingStage } from "./contract.ts";

export const PERSON = 4_711;
export const FORUM = -1_001_234_567_890;

/** Waits a twentieth of what it was told, and remembers what that was. */
export class HurriedClock implements Clock {
  readonly waitsMs: number[] = [];

  now = systemClock.now;
  monotonic = systemClock.monotonic;

  after(delayMs: number, call: () => void): () => void {
    this.waitsMs.push(delayMs);
    return systemClock.after(delayMs / 20, call);
  }
}

export interface LogLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export class TelegramStage implements SpeakingStage {
  readonly path = `telegram/${PERSON}`;
  readonly person = String(PERSON);
  readonly longest = 4_096;
  readonly clock = new HurriedClock();
  readonly lines: LogLine[] = [];
  readonly telegram: TelegramRehearsal;

  private constructor(telegram: TelegramRehearsal) {
    this.telegram = telegram;
  }

  static async open(): Promise<TelegramStage> {
    const chats = [
      { id: PERSON, title: "Ada" },
      { id: FORUM, title: "Agents", isForum: true },
    ];
    return new TelegramStage(await TelegramRehearsal.start({ clock: systemClock, chats }));
  }

  bridge(token = this.telegram.token): Bridge {
    const write = (event: string, fields?: LogLine["fields"]) => void this.lines.push({ event, fields });
    const log: Log = { info: write, warn: write, error: write };
    return telegramBridge({ token, apiRoot: this.telegram.url }, { clock: this.clock, log, random: () => 0 });
  }

  async says(text: string, { answers }: { readonly answers?: string } = {}): Promise<string> {
    const answered = answers === undefined ? {} : { answers: Number(answers.split("/")[1]) };
    return String(this.telegram.says({ chat: PERSON, from: PERSON, text, ...answered }).updateId);
  }

  async heard(): ReturnType<SpeakingStage["heard"]> {
    return this.telegram.heard(PERSON).map(({ message_id, text = "", reply_to_message: answered }) => ({
      id: `${PERSON}/${message_id}`,
      text,
      ...(answered === undefined ? {} : { answers: `${PERSON}/${answered.message_id}` }),
    }));
  }

  async refuse(words: string): Promise<void> {
    this.telegram.plan("sendMessage", badRequest(words));
  }

  async outage(isOn: boolean): Promise<void> {
    this.telegram.outage(isOn);
  }

  async close(): Promise<void> {
    await this.telegram.close();
  }
}
