/**
 * What is typed into a terminal now, and why each of the others waits. Decided from known facts; nothing is queried.
 * Called by a courier. The order is core/queue's; here is what depends on a terminal's ways in.
 */
import { withHow } from "../../core/cluster/dialog-codes.ts";
import {
  type HookCandidate,
  type HookMoment,
  isAnInterruptWaiting,
  mayTakeHook,
} from "../../core/hook-answer.ts";
import { present } from "../../core/present.ts";
import { type ChosenHold, choose, type QueuePolicy } from "../../core/queue.ts";
import type { Readiness } from "../../core/readiness/readiness.ts";
import type { WaysIn } from "../../core/rights/ways-in.ts";
import type { Item } from "../../ports/store.ts";
import type { OfferedDialog } from "../presence/open-dialog.ts";
import { MAY_NOT_DISMISS } from "../typing/interrupt.ts";

/** What the endpoint says about a session's ways in. */
export interface Ways {
  /** Which of them a message may take. */
  waysIn(item: Item): WaysIn;
  /** The longest leading run that one rung can take together; `byInbox`: the program's own inbox is open. */
  together(items: readonly Item[], byInbox: boolean): readonly Item[];
  /** Whether its sender may have a dialog dismissed for it. */
  mayDismiss(item: Item): boolean;
  /** How its sender, who is elsewhere, could answer the open dialog; undefined: not by keys. */
  answering(item: Item): OfferedDialog | undefined;
}

/** Chosen, but for another way in than those before it. */
const BEHIND = { reason: "busy", release: "when the messages before it are in" } as const;
const NOT_FOR_THIS_DIALOG = "when this dialog is answered: the raw text was not sent for it";

const NOT_THEIRS_TO_DISMISS = { reason: "blocked", release: MAY_NOT_DISMISS } as const;

export type NextBatch = { readonly holds: readonly ChosenHold[] } & (
  | { readonly kind: "wait" }
  | { readonly kind: "deliver"; readonly items: readonly Item[]; readonly interrupting: boolean }
);

export function nextBatch(
  items: readonly Item[],
  readiness: Readiness,
  policy: QueuePolicy,
  ways: Ways,
): NextBatch {
  const blocked = readiness.kind === "blocked";
  const shut = blocked ? items.filter(isRawForComposer) : [];
  // Set apart, so that an interrupt behind it that may dismiss does not wait for it.
  const powerless = blocked ? items.filter((item) => isInterrupt(item) && !ways.mayDismiss(item)) : [];
  const open = items.filter((item) => !shut.includes(item) && !powerless.includes(item));
  const waiting = open.map((item) => asWaiting(item, ways.waysIn(item)));
  const choice = choose(waiting, readiness, policy);
  const holds = [
    ...(choice.kind === "nothing" ? [] : choice.holds),
    ...shut.map((item) => notForThisDialog(item, ways.answering(item))),
    ...powerless.map(({ delivery }) => ({ deliveryId: delivery.id, ...NOT_THEIRS_TO_DISMISS })),
  ];
  if (choice.kind !== "deliver") return { kind: "wait", holds };
  const chosen = choice.deliveryIds.flatMap((id) => items.find(({ delivery }) => delivery.id === id) ?? []);
  const going = ways.together(chosen, policy.reachesBusy);
  const behind = chosen
    .filter((item) => !going.includes(item))
    .map(({ delivery }) => ({ deliveryId: delivery.id, ...BEHIND }));
  return { kind: "deliver", items: going, interrupting: choice.interrupting, holds: [...holds, ...behind] };
}

/** What goes in the answer to a hook, as one text; none if nothing may. Why the others wait is decided elsewhere. */
export function batchForHook(
  items: readonly Item[],
  moment: HookMoment,
  readiness: Readiness,
  policy: QueuePolicy,
  ways: Pick<Ways, "waysIn">,
): readonly Item[] {
  const candidate = (item: Item): HookCandidate => {
    const { priority, release, require } = item.delivery;
    return {
      ...{ priority, release, raw: item.message.form.kind === "raw", ways: ways.waysIn(item) },
      ...present({ require }),
    };
  };
  if (isAnInterruptWaiting(items.map(candidate))) return [];
  const able = items.filter((item) => mayTakeHook(candidate(item), moment));
  const waiting = able.map((item) => ({ ...asWaiting(item, ways.waysIn(item)), typedOnly: false }));
  const choice = choose(waiting, readiness, { ...policy, reachesBusy: true });
  if (choice.kind !== "deliver") return [];
  return choice.deliveryIds.flatMap((id) => able.find(({ delivery }) => delivery.id === id) ?? []);
}

function asWaiting({ delivery, message }: Item, ways: WaysIn) {
  return {
    deliveryId: delivery.id,
    shortId: message.shortId,
    priority: delivery.priority,
    position: delivery.position,
    raw: message.form.kind === "raw",
    typedOnly: ways === "typed-only",
    release: delivery.release,
  };
}

function isInterrupt({ delivery, message }: Item): boolean {
  return delivery.priority === "interrupt" && message.form.kind === "text";
}

function notForThisDialog({ delivery }: Item, offered: OfferedDialog | undefined): ChosenHold {
  const release = offered === undefined ? NOT_FOR_THIS_DIALOG : withHow(NOT_FOR_THIS_DIALOG, offered);
  return { deliveryId: delivery.id, reason: "blocked", release };
}

/** It would only wait there, and block the dialog's answer behind it. */
function isRawForComposer({ message: { form } }: Item): boolean {
  return form.kind === "raw" && form.dialog === undefined;
}
