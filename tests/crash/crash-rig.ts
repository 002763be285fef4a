import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { expect } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import type { Step } from "../../src/office/steps.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

export const claims = { user: userInfo().username };

export interface Sent {
  readonly key: string;
  readonly body: string;
  readonly to: string;
  /** Set once the daemon said that it has it. */
  messageId?: string;
}

/** One home, one tmux, some agents that write down every prompt; the daemon may die at any moment. */
export class CrashScene {
  readonly tmux: TmuxServer;
  readonly bellhop: Bellhop;
  readonly agents: ScriptedAgent[] = [];
  readonly sent: Sent[] = [];

  private constructor(tmux: TmuxServer, bellhop: Bellhop) {
    this.tmux = tmux;
    this.bellhop = bellhop;
  }

  static async open(options: {
    readonly agents: readonly string[];
    readonly delivery?: string;
  }): Promise<CrashScene> {
    const tmux = startTmuxServer();
    const bellhop = new Bellhop({
      config: [
        SCRIPTED_PROFILE,
        `tmux: { servers: ["${tmux.socket}"] }`,
        `delivery: { input_poll_interval: 0.3, input_stale_timeout: 1, evidence_timeout: 3 ${options.delivery ?? ""} }`,
      ].join("\n"),
    });
    const scene = new CrashScene(tmux, bellhop);
    for (const name of options.agents)
      scene.agents.push(await startScriptedAgent({ tmux, name, cols: 90, rows: 30 }));
    return scene;
  }

  async close(): Promise<void> {
    await this.bellhop.dispose();
    await this.tmux.kill();
  }

  /** The daemon that will kill itself at this step. */
  async startDoomed(step: Step, visit = 1): Promise<ChildProcess> {
    return this.bellhop.start({ BELLHOP_TEST_CRASH_AT: `${step}#${visit}` });
  }

  /** As a careful client: the same key until there is an answer. */
  async send(client: Client | undefined, message: Sent): Promise<void> {
    if (!this.sent.includes(message)) this.sent.push(message);
    try {
      const live = client ?? (await this.bellhop.client());
      const { messageId } = await live.call(
        "send",
        { to: message.to, body: message.body, idempotencyKey: message.key, claims },
        { timeoutMs: 10_000 },
      );
      message.messageId = messageId;
    } catch {
      // The daemon died: nothing was promised.
    }
  }

  /** Every accepted message reached its agent; a second copy only where it is marked as a possible duplicate. */
  async verify(): Promise<{ readonly duplicates: number }> {
    const client = await this.bellhop.client();
    for (const message of this.sent) if (message.messageId === undefined) await this.send(client, message);
    let duplicates = 0;
    for (const message of this.sent) {
      const id = message.messageId ?? "";
      await client
        .call("wait", { id, state: "delivered", timeoutMs: 90_000 }, { timeoutMs: 100_000 })
        .catch(() => undefined);
      const shown = await client.call("show", { id });
      const delivery = shown.deliveries[0];
      const receipts = JSON.stringify(delivery?.receipts);
      expect(delivery?.state, `#${shown.message.shortId} ${receipts}`).toMatch(
        /^(delivered|read|replied|unconfirmed)$/,
      );
      await until(
        () => this.#copies(shown.message.shortId) > 0,
        `#${shown.message.shortId} at its agent ${receipts}`,
        5_000,
      );
      const copies = this.#copies(shown.message.shortId);
      if (copies > 1) {
        duplicates += copies - 1;
        expect(
          delivery?.possibleDuplicate,
          `#${shown.message.shortId} came ${copies} times ${receipts}`,
        ).toBe(true);
      }
    }
    return { duplicates };
  }

  #copies(shortId: string): number {
    return (
      this.agents.flatMap((agent) => agent.prompts()).filter((prompt) => prompt.includes(`#${shortId}]`))
        .length + this.#inBatches(shortId)
    );
  }

  /** A batch goes by reference: its file names the messages. */
  #inBatches(shortId: string): number {
    const files = this.agents
      .flatMap((agent) => agent.prompts())
      .flatMap((prompt) => /^\[\d+ messages from: .*\] Read (\S+)$/.exec(prompt)?.[1] ?? []);
    return files.filter((file) => readText(file).includes(`#${shortId}]`)).length;
  }
}

export async function death(child: ChildProcess, what: string): Promise<void> {
  if (child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGUSR2"), 30_000);
  await once(child, "exit");
  clearTimeout(timer);
  expect(child.signalCode, what).toBe("SIGKILL");
}

function readText(file: string): string {
  return readFileSync(file, "utf8");
}
