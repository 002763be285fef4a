/** The real programs without a terminal, each with a home, a repository and a fake model of its own. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { commandRunner } from "../../src/daemon/runner.ts";
import type { Runner, TurnOrder, TurnOutcome } from "../../src/ports/runner.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { HEADLESS_PROGRAMS } from "../../src/programs/index.ts";
import { systemClock } from "../../src/system/clock.ts";
import { claudeEnvironment, settleClaudeUser } from "../rig/claude.ts";
import { codexConfig, codexEnvironment } from "../rig/codex.ts";
import { type FakeModel, startFakeModel } from "../rig/fake-model.ts";
import { geminiEnvironment, settleGeminiUser } from "../rig/gemini.ts";
import { createGitRepository } from "../rig/git-repository.ts";
import { EVERYTHING_ALLOWED, opencodeEnvironment, settleOpencodeUser } from "../rig/opencode.ts";
import { type ProgramName, program } from "../rig/programs.ts";
import { removeFolder } from "../rig/remove-folder.ts";

type Settle = (places: {
  readonly home: string;
  readonly repo: string;
  readonly model: FakeModel;
}) => Readonly<Record<string, string>>;

type HeadlessName = Exclude<ProgramName, "pi" | "qwen">;

/** Each writes the program's settings, and gives its environment. */
const USERS: Readonly<Record<HeadlessName, Settle>> = {
  claude: ({ home, repo, model }) => {
    settleClaudeUser(home, [repo]);
    return claudeEnvironment(model);
  },
  codex: ({ home, model }) => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex", "config.toml"), codexConfig({ model }));
    return codexEnvironment(home);
  },
  opencode: ({ home, model }) => {
    settleOpencodeUser(home, model, EVERYTHING_ALLOWED);
    return opencodeEnvironment();
  },
  gemini: ({ home, repo, model }) => {
    settleGeminiUser(home, [repo]);
    return geminiEnvironment(model);
  },
};

export class HeadlessStage {
  readonly model: FakeModel;
  readonly runner: Runner;
  readonly doing: string[] = [];
  readonly #name: HeadlessName;
  readonly #root: string;
  #deadline: (() => void) | undefined;

  private constructor(name: HeadlessName, root: string, model: FakeModel, runner: Runner) {
    this.#name = name;
    this.#root = root;
    this.model = model;
    this.runner = runner;
  }

  static async open(name: HeadlessName): Promise<HeadlessStage> {
    const root = mkdtempSync(join(tmpdir(), "bh-"));
    const model = await startFakeModel();
    const home = join(root, "home");
    const repo = join(root, "repo");
    for (const folder of [home, join(root, "scratch")]) mkdirSync(folder);
    await createGitRepository(repo);
    let stage: HeadlessStage;
    const runner = commandRunner({
      programs: HEADLESS_PROGRAMS,
      processes: processesOn(process.platform),
      clock: { after: (ms, call) => stage.#after(ms, call) },
      home: join(root, "bellhop"),
      scratch: join(root, "scratch"),
      environment: {
        HOME: home,
        PATH: [dirname(program(name).executable), process.env.PATH].join(delimiter),
        BELLHOP_TOKEN: "owners",
        BRIDGE_SECRET: "secret",
        ...USERS[name]({ home, repo, model }),
      },
      secretVariables: () => ["BRIDGE_SECRET"],
      tokenOf: (agent) => `${agent}.token`,
    });
    stage = new HeadlessStage(name, root, model, runner);
    return stage;
  }

  /** The deadline of what runs now passes. */
  passDeadline(): void {
    this.#deadline?.();
  }

  #after(delayMs: number, call: () => void): () => void {
    this.#deadline = call;
    return systemClock.after(delayMs, call);
  }

  get repo(): string {
    return join(this.#root, "repo");
  }

  get home(): string {
    return join(this.#root, "home");
  }

  run(
    prompt: string,
    more: Partial<TurnOrder> = {},
    signal = new AbortController().signal,
  ): Promise<TurnOutcome> {
    return this.runner.run(
      {
        turnId: "turn1",
        runner: this.#name,
        command: [],
        sessionId: "08bc57cf",
        agent: "coder",
        folder: this.repo,
        prompt,
        tools: [],
        deadlineMs: 120_000,
        ...more,
      },
      {
        signal,
        started: async () => {},
        doing: (what) => void this.doing.push(what),
      },
    );
  }

  /** The files of turns that have ended. */
  leftInScratch(): readonly string[] {
    return readdirSync(join(this.#root, "scratch"));
  }

  /** Everything that the model was sent with the newest turn of this text. */
  sentWith(text: string): string {
    const request = this.model.requests.findLast(({ userText }) => userText.includes(text));
    return JSON.stringify(request?.body);
  }

  async strike(): Promise<void> {
    await this.model.close();
    removeFolder(this.#root);
  }
}
