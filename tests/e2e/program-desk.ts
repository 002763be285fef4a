import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/client/connect.ts";
import type { SendResponse, ShownDelivery, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { death } from "../crash/crash-rig.ts";
import { type Place, type PlaceKind, runsIn } from "../rig/agent-terminal.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { HostedPlace } from "../rig/hosted-place.ts";
import type { AgentOptions, RunningAgent } from "../rig/running-agent.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { tmuxPlace } from "../rig/tmux-place.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import type { Hands, Typist } from "../rig/typist.ts";
import { isIn } from "./claude-stage.ts";

export const PERSON = userInfo().username;

/** On two cores, with other suites in parallel, an event may take long; a failure is still a failure. */
export const PATIENCE_MS = 180_000;

export interface DeskParts {
  readonly tmux: TmuxServer;
  readonly model: FakeModel;
  readonly bellhop: Bellhop;
  readonly client: Client;
}

/** How a program's user starts it, and the name by which its hooks are installed. */
export interface Seating<Options extends AgentOptions> {
  start(options: Options): Promise<RunningAgent>;
  readonly hooks: string;
  readonly options?: Partial<Options>;
}

type Sent = Pick<SendResponse, "messageId" | "shortId">;

/** A separate Bellhop, fake model and tmux, for windows of real programs that share one home, in tmux or hosted. */
export class ProgramDesk {
  readonly tmux: TmuxServer;
  readonly model: FakeModel;
  readonly bellhop: Bellhop;
  readonly hosted: HostedPlace;
  readonly #place: Place;
  #client: Client;
  #daemon: ChildProcess | undefined;
  readonly #typists: Typist[] = [];
  readonly #windows = new Map<RunningAgent, { readonly pid: number | "ended" }>();

  protected constructor(parts: DeskParts, where: PlaceKind) {
    this.tmux = parts.tmux;
    this.model = parts.model;
    this.bellhop = parts.bellhop;
    this.hosted = new HostedPlace(this.bellhop, this.tmux);
    this.#place = where === "hosted" ? this.hosted : tmuxPlace(this.tmux);
    this.#client = parts.client;
  }

  static async open(config = "", where: PlaceKind = "tmux"): Promise<ProgramDesk> {
    return new ProgramDesk(await deskParts(config), where);
  }

  get client(): Client {
    return this.#client;
  }

  /** A program as its user has it after `hooks install`: default permissions, `bellhop` on the path. */
  protected async seatProgram<Options extends AgentOptions>(
    name: string,
    { start, hooks, options }: Seating<Options>,
    readiness: ListedSession["readiness"] = "idle",
  ): Promise<RunningAgent> {
    const { tmux, model } = this;
    const window = await start({
      tmux,
      model,
      place: this.#place,
      name,
      home: join(tmux.folder, "home"),
      extraEnv: { BELLHOP_HOME: this.bellhop.home },
      pathFolders: [bellhopOnPath(join(tmux.folder, "bin"))],
      beforeStart: (home: string) => this.#installHooks(hooks, home),
      ...options,
    } as unknown as Options);
    this.#windows.set(window, { pid: await window.terminal.program() });
    await this.untilReadiness(window, readiness);
    return window;
  }

  async #installHooks(program: string, home: string): Promise<void> {
    const command = ["hooks", "install", program, "--yes", "--allow-rules"];
    const { code, stderr } = await this.bellhop.run(command, { env: { HOME: home } });
    if (code !== 0) throw new Error(stderr);
  }

  /** A small program instead of a second real one: it records its prompts, and answers nothing. */
  async seatScripted(name: string): Promise<ScriptedAgent & { readonly id: string }> {
    const agent = await startScriptedAgent({ tmux: this.tmux, name });
    const session = async () =>
      (await this.client.call("ls", {})).sessions.find(({ agent: found }) => found === name);
    await until(async () => (await session())?.readiness === "idle", `${name} to be idle`, PATIENCE_MS);
    return { ...agent, id: (await session())?.id ?? "" };
  }

  async typist({ terminal }: RunningAgent): Promise<Typist> {
    const typist = await terminal.typist();
    this.#typists.push(typist);
    return typist;
  }

  /** A person gives the program something to do. */
  async say(typist: Typist, window: RunningAgent, prompt: string): Promise<ModelRequest> {
    await typist.type(prompt);
    await this.shows(window, prompt.slice(-20));
    return this.submits(typist, prompt);
  }

  /** Sends what stands in the composer. */
  submits(typist: Hands, prompt: string): Promise<ModelRequest> {
    typist.press("\r");
    return this.model.waitForPrompt(prompt, { timeoutMs: PATIENCE_MS });
  }

  shows(window: RunningAgent, wanted: string | ((screen: string) => boolean)): Promise<string> {
    const matches = typeof wanted === "string" ? (screen: string) => screen.includes(wanted) : wanted;
    return window.terminal.waitForScreen(matches, { timeoutMs: PATIENCE_MS });
  }

  send(to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> {
    return this.client.call("send", { to, body, claims: { user: PERSON }, ...more });
  }

  show({ messageId }: Sent): Promise<ShowResponse> {
    return this.client.call("show", { id: messageId });
  }

  async delivery(sent: Sent): Promise<ShownDelivery> {
    const [delivery] = (await this.show(sent)).deliveries;
    if (delivery === undefined) throw new Error(`#${sent.shortId} has no delivery`);
    return delivery;
  }

  /** Waits until it has reached the state; resolves with its delivery. */
  async reaches(sent: Sent, state: "delivered" | "read" | "replied"): Promise<ShownDelivery> {
    try {
      const wait = { id: sent.messageId, state, timeoutMs: PATIENCE_MS };
      const { reached } = await this.client.call("wait", wait, { timeoutMs: PATIENCE_MS + 5_000 });
      if (!reached) throw new Error("it will not get there");
    } catch (cause) {
      throw new Error(`#${sent.shortId} is not ${state}: ${String(cause)}\n${await this.#scene(sent)}`);
    }
    return this.delivery(sent);
  }

  async isHeld(sent: Sent, reason: string): Promise<void> {
    const held = async () => (await this.delivery(sent)).hold?.reason === reason;
    await until(held, `hold ${reason}`, PATIENCE_MS).catch(async (cause: unknown) => {
      throw new Error(`${String(cause)}\n${await this.#scene(sent)}`);
    });
  }

  async sessionIn(window: RunningAgent): Promise<ListedSession | undefined> {
    const { sessions } = await this.client.call("ls", {});
    return sessions.find((session) => runsIn(session, window.pane));
  }

  untilIdle(window: RunningAgent): Promise<void> {
    return this.untilReadiness(window, "idle");
  }

  async untilReadiness(window: RunningAgent, readiness: ListedSession["readiness"]): Promise<void> {
    let seen: ListedSession | undefined;
    const isSo = async () => {
      seen = await this.sessionIn(window);
      return seen?.readiness === readiness;
    };
    await until(isSo, `${window.session} to be ${readiness}`, PATIENCE_MS).catch(async (cause: unknown) => {
      throw new Error(`${String(cause)}\n${JSON.stringify(seen)}\n${await this.windowsAndLog()}`);
    });
  }

  /** The first request that carries this message, and the exact text in it. */
  async arrives(sent: Sent): Promise<{ readonly request: ModelRequest; readonly prompt: string }> {
    const carries = (text: string) => isIn(text, sent.shortId);
    const request = await this.model
      .waitForRequest(({ newPrompts }) => newPrompts.some(carries), { timeoutMs: PATIENCE_MS })
      .catch(async (cause: unknown) => {
        throw new Error(`${String(cause)}\n${await this.#scene(sent)}`);
      });
    return { request, prompt: request.newPrompts.find(carries) ?? "" };
  }

  /** The first such request; without one, everything that is known about why. */
  reads(matches: (request: ModelRequest) => boolean): Promise<ModelRequest> {
    return this.model.waitForRequest(matches, { timeoutMs: PATIENCE_MS }).catch(async (cause: unknown) => {
      const { entries } = await this.client.call("history", {});
      throw new Error(`${String(cause)}\n${JSON.stringify(entries)}\n${await this.windowsAndLog()}`);
    });
  }

  /** Every prompt that the model got, each followed by the file that it names. */
  readings(): readonly string[] {
    return this.model.prompts().map((prompt) => {
      const file = /^\[.*\] Read (\/\S+)/u.exec(prompt)?.[1];
      return file === undefined ? prompt : `${prompt}\n${readFileSync(file, "utf8")}`;
    });
  }

  copiesOf({ shortId }: Sent): number {
    return this.readings().filter((text) => isIn(text, shortId)).length;
  }

  /** None of our keys has ended a program, as Ctrl+C with an empty composer would. */
  async allAlive(): Promise<void> {
    for (const [{ session, terminal }, { pid }] of this.#windows) {
      if ((await terminal.program()) !== pid)
        throw new Error(`${session} is gone:\n${await terminal.screen()}`);
    }
  }

  async crashDaemon(): Promise<void> {
    await this.bellhop.stop("SIGKILL");
    await this.bellhop.start();
    this.#client = await this.bellhop.client();
  }

  /** A daemon that dies at this step of its delivery, and the next one. */
  async sendInto(step: string, to: string, body: string): Promise<SendResponse> {
    await this.bellhop.stop();
    const doomed = await this.bellhop.start({ BELLHOP_TEST_CRASH_AT: step });
    this.#client = await this.bellhop.client();
    const sent = await this.send(to, body);
    await death(doomed, `the daemon never came by ${step}`);
    await this.bellhop.start();
    this.#client = await this.bellhop.client();
    return sent;
  }

  /** Another daemon, perhaps one that will die at a step of its own. */
  async restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.bellhop.stop();
    this.#daemon = await this.bellhop.start(env);
    this.#client = await this.bellhop.client();
  }

  /** The daemon of the last restart dies at that step, and the next one starts. */
  async comesBackAfterCrash(step: string): Promise<void> {
    if (this.#daemon === undefined) throw new Error("no daemon was to die");
    await death(this.#daemon, `the daemon never came by ${step}`);
    await this.restart();
  }

  async #scene(sent: Sent): Promise<string> {
    const shown = await this.show(sent).catch(String);
    return `${JSON.stringify(shown, undefined, 1)}\n${await this.windowsAndLog()}`;
  }

  /** What every window shows, and the end of the log. */
  async windowsAndLog(): Promise<string> {
    const windows = [...this.#windows.keys()];
    const screens = await Promise.all(windows.map(({ terminal }) => terminal.screen().catch(String)));
    const log = this.bellhop.log().split("\n").slice(-40).join("\n");
    return [...screens.map((screen) => screen.trimEnd()), log].join("\n");
  }

  async close(): Promise<void> {
    for (const typist of this.#typists) await typist.close();
    await this.hosted.close();
    await this.tmux.kill();
    await this.bellhop.dispose();
    await this.model.close();
  }
}

export async function deskParts(config: string): Promise<DeskParts> {
  const tmux = startTmuxServer();
  const model = await startFakeModel();
  const bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }
delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }
${SCRIPTED_PROFILE}
${config}
`,
    // The default tmux server of whoever runs the tests is left alone.
    env: { TMUX_TMPDIR: tmux.folder },
  });
  await bellhop.start();
  return { tmux, model, bellhop, client: await bellhop.client() };
}

/** The states it went through; stronger evidence for the same state is not a separate step. */
export function courseOf(delivery: ShownDelivery): readonly string[] {
  return delivery.receipts.map(({ state }) => state).filter((state, at, all) => state !== all[at - 1]);
}

export const WHOLE_COURSE = ["queued", "delivering", "delivered", "read"];
