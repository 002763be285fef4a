/** A person starts to type at the very moment of a delivery, in any kind of terminal; many at a time. */
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { type ScriptedAgent, until } from "../rig/scripted-agent.ts";
import { histogram, median } from "./histogram.ts";
import { Turnstile } from "./turnstile.ts";

export const EARLIEST_MS = -25;
export const LATEST_MS = 25;
const LARGEST_CORRECTION_MS = 30;
/** A message that should have been first and was not: aimed too early, by an unknown amount. */
const MISSED_STEP_MS = 1;
const BETWEEN_RACES_MS = 95;

export interface RaceDesk {
  readonly agent: Pick<ScriptedAgent, "name" | "log" | "prompts">;
  /** Every prompt that the agent must have got by now, in any order. */
  readonly expected: string[];
  /** From its first key, at this `performance.now()`, to its Enter. */
  typeLine(line: string, startMs: number, index: number): Promise<void>;
}

export interface Trial {
  readonly offsetMs: number;
  readonly outcome: "sent" | "deferred";
}

const claims = { user: userInfo().username };
const turnstile = new Turnstile(BETWEEN_RACES_MS);
const at = (entry: { readonly at: number } | undefined): number => entry?.at ?? Number.NaN;

/** Spread evenly, the same in every run. */
export const offset = (index: number): number =>
  EARLIEST_MS + ((index * 7919) % 1000) * ((LATEST_MS - EARLIEST_MS) / 1000);

/** A person's two paces: thoughtful, and fast. */
export const pace = (index: number) => ({ charactersPerSecond: index % 2 === 0 ? 12 : 50 });

export class TypingRaces {
  readonly #desks: readonly RaceDesk[];
  readonly #client: Client;
  /** How long without a key until the terminal counts as quiet. */
  readonly #quietMs: number;

  constructor(desks: readonly RaceDesk[], client: Client, options: { readonly quietMs: number }) {
    this.#desks = desks;
    this.#client = client;
    this.#quietMs = options.quietMs;
  }

  async run(trialsEach: number): Promise<readonly Trial[]> {
    let latencyMs = await this.#measureLatency();
    const trials: Trial[] = [];
    await Promise.all(
      this.#desks.map(async (desk, deskIndex) => {
        // Spread out, so that forty deliveries do not queue for two cores at once.
        await sleep((deskIndex * this.#quietMs) / this.#desks.length);
        for (let index = 0; index < trialsEach; index += 1) {
          await sleep(this.#quietMs);
          const trial = await this.#race(desk, deskIndex * trialsEach + index, () => latencyMs);
          trials.push(trial);
          // Follow the machine's load: the aim is the moment of the keys, not of the call.
          const aimedMs = offset(deskIndex * trialsEach + index);
          const missedByMs = trial.offsetMs - aimedMs;
          if (trial.outcome === "sent")
            latencyMs -= 0.2 * Math.max(-LARGEST_CORRECTION_MS, Math.min(LARGEST_CORRECTION_MS, missedByMs));
          else if (aimedMs > 0) latencyMs += MISSED_STEP_MS;
        }
      }),
    );
    return trials;
  }

  /** The same without any protection; resolves with the fraction of trials that came out mixed. */
  async runBlind(rounds: number, blindly: (deskIndex: number, text: string) => unknown): Promise<number> {
    const mixed: boolean[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        this.#desks.map(async (desk, deskIndex) => {
          const index = round * this.#desks.length + deskIndex;
          await sleep(300 + (deskIndex * 1_500) / this.#desks.length);
          const line = `c${desk.agent.name}n${index} fix`;
          const text = `[message from: control #${index}] look at the failing test`;
          const before = desk.agent.prompts().length;
          const start = performance.now() + 40;
          const typing = desk.typeLine(line, start + 5 + offset(index), index);
          await sleep(start - performance.now());
          await blindly(deskIndex, text);
          await typing;
          await sleep(400);
          const got = desk.agent.prompts().slice(before);
          mixed.push(!(got.length === 2 && got.includes(line) && got.includes(text)));
        }),
      );
    }
    return mixed.filter(Boolean).length / mixed.length;
  }

  async #measureLatency(): Promise<number> {
    const warmUps: number[] = [];
    for (const round of ["first", "second"]) {
      await sleep(this.#quietMs);
      await Promise.all(
        this.#desks.map(async (desk) => warmUps.push(await this.#deliverAlone(desk, `${round} warm-up`))),
      );
    }
    return median(warmUps.slice(this.#desks.length));
  }

  /** From the call to the agent's read, with nobody typing. */
  async #deliverAlone(desk: RaceDesk, body: string): Promise<number> {
    await turnstile.pass();
    const sentAt = Date.now();
    const { messageId, shortId } = await this.#client.call("send", { to: desk.agent.name, body, claims });
    desk.expected.push(`[message from: ${claims.user} #${shortId}] ${body}`);
    await this.#delivered(messageId);
    return at(desk.agent.log().find(({ prompt }) => prompt?.includes(`#${shortId}]`))) - sentAt;
  }

  async #race(desk: RaceDesk, index: number, latency: () => number): Promise<Trial> {
    const line = `h${desk.agent.name}n${index} fix`;
    await turnstile.pass();
    const latencyMs = latency();
    const start = performance.now() + 40;
    const sendAt = Date.now() + 40;
    const firstKeyMs = start + latencyMs + offset(index);
    const began = Date.now() + (firstKeyMs - performance.now());
    const typing = desk.typeLine(line, firstKeyMs, index);
    await sleep(start - performance.now());
    const { messageId, shortId } = await this.#client.call("send", {
      to: desk.agent.name,
      body: `message ${index} for you; look`,
      claims,
    });
    const prompt = `[message from: ${claims.user} #${shortId}] message ${index} for you; look`;
    desk.expected.push(line, prompt);
    await typing;
    await this.#delivered(messageId);
    await until(() => desk.agent.prompts().includes(line), `the typist's line in ${desk.agent.name}`);
    const submitted = at(desk.agent.log().find((entry) => entry.prompt === prompt));
    const typed = at(desk.agent.log().find((entry) => entry.prompt === line));
    return submitted < typed
      ? { outcome: "sent", offsetMs: began - submitted }
      : { outcome: "deferred", offsetMs: began - (sendAt + latencyMs) };
  }

  async #delivered(id: string): Promise<void> {
    const { state } = await this.#client.call(
      "wait",
      { id, state: "delivered", timeoutMs: 60_000 },
      { timeoutMs: 70_000 },
    );
    expect(state).toBe("delivered");
  }
}

/** For a person who reads the test's output: how close the races were. */
export function told(trials: readonly Trial[]): string {
  const of = (outcome: Trial["outcome"]) =>
    trials.flatMap((trial) => (trial.outcome === outcome ? trial.offsetMs : []));
  const [sent, deferred] = [of("sent"), of("deferred")];
  return [
    histogram(`${sent.length} delivered before the line: first key − submit`, sent),
    histogram(`${deferred.length} held until the line was sent: first key − predicted`, deferred),
  ].join("\n");
}
