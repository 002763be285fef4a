/** Letters that are not taken are known, so that they are not taken later; but no host can fill the disk with them. */
import type { AdmittedHost } from "../../../core/cluster/admission.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import type { Refusal } from "../../../core/cluster/refusals.ts";
import type { Address, DeliveryId, Instant, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { Parcel } from "../../../wire/cluster/parcels.ts";
import { giveBack } from "../withdrawing.ts";

/** Of each host, with what it withdrew before it came; the oldest are forgotten first, and could come again. */
export const MOST_REFUSED = 10_000;

export type Withdrawal = Extract<Parcel, { readonly kind: "withdrawal" }>;

export interface Refused extends Refusal {
  readonly delivery: DeliveryId;
  /** Its agent moved to another host: it is to follow. */
  readonly moved?: readonly Address[];
}

export function refuse(tx: StoreWriter, host: HostName, refused: readonly Refused[], now: Instant): void {
  for (const { delivery, why, words: refusal, moved } of refused) {
    if (tx.takenLetter(host, delivery) !== undefined) continue;
    const letter = { host, delivery, takenAt: now, why, refusal, told: 0, isOver: false };
    tx.putTakenLetter({ ...letter, ...present({ moved }) });
  }
  tx.keepNewestRefused(host, MOST_REFUSED);
}

/** Those of which something is kept: of a host that may not send, only what came from it before. */
export function heeded(
  { host, rights }: AdmittedHost,
  withdrawals: readonly Withdrawal[],
  read: StoreReader,
): readonly Withdrawal[] {
  const maySend = rights.includes("send");
  return withdrawals.filter(({ delivery }) => maySend || read.takenLetter(host, delivery) !== undefined);
}

/** The messages of which something was cancelled. */
export function giveAllBack(
  tx: StoreWriter,
  host: HostName,
  withdrawals: readonly Withdrawal[],
  now: Instant,
): readonly MessageId[] {
  const cancelled = withdrawals.flatMap((one) => giveBack(tx, host, one, now) ?? []);
  if (withdrawals.length > 0) tx.keepNewestRefused(host, MOST_REFUSED);
  return cancelled;
}
