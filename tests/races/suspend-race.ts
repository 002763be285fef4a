/** An agent is suspended around the moment of a delivery, under any shell, with something else in front of it. */
import { mkdirSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { runsIn } from "../rig/agent-terminal.ts";
import { until } from "../rig/scripted-agent.ts";
import { ERASE_LINE, type SuspendDesk } from "./suspend-desk.ts";

/** After the call of `send`: about when its text is typed. */
const LATEST_MS = 160;
const PATIENCE_MS = 180_000;
const MOST_LOOKS = 10;
const LOOK_AGAIN_MS = 100;
const claims = { user: userInfo().username };

export interface SuspendOptions {
  readonly folder: string;
  /** How long no person presses a key before a message is sent. */
  readonly quietMs: number;
  /** How many at a time: deliveries that compete for two cores could not be aimed at. */
  readonly together: number;
}

export class SuspendRaces {
  readonly #desks: readonly SuspendDesk[];
  readonly #client: Client;
  readonly #options: SuspendOptions;
  readonly #canaries: string;

  constructor(desks: readonly SuspendDesk[], client: Client, options: SuspendOptions) {
    this.#desks = desks;
    this.#client = client;
    this.#options = options;
    this.#canaries = join(options.folder, "canaries");
    mkdirSync(this.#canaries);
  }

  /** The messages that a shell has executed. */
  get executed(): readonly string[] {
    return readdirSync(this.#canaries);
  }

  /** Resolves with what became of each message while its agent was suspended, by state. */
  async run(trialsEach: number): Promise<ReadonlyMap<string, number>> {
    const outcomes = new Map<string, number>();
    for (let index = 0; index < trialsEach; index += 1) {
      await this.#inGroups(async (desk, deskIndex) => {
        const meanwhile = await this.#trial(desk, deskIndex * trialsEach + index);
        outcomes.set(meanwhile, (outcomes.get(meanwhile) ?? 0) + 1);
      });
    }
    console.log("while it was suspended:", Object.fromEntries(outcomes));
    return outcomes;
  }

  /** Without the check, with the gate alone; resolves with the desks where the program in front got the text. */
  async runUnchecked(): Promise<readonly string[]> {
    const fooled: string[] = [];
    await this.#inGroups(async (desk) => {
      if (await typedUnchecked(desk)) fooled.push(desk.name);
    });
    console.log(`control arm, without the check: typed in ${fooled.length} of ${this.#desks.length}`);
    return fooled.toSorted();
  }

  /** One agent, one message, one suspension; resolves with what became of the message before it was back. */
  async #trial(desk: SuspendDesk, number: number): Promise<string> {
    const pid = await desk.startAgent();
    const id = await this.#sessionAt(desk);
    await desk.untilQuiet(this.#options.quietMs);
    const by = number % 2 === 0 ? "key" : "signal";
    const stopping = desk.stop(pid, by, performance.now() + ((number * 7919) % LATEST_MS));
    const canary = join(this.#canaries, `m${number}`);
    const body = `x; touch ${canary} ; touch ${canary}`;
    const { messageId, shortId } = await this.#client.call("send", { to: `session/${id}`, body, claims });
    await stopping;
    const endFront = await desk.putInFront();
    const meanwhile = await this.#heldOrSettled(desk, messageId);
    expect(await desk.takenInFront(), `${desk.name}: what was in front`).not.toContain(shortId);
    await endFront();
    await desk.bringBack();
    if (meanwhile === "queued") await this.#gets(desk, messageId);
    const state = (await this.#deliveryOf(messageId))?.state;
    const copies = desk.prompts().filter((prompt) => prompt.includes(`#${shortId}]`)).length;
    // A message that was typed as the agent was stopped may reach nobody; it is reported so, and never typed twice.
    expect(copies, `${desk.name}: ${meanwhile}, then ${state}`).toBe(
      state === "unconfirmed" ? Math.min(copies, 1) : 1,
    );
    expect((await this.#client.call("ls", {})).sessions.some((session) => session.id === id)).toBe(true);
    await desk.endAgent(pid);
    return meanwhile;
  }

  /** The agent at this desk, once it is idle. */
  async #sessionAt(desk: SuspendDesk): Promise<string> {
    let id: string | undefined;
    const isIdle = async () => {
      const { sessions } = await this.#client.call("ls", {});
      id = sessions.find(
        (session) =>
          runsIn(session, desk.pane) && session.program === "scripted" && session.readiness === "idle",
      )?.id;
      return id !== undefined;
    };
    await until(isIdle, `an idle session in ${desk.name}`, 2 * PATIENCE_MS);
    return id ?? "";
  }

  /** Waits until its courier has checked it with the other program in front. */
  async #heldOrSettled(desk: SuspendDesk, messageId: string): Promise<string> {
    const isOver = async () => {
      const delivery = await this.#deliveryOf(messageId);
      return delivery?.state === "queued"
        ? delivery.hold?.reason === "suspended"
        : delivery?.state !== "delivering";
    };
    await until(isOver, `${desk.name} to be held or settled`, PATIENCE_MS);
    return (await this.#deliveryOf(messageId))?.state ?? "none";
  }

  async #gets(desk: SuspendDesk, id: string): Promise<void> {
    const isTaken = async () => (await this.#deliveryOf(id))?.state !== "queued";
    await until(isTaken, `${desk.name} to get it`, PATIENCE_MS);
    const wait = { id, state: "delivered", timeoutMs: 60_000 } as const;
    await this.#client.call("wait", wait, { timeoutMs: 70_000 });
  }

  async #deliveryOf(messageId: string) {
    return (await this.#client.call("show", { id: messageId })).deliveries[0];
  }

  async #inGroups(work: (desk: SuspendDesk, deskIndex: number) => Promise<void>): Promise<void> {
    const { together } = this.#options;
    for (let from = 0; from < this.#desks.length; from += together) {
      const group = this.#desks.slice(from, from + together);
      await Promise.all(group.map((desk, index) => work(desk, from + index)));
    }
  }
}

async function typedUnchecked(desk: SuspendDesk): Promise<boolean> {
  const pid = await desk.startAgent();
  const gate = await desk.uncheckedGate();
  await desk.stop(pid, "key", 0);
  const endFront = await desk.putInFront();
  const mark = `typed-${desk.name}`;
  // What is in front may still draw between the look and the gate: then the office looks again.
  let isSent = await gate(mark);
  for (let look = 1; look < MOST_LOOKS && !isSent; look += 1) {
    await sleep(LOOK_AGAIN_MS);
    isSent = await gate(mark);
  }
  const isThere = async () => (await desk.takenInFront()).includes(mark);
  if (isSent) await until(isThere, `the text in ${desk.name}`);
  await desk.press(ERASE_LINE);
  await endFront();
  await desk.bringBack();
  await desk.endAgent(pid);
  return isSent;
}
