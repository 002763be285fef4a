/** Sends what is written to an agent, and knows what became of it. What is half written stays where it is kept. */
import { type Signal, useSignal } from "@preact/signals";
import type { Hold } from "../../../src/core/message.ts";
import { isLive } from "../board/store.ts";
import { ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";

/** An urgent message is answered with its outcome, or after half a minute. */
const OUTCOME_WITHIN_MS = 45_000;

interface Sent {
  /** For an urgent one, the state is here. */
  readonly status: string;
  readonly state?: string;
  readonly hold?: Pick<Hold, "release">;
}

export type Step =
  | { readonly at: "writing" | "sending" }
  | { readonly at: "sent"; readonly text: string }
  | { readonly at: "refused"; readonly error: Told };

/** Where a text is kept until it is sent. */
export interface Keeping {
  read(): string;
  write(text: string): void;
}

export interface Saying {
  readonly text: Signal<string>;
  readonly step: Signal<Step>;
  /** Another text, or other wishes for it: it is another message then. */
  write(text: string): void;
  refuse(error: Told): void;
  /** `more` is what goes with the text; undefined: it cannot be sent. */
  send(more?: () => Promise<object | undefined>): Promise<"sent" | "not-sent">;
}

export function useSaying(to: string, keeping: Keeping): Saying {
  const text = useSignal(keeping.read());
  const step = useSignal<Step>({ at: "writing" });
  // Sent again after a failure, it is the same message.
  const key = useSignal(crypto.randomUUID());
  const write = (written: string) => {
    text.value = written;
    key.value = crypto.randomUUID();
    keeping.write(written);
    if (step.value.at !== "sending") step.value = { at: "writing" };
  };
  const refuse = (error: Told) => {
    step.value = { at: "refused", error };
  };
  const send: Saying["send"] = async (more = async () => ({})) => {
    if (!isLive.value || text.value.trim() === "" || step.value.at === "sending") return "not-sent";
    step.value = { at: "sending" };
    const fields = await more();
    if (fields === undefined) return "not-sent";
    const answer = await ask<Sent>({
      method: "POST",
      path: `/sessions/${segment(to)}/send`,
      body: { text: text.value, idempotency_key: key.value, ...fields },
      withinMs: OUTCOME_WITHIN_MS,
    });
    if (answer.kind === "refused") {
      refuse(answer.error);
      return "not-sent";
    }
    write("");
    step.value = { at: "sent", text: outcomeOf(answer.body) };
    return "sent";
  };
  return { text, step, write, refuse, send };
}

function outcomeOf({ status, state = status, hold }: Sent): string {
  if (hold !== undefined) return TEXT.say.waits(hold.release);
  return state === "queued" || state === "delivering" ? TEXT.say.accepted : TEXT.say.delivered;
}

/** Ctrl+Enter, or ⌘ Enter; never while an input method is composing. */
export function isSendKey({ key, ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey) && !isComposing;
}
