import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Client } from "../../src/client/connect.ts";
import { allowAnswerFile } from "../../src/programs/claude/hooks/allow-answer.ts";
import type {
  QueuedDelivery,
  SendResponse,
  ShownDelivery,
  ShowResponse,
} from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { death } from "../crash/crash-rig.ts";
import type { Place, PlaceKind } from "../rig/agent-terminal.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { type ClaudeOptions, startClaude } from "../rig/claude.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { HostedPlace } from "../rig/hosted-place.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { tmuxPlace } from "../rig/tmux-place.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import type { Typist } from "../rig/typist.ts";

export const PERSON = userInfo().username;

/** On two cores, with other suites in parallel, an event may take long; a failure is still a failure. */
export const PATIENCE_MS = 180_000;

export interface StageOptions {
  /** Where its Claude Codes run; by default tmux. */
  readonly where?: PlaceKind;
  /** More lines for config.yaml. */
  readonly config?: string;
  /** For those in tmux. A hosted one always has hooks, through its command line. */
  readonly hooks?: "installed" | "none";
  readonly env?: Readonly<Record<string, string>>;
}

/** A separate Bellhop, fake model and tmux, for one or more real Claude Codes, in tmux or hosted. */
export class Stage {
  readonly tmux: TmuxServer;
  readonly model: FakeModel;
  readonly bellhop: Bellhop;
  readonly hosted: HostedPlace;
  readonly place: Place;
  client: Client;
  readonly #hooks: "installed" | "none";
  readonly #typists: Typist[] = [];
  readonly #agents: RunningAgent[] = [];

  private constructor(
    parts: Pick<Stage, "tmux" | "model" | "bellhop" | "client">,
    hooks: "installed" | "none",
    where: PlaceKind,
  ) {
    this.tmux = parts.tmux;
    this.model = parts.model;
    this.bellhop = parts.bellhop;
    this.client = parts.client;
    this.hosted = new HostedPlace(this.bellhop, this.tmux);
    this.place = where === "hosted" ? this.hosted : tmuxPlace(this.tmux);
    this.#hooks = where === "hosted" ? "none" : hooks;
  }

  static async set(options: StageOptions = {}): Promise<Stage> {
    const { config = "", hooks = "installed", env = {}, where = "tmux" } = options;
    const tmux = startTmuxServer();
    const model = await startFakeModel();
    const bellhop = new Bellhop({
      config: `tmux: { servers: ["${tmux.socket}"] }\n${config}\n`,
      // The default tmux server of whoever runs the tests is left alone.
      env: { TMUX_TMPDIR: tmux.folder, ...env },
    });
    if (where === "hosted" && hooks === "installed") saidYes(bellhop);
    await bellhop.start();
    return new Stage({ tmux, model, bellhop, client: await bellhop.client() }, hooks, where);
  }

  /** After a restart of the daemon. */
  async reconnect(): Promise<void> {
    this.client = await this.bellhop.client();
  }

