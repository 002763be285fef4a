/** Agents that take turns by themselves: the built daemon, a real program without a terminal, and a fake model. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { OPEN_TURN_STATES } from "../../src/core/turns/turn.ts";
import type { ShownDelivery, ShownMessage, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { ShownTurn, TurnsResponse } from "../../src/wire/shapes/turns.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { claudeEnvironment, settleClaudeUser, startClaude } from "../rig/claude.ts";
import { codexConfig, codexEnvironment } from "../rig/codex.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { createGitRepository } from "../rig/git-repository.ts";
import type { ModelPlan } from "../rig/model-plan.ts";
import { type ProgramName, program } from "../rig/programs.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { isIn } from "./claude-stage.ts";

export const PERSON = `person/${userInfo().username}`;

/** On two cores, with other suites in parallel, an event may take long; a failure is still a failure. */
export const PATIENCE_MS = 180_000;
export const NO_TRIAGE = { triage_model: "" };
/** What the small model says about everything that `judges` says nothing about. */
const WORTH_IT = "YES\nSomebody asks.";

export interface Sent {
  readonly id: string;
  readonly shortId: string;
}
/** The keys of each agent's `auto_run`. */
export type AgentKeys = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface DayOptions {
  /** They have a folder, but do not stand in the config. */
  readonly strangers?: readonly string[];
  /** Once its home and folders are there, before the daemon starts. */
  readonly prepare?: (day: HeadlessDay) => Promise<void>;
  /** TOML for `config.toml` of Codex. */
  readonly codexConfig?: (bellhopHome: string) => string;
}

export class HeadlessDay {
  readonly tmux: TmuxServer;
  readonly model: FakeModel;
  readonly bellhop: Bellhop;
  readonly bin: string;
  #terminals = 0;

  private constructor(parts: Pick<HeadlessDay, "tmux" | "model" | "bellhop" | "bin">) {
    this.tmux = parts.tmux;
    this.model = parts.model;
    this.bellhop = parts.bellhop;
    this.bin = parts.bin;
  }

  static async begin(
    runner: ProgramName,
    agents: AgentKeys,
    { strangers = [], prepare = async () => {}, codexConfig: extraConfig = () => "" }: DayOptions = {},
  ): Promise<HeadlessDay> {
    const tmux = startTmuxServer();
    const model = await startFakeModel();
    const bin = bellhopOnPath(join(tmux.folder, "bin"));
    const home = join(tmux.folder, "home");
    mkdirSync(home);
    // Codex runs its commands in a login shell, which may reset PATH.
    writeFileSync(join(home, ".profile"), `export PATH="${bin}${delimiter}$PATH"\n`);
    const folders = [...Object.keys(agents), ...strangers].map((name) => join(tmux.folder, name));
    for (const folder of folders) await createGitRepository(folder);
    const written = Object.entries(agents).map(([name, keys]) => ({
      name,
      auto_run: { enabled: true, runner, debounce_ms: 0, ...usual(tmux.folder, name), ...keys },
    }));
    const bellhop = new Bellhop({
      // JSON is YAML.
      config: `tmux: { servers: ["${tmux.socket}"] }\nagents: ${JSON.stringify(written)}\n`,
      env: {
        // The default tmux server of whoever runs the tests is left alone.
        TMUX_TMPDIR: tmux.folder,
        HOME: home,
        PATH: [bin, dirname(program(runner).executable), process.env.PATH].join(delimiter),
        ...(runner === "claude" ? claudeEnvironment(model) : codexEnvironment(home)),
      },
    });
    if (runner === "claude") settleClaudeUser(home, folders);
    else {
      mkdirSync(join(home, ".codex"));
      const config = codexConfig({ model, extraConfig: extraConfig(bellhop.home) });
      writeFileSync(join(home, ".codex", "config.toml"), config);
    }
    const day = new HeadlessDay({ tmux, model, bellhop, bin });
    day.judges("", { say: WORTH_IT });
    await prepare(day);
    await bellhop.start();
    return day;
  }

  get home(): string {
    return join(this.tmux.folder, "home");
  }

  folder(agent: string): string {
    return join(this.tmux.folder, agent);
  }

  /** What the small model says when it is asked about messages with these words. */
  judges(words: string, plan: ModelPlan): void {
    // Above them stands what was said before.
    const messages = ({ userText }: ModelRequest) =>
      userText.split(/^The (?:message|\d+ messages):$/mu).at(-1);
    this.model.on((request) => isTriage(request) && messages(request)?.includes(words) === true, plan);
  }

