/**
 * What of a session's mail may go in the answers to its hooks. Its courier asks when a hook waits, signals ask when one
 * reports. It only looks; besides, it shows hooks after tools whether any of them needs to ask at all.
 */
import { type HookMoment, openAt } from "../../core/hook-answer.ts";
import type { QueuePolicy } from "../../core/queue.ts";
import type { Item } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import type { HookWindow } from "../presence/hook-windows.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { TerminalEndpoint } from "./endpoints/terminal.ts";
import { batchForHook } from "./next-batch.ts";

interface ForHooksParts {
  readonly context: OfficeContext;
  readonly session: LiveSession;
  readonly endpoint: TerminalEndpoint;
}

/** The part of the policy that is known without a look at the terminal. */
export function knownPolicy({ session, context }: ForHooksParts): Omit<QueuePolicy, "reachesBusy"> {
  const { agent } = session.record;
  return {
    agent,
    paused: context.store.read.agent(agent)?.paused ?? false,
    maxBatch: context.settings().maxBatch,
    canDismiss: session.profile.dismiss !== undefined,
  };
}

export class ForHooks {
  readonly #parts: ForHooksParts;

  constructor(parts: ForHooksParts) {
    this.#parts = parts;
  }

  /** Whether one of them may go at this moment, as far as is known without a look. */
  async has(items: readonly Item[], moment: HookMoment): Promise<boolean> {
    const { session, endpoint } = this.#parts;
    if (items.length === 0 || !(await endpoint.takesHooks())) return false;
    const suspended = session.suspension !== undefined;
    const policy = { ...knownPolicy(this.#parts), suspended, reachesBusy: true };
    const known = session.readinessAtHook(moment);
    // The dialog that was last seen may have been answered, which is why the tool ran: the round looks again.
    const readiness = known.kind === "blocked" ? openAt(moment) : known;
    return batchForHook(items, moment, readiness, policy, endpoint).length > 0;
  }

  /** What goes to the hook that waits; a hook for which there is nothing goes on. */
  batch(window: HookWindow, items: readonly Item[], policy: QueuePolicy): readonly Item[] {
    const { session, endpoint } = this.#parts;
    const { moment } = window.asking;
    const batch = policy.takesHooks
      ? batchForHook(items, moment, session.readinessAtHook(moment), policy, endpoint)
      : [];
    if (batch.length === 0) window.close();
    return batch;
  }

  /** Nothing is there for any hook: one that waits goes on, and others need not ask. */
  none(): void {
    this.#parts.session.hooks.open?.close();
    this.wanted(false);
  }

  wanted(areWanted: boolean): void {
    const { context, session } = this.#parts;
    context.hookSign.wanted(session.record.id, areWanted);
  }
}