  /** Ready for a message: its composer is visible and Bellhop has found it idle. */
  async enter(name: string, { settings, ...options }: Partial<ClaudeOptions> = {}): Promise<RunningAgent> {
    const home = options.home ?? join(this.tmux.folder, `${name}-home`);
    mkdirSync(join(home, ".claude"), { recursive: true });
    this.#trustEveryFolder(home);
    if (settings !== undefined)
      writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings));
    if (this.#hooks === "installed") await this.#installHooks(home);
    const { tmux, model, place } = this;
    const agent = await startClaude({ tmux, model, place, name, ...options, home });
    this.#agents.push(agent);
    await this.untilIdle(basename(agent.repo));
    return agent;
  }

  /** Known before the first start: a running Claude writes this file too, and may undo what is added later. */
  #trustEveryFolder(home: string): void {
    const file = join(home, ".claude.json");
    if (existsSync(file)) return;
    const projects = { [this.tmux.folder]: { hasTrustDialogAccepted: true } };
    writeFileSync(file, JSON.stringify({ projects }));
  }

  async #installHooks(home: string): Promise<void> {
    const installed = await this.bellhop.run(["hooks", "install", "claude", "--allow-rules"], {
      env: { HOME: home },
    });
    if (installed.code !== 0) throw new Error(installed.stderr);
  }

  async typist({ terminal }: RunningAgent): Promise<Typist> {
    const typist = await terminal.typist();
    this.#typists.push(typist);
    return typist;
  }

  send(to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> {
    return this.client.call("send", { to, body, claims: { user: PERSON }, ...more });
  }

  show({ messageId }: { readonly messageId: string }): Promise<ShowResponse> {
    return this.client.call("show", { id: messageId });
  }

  async delivery(sent: { readonly messageId: string }): Promise<ShownDelivery> {
    const [delivery] = (await this.show(sent)).deliveries;
    if (delivery === undefined) throw new Error("the message has no delivery");
    return delivery;
  }

  /** Waits until it has reached the state; resolves with its delivery. */
  async reaches(
    sent: { readonly messageId: string },
    state: "delivered" | "read" | "replied",
    timeoutMs = PATIENCE_MS,
  ): Promise<ShownDelivery> {
    const patience = { timeoutMs: timeoutMs + 5_000 };
    try {
      const { reached } = await this.client.call("wait", { id: sent.messageId, state, timeoutMs }, patience);
      if (reached) return await this.delivery(sent);
    } catch (cause) {
      throw new Error(`not ${state}: ${String(cause)}\n${await this.#scene(sent)}`);
    }
    throw new Error(`not ${state}\n${await this.#scene(sent)}`);
  }

  async queued({ messageId }: { readonly messageId: string }): Promise<QueuedDelivery | undefined> {
    const { deliveries } = await this.client.call("queue", {});
    return deliveries.find((delivery) => delivery.messageId === messageId);
  }

  async held(sent: { readonly messageId: string }, reason: string): Promise<void> {
    let last: QueuedDelivery | undefined;
    const isHeld = async () => {
      last = await this.queued(sent);
      return last?.hold?.reason === reason;
    };
    await until(isHeld, `hold ${reason}`, PATIENCE_MS).catch(async (cause: unknown) => {
      throw new Error(`${String(cause)} Last: ${JSON.stringify(last)}\n${await this.#scene(sent)}`);
    });
  }

  async session(name: string) {
    const { sessions } = await this.client.call("ls", {});
    return sessions.find(({ agent }) => agent === name);
  }

  async untilIdle(name: string): Promise<void> {
    await until(
      async () => (await this.session(name))?.readiness === "idle",
      `${name} to be idle`,
      PATIENCE_MS,
    );
  }

  /** The text of every request that carries this message to the model for the first time. */
  async arrives({ shortId }: { readonly shortId: string }): Promise<string> {
    const carries = (text: string) => isIn(text, shortId);
    const { newPrompts } = await this.model.waitForRequest((request) => request.newPrompts.some(carries), {
      timeoutMs: PATIENCE_MS,
    });
    return newPrompts.find(carries) ?? "";
  }

  /** Every prompt that the model got, with the content of a file instead of its name. */
  readings(model = this.model): string[] {
    return model.prompts().map((prompt) => {
      const file = /\] Read (\/\S+)/u.exec(prompt)?.[1];
      return file === undefined ? prompt : readFileSync(file, "utf8");
    });
  }

  async isRead({ messageId, shortId }: SendResponse): Promise<void> {
    await this.reaches({ messageId }, "delivered");
    const body = (await this.show({ messageId })).message.body;
    await until(
      () => this.readings().some((text) => text.includes(body)),
      `the model to read #${shortId}`,
      PATIENCE_MS,
    );
  }

  copiesOf({ shortId }: { readonly shortId: string }): number {
    return this.model.prompts().filter((text) => isIn(text, shortId)).length;
  }

  requestOf(prompt: string): ModelRequest | undefined {
    return this.model.requests.find(({ newPrompts }) => newPrompts.includes(prompt));
  }

  /** A daemon that dies at this step of its delivery, and the next one. */
  async sendInto(step: string, to: string, body: string): Promise<SendResponse> {
    await this.bellhop.stop();
    const doomed = await this.bellhop.start({ BELLHOP_TEST_CRASH_AT: step });
    await this.reconnect();
    const sent = await this.send(to, body);
    await death(doomed, `the daemon never came by ${step}`);
    await this.bellhop.start();
    await this.reconnect();
    return sent;
  }

  async #scene(sent: { readonly messageId: string }): Promise<string> {
    const shown = await this.show(sent).catch(String);
    const screens = await Promise.all(
      this.#agents.map(({ session, terminal }) =>
        terminal.screen().then((text) => `${session}\n${text.trimEnd()}`, String),
      ),
    );
    return [
      JSON.stringify(shown, undefined, 1),
      ...screens,
      this.bellhop.log().split("\n").slice(-40).join("\n"),
    ].join("\n");
  }

  async strike(): Promise<void> {
    for (const typist of this.#typists) await typist.close().catch(() => {});
    await this.hosted.close();
    await this.tmux.kill();
    await this.bellhop.dispose();
    await this.model.close();
  }
}

/** On its own, or one of a short batch. */
export function isIn(prompt: string, shortId: string): boolean {
  return prompt.includes(`#${shortId}]`) || prompt.includes(`#${shortId}:`);
}

/** As "bellhop hooks install" records it: hosted programs get the allow rules only then. */
function saidYes({ home }: Bellhop): void {
  const file = allowAnswerFile(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, "yes\n");
}
