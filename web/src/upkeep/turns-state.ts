/** What the page of turns knows. It asks when the board says that something of it changed, and never by itself. */
import { computed, effect, signal } from "@preact/signals";
import type { TurnState } from "../../../src/core/turns/turn.ts";
import { askingAgain } from "../board/asking.ts";
import { agents, isLive, turns } from "../board/store.ts";
import { type Asked, ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";

export interface ShownTurn {
  readonly id: string;
  readonly agent: string;
  readonly session_id: string;
  readonly runner: string;
  readonly state: TurnState;
  readonly triggered: boolean;
  readonly again: boolean;
  readonly started_at: number;
  readonly ended_at?: number;
  readonly because?: string;
  readonly answer?: string;
  readonly error?: string;
  readonly usd?: number;
  readonly messages: readonly { readonly short_id: string; readonly from: string }[];
  readonly doing?: string;
}

export interface Budget {
  readonly agent: string;
  readonly turns_this_hour: number;
  readonly turns_per_hour: number;
  readonly turns_today: number;
  readonly turns_per_day: number;
  readonly usd_today: number;
  readonly usd_per_day: number;
  readonly until?: number;
}

export interface TurnsAnswer {
  readonly switch: { readonly off: boolean; readonly since?: number; readonly by?: string };
  readonly turns: readonly ShownTurn[];
  readonly budgets: readonly Budget[];
  readonly waiting: readonly {
    readonly agent: string;
    readonly messages: number;
    readonly release: string;
  }[];
}

export const standing = signal<TurnsAnswer | undefined>(undefined);
export const refused = signal<Told | undefined>(undefined);
export const note = signal("");
/** Agents that were turned off on this page: they are no longer listed, and can be turned on again. */
export const turnedOff = signal<readonly string[]>([]);

/** All of the board that an answer depends on. */
const dependsOn = computed(() =>
  JSON.stringify([
    turns.value,
    agents.value.map(({ name, takesTurns, turns: open, hold, queued }) => [
      name,
      takesTurns,
      open,
      hold?.reason === "turn" ? [queued, hold] : undefined,
    ]),
  ]),
);

/** The page is open. Returns how to leave it. */
export function openTurns(): () => void {
  let unanswered: Told | undefined;
  const asking = askingAgain(async () => {
    const answer = await ask<TurnsAnswer>({ method: "GET", path: "/turns" });
    if (answer.kind === "done") standing.value = answer.body;
    const isOver = refused.value === unanswered;
    unanswered = answer.kind === "refused" ? answer.error : undefined;
    if (isOver || unanswered !== undefined) refused.value = unanswered;
    return answer;
  });
  const end = effect(() => {
    void dependsOn.value;
    if (isLive.value) asking.changed();
  });
  return () => {
    end();
    asking.end();
    refused.value = undefined;
    note.value = "";
  };
}

async function act<Body>(asked: Asked, words: (body: Body) => string): Promise<boolean> {
  refused.value = undefined;
  note.value = "";
  const answer = await ask<Body>(asked);
  if (answer.kind === "done") note.value = words(answer.body);
  else refused.value = answer.error;
  return answer.kind === "done";
}

export function switchTurns(on: boolean): void {
  const asked: Asked = { method: "PUT", path: "/turns/switch", body: { on } };
  void act<{ readonly stopped: number }>(asked, ({ stopped }) =>
    on ? TEXT.turns.started : TEXT.turns.stopped(stopped),
  );
}

export function runNow(agent: string): void {
  const asked: Asked = { method: "POST", path: `/agents/${segment(agent)}/turns`, body: {} };
  void act(asked, () => TEXT.attention.running);
}

export async function turnAgent(agent: string, enabled: boolean): Promise<void> {
  const asked: Asked = {
    method: "PUT",
    path: `/agents/${segment(agent)}/auto-run`,
    body: { auto_run: { enabled } },
  };
  const isDone = await act(asked, () => (enabled ? TEXT.turns.agentOn(agent) : TEXT.turns.agentOff(agent)));
  if (!isDone) return;
  const others = turnedOff.value.filter((name) => name !== agent);
  turnedOff.value = enabled ? others : [...others, agent];
}
