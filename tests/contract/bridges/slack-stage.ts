/** A rehearsal of Slack with one person, for the contract of bridges and for what only Slack has. */
import { slackBridge } from "../../../src/bridges/slack/index.ts";
import { CallRefusal } from "../../../src/bridges/slack/rehearsal/refusal.ts";
import { SlackRehearsal } from "../../../src/bridges/slack/rehearsal/server.ts";
import { TEAM } from "../../../src/bridges/slack/rehearsal/workspace.ts";
import type { Bridge, OutsideInbox } from "../../../src/ports/bridge.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Log } from "../../../src/ports/log.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { until } from "../../rig/scripted-agent.ts";
import type { SpeakingStage } from "./contract.ts";

export const PERSON = "U0ADA";
export const DIRECT = "D0ADA";
export const GENERAL = "C0GENERAL";

/** Waits a twentieth of what it was told, and remembers what that was. */
class HurriedClock implements Clock {
  readonly waitsMs: number[] = [];

  /** Moved by tests. */
  passedMs = 0;

  now = systemClock.now;
  monotonic = () => systemClock.monotonic() + this.passedMs;

  after(delayMs: number, call: () => void): () => void {
    this.waitsMs.push(delayMs);
    return systemClock.after(delayMs / 20, call);
  }
}

export interface LogLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export class SlackStage implements SpeakingStage {
  readonly path = `slack/${TEAM}/@${PERSON}`;
  readonly person = PERSON;
  readonly longest = 4_000;
  readonly clock = new HurriedClock();
  readonly lines: LogLine[] = [];
  readonly slack: SlackRehearsal;
  readonly #opened: Bridge[] = [];

  private constructor(slack: SlackRehearsal) {
    this.slack = slack;
  }

  static async open(): Promise<SlackStage> {
    const people = [
      { id: PERSON, name: "Ada" },
      { id: "U0BOB", name: "Bob" },
    ];
    const channels = [
      { id: GENERAL, name: "general" },
      { id: "C0OTHER", name: "other", hasBot: false },
    ];
    const slack = await SlackRehearsal.start({ clock: systemClock, people, channels, resendMs: 1_000 });
    slack.workspace.directWith(PERSON);
    return new SlackStage(slack);
  }

  bridge(
    settings: { readonly botToken?: string; readonly appToken?: string; readonly workspace?: string } = {},
  ): Bridge {
    const write = (event: string, fields?: LogLine["fields"]) => void this.lines.push({ event, fields });
    const log: Log = { info: write, warn: write, error: write };
    const { appToken, botToken, url: apiUrl } = this.slack;
    return slackBridge(
      { appToken, botToken, apiUrl, ...settings },
      { clock: this.clock, log, random: () => 0 },
    );
  }

  /** One that is closed with the stage. */
  async opened(inbox: OutsideInbox, settings: Parameters<SlackStage["bridge"]>[0] = {}): Promise<Bridge> {
    const bridge = this.bridge(settings);
    this.#opened.push(bridge);
    await bridge.open(inbox);
    return bridge;
  }

  callsOf(method: string) {
    return this.slack.calls.filter((call) => call.method === method);
  }

  async says(text: string, { answers }: { readonly answers?: string } = {}): Promise<string> {
    const thread = answers === undefined ? {} : { thread_ts: this.#rootOf(answers.split("/")[1] ?? "") };
    const { ts } = this.slack.says(DIRECT, PERSON, text, thread);
    return `${DIRECT}/${ts}`;
  }

  async heard(): ReturnType<SpeakingStage["heard"]> {
    return this.slack.heard(DIRECT).map(({ ts, shown, thread_ts }) => ({
      id: `${DIRECT}/${ts}`,
      text: shown,
      ...(thread_ts === undefined ? {} : { answers: `${DIRECT}/${thread_ts}` }),
    }));
  }

  async refuse(words: string): Promise<void> {
    const response_metadata = { messages: [`[ERROR] ${words}`] };
    this.slack.plan("chat.postMessage", new CallRefusal("invalid_arguments", { response_metadata }));
  }

  async outage(isOn: boolean): Promise<void> {
    this.slack.outage(isOn);
  }

  async close(): Promise<void> {
    if (this.#opened.length > 0) {
      await Promise.all(this.#opened.map((bridge) => bridge.close()));
      await until(() => this.slack.openSockets === 0, "every connection to end");
    }
    await this.slack.close();
  }

  /** What it wrote into the log about itself. */
  get secretsLogged(): readonly string[] {
    const { appToken, botToken } = this.slack;
    return [appToken, botToken, "ticket"].filter((secret) => JSON.stringify(this.lines).includes(secret));
  }

  /** People answer in the thread of a message, which belongs to its first one. */
  #rootOf(ts: string): string {
    return this.slack.workspace.message(DIRECT, ts).thread_ts ?? ts;
  }
}
