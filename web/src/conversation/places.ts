/** Where something in the queue is to go, as the daemon is asked for it. Pure. */

/** Right before or after another one: it never names a place by number, because others move too. */
export type Place = { readonly before: string } | { readonly after: string };

/** `to`: the place that it shall have in this order. Undefined if it has it already, or is not there. */
export function placeFor(order: readonly string[], id: string, to: number): Place | undefined {
  const from = order.indexOf(id);
  const target = Math.max(0, Math.min(order.length - 1, to));
  const other = order[target];
  if (from === -1 || other === undefined || target === from) return undefined;
  return target < from ? { before: other } : { after: other };
}
