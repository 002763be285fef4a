/**
 * What goes into a terminal now, and why each of the others waits: decided from what is known, nobody is asked.
 * A courier calls it. The order is core/queue's; what stands here is what only a terminal's ways in can say.
 */
import { type ChosenHold, choose, type QueuePolicy } from "../core/queue.ts";
import type { Readiness } from "../core/readiness.ts";
import type { Item } from "../ports/store.ts";

/** Chosen, but by another way in than those before it. */
const BEHIND = { reason: "busy", release: "when the messages before it are in" } as const;
const NOT_FOR_THIS_DIALOG = {
  reason: "blocked",
  release: "when this dialog is answered: the raw text was not sent for it",
} as const;

export type NextBatch = { readonly holds: readonly ChosenHold[] } & (
  | { readonly kind: "wait" }
  | { readonly kind: "deliver"; readonly items: readonly Item[]; readonly interrupting: boolean }
);

export function nextBatch(
  items: readonly Item[],
  readiness: Readiness,
  policy: QueuePolicy,
  /** The longest leading run that one way in can take. */
  together: (items: readonly Item[]) => readonly Item[],
): NextBatch {
  const shut = readiness.kind === "blocked" ? items.filter(isRawForComposer) : [];
  const open = items.filter((item) => !shut.includes(item));
  const choice = choose(open.map(asWaiting), readiness, policy);
  const holds = [
    ...(choice.kind === "nothing" ? [] : choice.holds),
    ...shut.map(({ delivery }) => ({ deliveryId: delivery.id, ...NOT_FOR_THIS_DIALOG })),
  ];
  if (choice.kind !== "deliver") return { kind: "wait", holds };
  const chosen = choice.deliveryIds.flatMap((id) => items.find(({ delivery }) => delivery.id === id) ?? []);
  const going = together(chosen);
  const behind = chosen
    .filter((item) => !going.includes(item))
    .map(({ delivery }) => ({ deliveryId: delivery.id, ...BEHIND }));
  return { kind: "deliver", items: going, interrupting: choice.interrupting, holds: [...holds, ...behind] };
}

function asWaiting({ delivery, message }: Item) {
  return {
    deliveryId: delivery.id,
    priority: delivery.priority,
    position: delivery.position,
    raw: message.form.kind === "raw",
    release: delivery.release,
  };
}

/** It would only wait there, and keep the answer behind it from the dialog. */
function isRawForComposer({ message: { form } }: Item): boolean {
  return form.kind === "raw" && form.dialog === undefined;
}
