/** An idempotency key is its owner's own: nobody learns what another used it for. Kept as one text with whose it is. */
import type { Address } from "../message.ts";

/** No address holds it, so that the first one ends the owner, whatever the key holds. */
const OWNER_ENDS = "\n";

export function ownKey(owner: Address, key: string): string {
  return `${owner}${OWNER_ENDS}${key}`;
}

/** All keys of an owner stand from the first of these on and before the second. */
export function keyRange(owner: Address): readonly [from: string, before: string] {
  return [ownKey(owner, ""), `${owner}${String.fromCodePoint(OWNER_ENDS.charCodeAt(0) + 1)}`];
}
