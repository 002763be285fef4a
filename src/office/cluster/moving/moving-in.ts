/** A letter with which an agent of another host moves here. It reads and decides; intake acts. */
import { splitAddress } from "../../../core/address.ts";
import { type AdmittedHost, lacks } from "../../../core/cluster/admission.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import { isMove, type Luggage, luggageIn } from "../../../core/cluster/moving.ts";
import type { Refusal } from "../../../core/cluster/refusals.ts";
import type { Address, AgentName } from "../../../core/message.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import type { Letter } from "../../../wire/cluster/parcels.ts";
import { UNREADABLE } from "../taking/opening.ts";

/** Who makes room for it: in the transaction in which its letter is taken, and after that. */
export interface NewHome {
  moveIn(tx: StoreWriter, from: HostName, name: AgentName, luggage: Luggage): void;
  movedIn(): void;
  /** The cluster is open: agents of this host that began to move elsewhere go on. */
  goOn(): void;
  /** Something waits in its mailbox. */
  wake(mailbox: Address): void;
}

export type Mover =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "agent"; readonly name: AgentName; readonly luggage: Luggage };

const NEEDED = ["send", "move"] as const;

export function moverIn(admitted: AdmittedHost, { message }: Letter): Mover {
  if (!isMove(admitted.host, message)) return { kind: "none" };
  if (!NEEDED.every((right) => admitted.rights.includes(right)))
    return { kind: "refused", refusal: { why: "right", words: lacks(admitted, "move agents", ...NEEDED) } };
  const { kind, rest: name } = splitAddress(message.to);
  const luggage = luggageIn(message.payload);
  if (kind !== "agent" || luggage === undefined) return { kind: "refused", refusal: UNREADABLE };
  return { kind: "agent", name, luggage };
}
