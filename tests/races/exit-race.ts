/** An agent that was started from a shell ends around the moment of a delivery, in any kind of terminal. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/connect.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { histogram, median } from "./histogram.ts";
import { Turnstile } from "./turnstile.ts";

const WARM_UPS = 7;
/** An ending program stops reading a moment before its shell is back: the bytes wait for the shell. */
const LINGER_MS = 25;
const EARLIEST_MS = -20;
const LATEST_MS = 60;

export interface ExitDesk {
  readonly name: string;
  readonly logFile: string;
  /** Types a line at the shell, and Enter. */
  enter(line: string): Promise<void>;
  /** The shell is in the foreground of its terminal again. */
  isAtShell(): Promise<boolean>;
  /** Whether this is the agent at this desk. */
  has(session: ListedSession): boolean;
}

const turnstile = new Turnstile(60);
const claims = { user: userInfo().username };
const offset = (index: number): number =>
  EARLIEST_MS + ((index * 7919) % 1000) * ((LATEST_MS - EARLIEST_MS) / 1000);

export class ExitRaces {
  readonly #desks: readonly ExitDesk[];
  readonly #client: Client;
  readonly #canaries: string;
  /** How long no person presses a key before a message is sent. */
  readonly #quietMs: number;

  constructor(
    desks: readonly ExitDesk[],
    client: Client,
    options: { readonly folder: string; readonly quietMs: number },
  ) {
    this.#desks = desks;
    this.#client = client;
    this.#quietMs = options.quietMs;
    this.#canaries = join(options.folder, "canaries");
    mkdirSync(this.#canaries);
  }

  /** The messages that a shell has executed. */
  get executed(): readonly string[] {
    return readdirSync(this.#canaries);
  }

  /** Resolves with what became of each message, by state. */
  async run(trialsEach: number): Promise<ReadonlyMap<string, number>> {
    const latencies: number[] = await this.#measureLatencies();
    const offsets: number[] = [];
    const outcomes = new Map<string, number>();
    await Promise.all(
      this.#desks.map(async (desk, deskIndex) => {
        await sleep(deskIndex * 100);
        for (let index = 0; index < trialsEach; index += 1) {
          const number = deskIndex * trialsEach + index;
          const pid = await this.#startAgent(desk);
          const id = await this.#sessionAt(desk);
          await turnstile.pass();
          const start = performance.now();
          const exitAt = start + median(latencies.slice(-50)) + offset(number);
          const exiting = end(pid, exitAt);
          const canary = join(this.#canaries, `m${number}`);
          const { messageId } = await this.#client.call("send", {
            to: `session/${id}`,
            body: `x; touch ${canary} ; touch ${canary}`,
            claims,
          });
          await exiting;
          await this.#pressEnterLater(desk);
          const got = readScriptedLog(desk.logFile).findLast(({ prompt }) => prompt !== undefined);
          if (got?.prompt?.includes(`m${number} `) === true) {
            const submittedAt = got.at - Date.now() + performance.now();
            latencies.push(submittedAt - start);
            offsets.push(exitAt - submittedAt);
          }
          const { deliveries } = await this.#client.call("show", { id: messageId });
          const state = deliveries[0]?.state ?? "none";
          outcomes.set(state, (outcomes.get(state) ?? 0) + 1);
          // The next program here is the same agent, and would get the message.
          await this.#client.call("queue_change", { id: messageId, change: "cancel" }).catch(() => undefined);
        }
      }),
    );
    const trials = trialsEach * this.#desks.length;
    console.log(
      histogram(`${offsets.length} of ${trials} read by the agent: its end − submit`, offsets, 5, 80),
    );
    console.log("states:", Object.fromEntries(outcomes));
    return outcomes;
  }

  /** The same without any protection; resolves with the fraction that a shell executed. */
  async runBlind(trialsEach: number, blindly: (deskIndex: number, text: string) => unknown): Promise<number> {
    let executed = 0;
    await Promise.all(
      this.#desks.map(async (desk, deskIndex) => {
        await sleep(deskIndex * 80);
        for (let index = 0; index < trialsEach; index += 1) {
          const number = deskIndex * trialsEach + index;
          const pid = await this.#startAgent(desk);
          await sleep(100);
          const canary = join(this.#canaries, `c${number}`);
          const exiting = end(pid, performance.now() + offset(number));
          await blindly(deskIndex, `x; touch ${canary}`);
          await exiting;
          await this.#pressEnterLater(desk);
          if (existsSync(canary)) executed += 1;
        }
      }),
    );
    return executed / (trialsEach * this.#desks.length);
  }

  /** From the interactive shell, as a person would start it; resolves with its process id. */
  async #startAgent(desk: ExitDesk): Promise<number> {
    const before = readScriptedLog(desk.logFile).length;
    await desk.enter(`clear; ${scriptedCommand(desk.name, desk.logFile).join(" ")} --linger ${LINGER_MS}`);
    await until(() => readScriptedLog(desk.logFile).length > before, `${desk.name} to start`);
    const started = readScriptedLog(desk.logFile).at(-1)?.started;
    if (started === undefined) throw new Error(`${desk.name} did not say its process id`);
    return started;
  }

  async #sessionAt(desk: ExitDesk): Promise<string> {
    const quietAt = performance.now() + this.#quietMs;
    let id: string | undefined;
    await until(async () => {
      const { sessions } = await this.#client.call("ls", {});
      id = sessions.find((session) => desk.has(session) && session.readiness === "idle")?.id;
      return id !== undefined;
    }, `an idle session in ${desk.name}`);
    await sleep(Math.max(0, quietAt - performance.now()));
    return id ?? "";
  }

  /** A person presses Enter on whatever is on the shell's line, and checks whether something ran. */
  async #pressEnterLater(desk: ExitDesk): Promise<void> {
    await until(() => desk.isAtShell(), `the shell of ${desk.name}`);
    await sleep(120);
    await desk.enter("");
    await sleep(120);
  }

  /** Deliveries without an exit, one after the other: from the call to the agent's read. */
  async #measureLatencies(): Promise<number[]> {
    const latencies: number[] = [];
    for (const desk of this.#desks.slice(0, WARM_UPS)) {
      const pid = await this.#startAgent(desk);
      const id = await this.#sessionAt(desk);
      const sentAt = Date.now();
      const { messageId, shortId } = await this.#client.call("send", {
        to: `session/${id}`,
        body: "warm-up",
        claims,
      });
      const wait = { id: messageId, state: "delivered", timeoutMs: 60_000 } as const;
      await this.#client.call("wait", wait, { timeoutMs: 70_000 });
      const read = readScriptedLog(desk.logFile).find(
        ({ prompt }) => prompt?.includes(`#${shortId}]`) === true,
      );
      latencies.push((read?.at ?? sentAt) - sentAt);
      process.kill(pid, "SIGTERM");
      await this.#pressEnterLater(desk);
    }
    return latencies;
  }
}

async function end(pid: number, atMs: number): Promise<void> {
  const wait = atMs - performance.now();
  if (wait > 0) await sleep(wait);
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}