  /** What the agent's model does with a prompt that has these words in it. */
  does(words: string, plan: ModelPlan): void {
    this.model.on(
      (request) => request.kind === "main" && !isTriage(request) && request.newPrompts.join().includes(words),
      plan,
    );
  }

  /** As the person, at the daemon's own door. */
  async send(to: string, body: string): Promise<Sent> {
    const claims = { user: userInfo().username };
    const { messageId, shortId } = await this.bellhop.ask("send", { to, body, claims });
    return { id: messageId, shortId };
  }

  /** As `bellhop turns` prints it. */
  turns(agent: string): Promise<TurnsResponse> {
    return this.bellhop.json(["turns", agent]);
  }

  show(sent: Sent): Promise<ShowResponse> {
    return this.bellhop.ask("show", { id: sent.id });
  }

  async delivery(sent: Sent): Promise<ShownDelivery> {
    const [delivery] = (await this.show(sent)).deliveries;
    if (delivery === undefined) throw new Error(`#${sent.shortId} has no delivery`);
    return delivery;
  }

  /** The turn that took this message, when it is over. */
  async turnAbout(agent: string, sent: Sent): Promise<ShownTurn> {
    return this.turnWith(agent, sent, ({ state }) => !OPEN_TURN_STATES.some((open) => open === state));
  }

  async turnWith(agent: string, sent: Sent, matches: (turn: ShownTurn) => boolean): Promise<ShownTurn> {
    let found: ShownTurn | undefined;
    const look = async () => {
      const { turns } = await this.bellhop.ask("turns", { agent });
      found = turns.find(
        (turn) => matches(turn) && turn.messages.some(({ shortId }) => shortId === sent.shortId),
      );
      return found !== undefined;
    };
    await until(look, `a turn of ${agent} about #${sent.shortId}`, PATIENCE_MS).catch(
      async (cause: unknown) => {
        throw new Error(`${String(cause)}\n${await this.#scene(sent, agent)}`);
      },
    );
    if (found === undefined) throw new Error("unreachable");
    return found;
  }

  /** What came back for it, to whoever has sent it; the newest first. */
  async answersTo(sent: Sent, who: string = PERSON): Promise<readonly ShownMessage[]> {
    const { entries } = await this.bellhop.ask("history", { who, limit: 200 });
    return entries.flatMap(({ message }) => (message.replyTo === sent.id ? message : []));
  }

  /** The first message with these words that came to this one. */
  async message(who: string, words: string): Promise<ShownMessage> {
    let found: ShownMessage | undefined;
    const look = async () => {
      const { entries } = await this.bellhop.ask("history", { who, limit: 200 });
      found = entries.findLast(({ message }) => message.body.includes(words))?.message;
      return found !== undefined;
    };
    const failure = () =>
      [`"${words}" for ${who}; the model was asked:`, ...this.#modelRequests()].join("\n");
    await until(look, failure, PATIENCE_MS);
    if (found === undefined) throw new Error("unreachable");
    return found;
  }

  async reaches(sent: Sent, state: "delivered" | "read" | "replied"): Promise<void> {
    const wait = { id: sent.id, state, timeoutMs: PATIENCE_MS };
    const client = await this.bellhop.client();
    const { reached } = await client.call("wait", wait, { timeoutMs: PATIENCE_MS + 5_000 });
    if (!reached) throw new Error(`#${sent.shortId} will not be ${state}:\n${await this.#scene(sent)}`);
  }

  /** The real Claude Code of this agent in a terminal, when it is ready for a message. */
  async opens(agent: string, args: readonly string[] = []): Promise<RunningAgent> {
    const { tmux, model, home, bin, bellhop } = this;
    this.#terminals += 1;
    const name = `terminal-${this.#terminals}`;
    const opened = await startClaude({
      ...{ tmux, model, home, args, name },
      repo: this.folder(agent),
      pathFolders: [bin],
      extraEnv: { BELLHOP_HOME: bellhop.home },
    });
    await this.#untilListed(({ label }) => label.startsWith(name), name);
    return opened;
  }

  async closes({ terminal }: RunningAgent, agent: string): Promise<void> {
    const typist = await terminal.typist();
    await typist.type("/exit");
    await terminal.waitForScreen((screen) => screen.includes("/exit"));
    typist.press("\r");
    await until(async () => (await this.#readiness(agent)) === undefined, `the end of ${agent}`, PATIENCE_MS);
    await typist.close();
  }

  untilIdle(name: string): Promise<void> {
    return this.#untilListed(
      ({ agent, readiness }) => agent === name && readiness === "idle",
      `${name}, idle`,
    );
  }

  async #untilListed(matches: (session: ListedSession) => boolean, what: string): Promise<void> {
    const sessions = async () => (await this.bellhop.ask("ls", {})).sessions;
    await until(async () => (await sessions()).some(matches), what, PATIENCE_MS).catch(
      async (cause: unknown) => {
        throw new Error(`${String(cause)}\n${JSON.stringify(await sessions(), undefined, 1)}`);
      },
    );
  }

  /** The only conversation of Claude Code in the agent's folder. */
  conversationIn(agent: string): string {
    const folder = join(
      this.home,
      ".claude",
      "projects",
      this.folder(agent).replaceAll(/[^a-zA-Z0-9]/gu, "-"),
    );
    const found = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
    if (found.length !== 1) throw new Error(`not one conversation: ${found.join()}`);
    return found[0]?.replace(".jsonl", "") ?? "";
  }

  async #readiness(name: string): Promise<string | undefined> {
    const { sessions } = await this.bellhop.ask("ls", {});
    return sessions.find(({ agent }) => agent === name)?.readiness;
  }

