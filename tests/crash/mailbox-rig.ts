import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Client } from "../../src/client/connect.ts";
import type { ShownMessage } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import type { RemindRequest } from "../../src/wire/verbs/reminders.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { cameFor, claims, everythingCame } from "./crash-rig.ts";

/** Less than the daemon waits between two checks of the clock (30 s): what fires only at a check had been forgotten. */
const PATIENCE_MS = 180_000;
/** Linux counts a process's work in hundredths of a second. */
const MS_PER_TICK = 10;

export const TAKER = "taker";

/** One home, and an agent without a terminal: all its messages stay in its mailbox. */
export class MailboxScene {
  readonly bellhop: Bellhop;
  daemon: ChildProcess | undefined;
  #client: Client | undefined;

  private constructor(env: Readonly<Record<string, string>>) {
    this.bellhop = new Bellhop({ env });
    // The default tmux server of whoever runs the tests is left alone.
    this.bellhop.env.TMUX_TMPDIR = this.bellhop.home;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<MailboxScene> {
    const scene = new MailboxScene(env);
    await scene.start();
    await scene.client.call("agent_add", { name: "coder" });
    return scene;
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error("the daemon is not running");
    return this.#client;
  }

  async start(): Promise<void> {
    this.daemon = await this.bellhop.start();
    this.#client = await this.bellhop.client();
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#client = undefined;
    await this.bellhop.stop(signal);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  close(): Promise<void> {
    return this.bellhop.dispose();
  }

  remind(text: string, when: Partial<RemindRequest>): Promise<ShownReminder> {
    return this.client.call("remind", { text, to: "coder", claims, ...when });
  }

  send(body: string, more: Partial<SendRequest>): Promise<{ readonly messageId: string }> {
    return this.client.call("send", { to: "coder", body, claims, ...more });
  }

  /** Every due timer has fired and every owed notice was sent. */
  swept(): Promise<void> {
    return everythingCame(this.client, "coder");
  }

  /** An agent that takes its messages: the next of a repeated reminder comes only then. */
  async taker(): Promise<string> {
    await this.client.call("agent_add", { name: TAKER });
    return TAKER;
  }

  async takeAll(): Promise<void> {
    await this.client.call("receive", { agent: TAKER, claims });
  }

  came(text: string, who = "coder"): Promise<readonly ShownMessage[]> {
    return cameFor(this.client, who, text);
  }

  async comes(text: string, who?: string): Promise<ShownMessage> {
    let found: readonly ShownMessage[] = [];
    await until(
      async () => {
        found = await this.came(text, who);
        return found.length > 0;
      },
      `"${text}" to come`,
      PATIENCE_MS,
    );
    const [first] = found;
    if (first === undefined) throw new Error("it came and went");
    return first;
  }

  /** The times at which it expired: one, or the product is wrong. */
  async expiries({ messageId }: { readonly messageId: string }): Promise<readonly number[]> {
    const { deliveries } = await this.client.call("show", { id: messageId });
    return deliveries.flatMap(({ receipts }) =>
      receipts.flatMap(({ at, state }) => (state === "expired" ? at : [])),
    );
  }

  async expires(sent: { readonly messageId: string }): Promise<number> {
    let found: readonly number[] = [];
    await until(
      async () => {
        found = await this.expiries(sent);
        return found.length > 0;
      },
      "the message to expire",
      PATIENCE_MS,
    );
    return found[0] ?? Number.NaN;
  }

  /** The CPU time that the daemon has used so far. */
  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.daemon?.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }

  /** What is still due, the next first. */
  async waiting(): Promise<readonly string[]> {
    const { reminders } = await this.client.call("reminders", {});
    return reminders.map(({ text }) => text);
  }
}
