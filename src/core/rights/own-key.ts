/** An idempotency key belongs to its owner: nobody learns what another used it for. Stored together with the owner. */
import type { Address } from "../message.ts";

/** No address contains it, so the first one ends the owner, whatever the key contains. */
const OWNER_ENDS = "\n";

export function ownKey(owner: Address, key: string): string {
  return `${owner}${OWNER_ENDS}${key}`;
}

/** All keys of an owner sort from the first of these up to, but not including, the second. */
export function keyRange(owner: Address): readonly [from: string, before: string] {
  return [ownKey(owner, ""), `${owner}${String.fromCodePoint(OWNER_ENDS.charCodeAt(0) + 1)}`];
}