  /** What the agent's own model was sent, in the order in which it came. */
  requestsOf(agent: string): readonly ModelRequest[] {
    return this.model.requests.filter(
      (request) =>
        (request.kind === "main" || request.kind === "tool_result") &&
        !isTriage(request) &&
        JSON.stringify(request.body).includes(roleOf(agent)),
    );
  }

  triages(): readonly ModelRequest[] {
    return this.model.requests.filter(isTriage);
  }

  /** The request whose newest prompt has this message in it. */
  async requestAbout({ shortId }: Sent): Promise<ModelRequest> {
    return this.model.waitForRequest(({ newPrompts }) => newPrompts.some((text) => isIn(text, shortId)), {
      timeoutMs: PATIENCE_MS,
    });
  }

  /** All that was said in the conversation up to the request about this message. */
  async saidUntil(sent: Sent): Promise<string> {
    const { body } = await this.requestAbout(sent);
    const { messages, input = messages } = body as { readonly messages?: Said; readonly input?: Said };
    return textsIn(input?.filter(({ role }) => role === "user" || role === "assistant"))
      .filter((text) => !text.includes("<system-reminder>"))
      .join("\n");
  }

  async promptAbout(sent: Sent): Promise<string> {
    const { newPrompts } = await this.requestAbout(sent);
    return newPrompts.find((text) => isIn(text, sent.shortId)) ?? "";
  }

  /** Neither by what is recorded, nor by what the model saw. */
  async neverTwoAtOnce(agent: string): Promise<void> {
    const turns = (await this.turns(agent)).turns.toSorted((a, b) => a.startedAt - b.startedAt);
    for (const [at, { endedAt }] of turns.slice(0, -1).entries())
      expect(endedAt).toBeLessThanOrEqual(turns[at + 1]?.startedAt ?? 0);
    const requests = this.requestsOf(agent);
    for (const [at, { newPrompts, startedAtMs }] of requests.entries())
      if (newPrompts.length > 0)
        for (const { endedAtMs } of requests.slice(0, at)) expect(endedAtMs).toBeLessThanOrEqual(startedAtMs);
  }

  async #scene(sent: Sent, agent?: string): Promise<string> {
    const [turns, shown] = await Promise.all([
      this.bellhop.ask("turns", agent === undefined ? {} : { agent }),
      this.show(sent),
    ]);
    const log = this.bellhop.log().split("\n").slice(-20);
    return [JSON.stringify({ turns, shown }, undefined, 1), ...this.#modelRequests(), ...log].join("\n");
  }

  #modelRequests(): readonly string[] {
    return this.model.requests.map(
      ({ kind, userText, toolResults }) =>
        `${kind}: ${userText.slice(-300)} ${toolResults.join().slice(0, 300)}`,
    );
  }

  async end(): Promise<void> {
    await this.tmux.kill();
    await this.bellhop.dispose();
    await this.model.close();
  }
}

function usual(root: string, name: string): object {
  return { cwd: join(root, name), role: roleOf(name) };
}

/** By it the model's requests are told apart. */
const roleOf = (agent: string): string => `You are the one called ${agent}.`;

const isTriage = ({ userText }: ModelRequest): boolean =>
  userText.includes("Answer YES if the agent should act or answer");

type Said = readonly { readonly role?: string }[];

/** In the order in which they were said, in the dialect of either provider. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  const { text, content } = value as { readonly text?: unknown; readonly content?: unknown };
  return textsIn(text ?? content);
}
