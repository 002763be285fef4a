/**
 * Bags on their way: sealed for one host, and with the sender's name in the clear, which says with which key a bag is to
 * be opened. Dispatch packs, intake opens. A name that is not the sealer's own opens nothing.
 *
 *   version (1 byte) │ length of the name (1 byte) │ name │ sealed bag
 */
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Sealer } from "../../ports/cluster-engine.ts";
import { bagBytes, parcelSize, type ReadBag, readBag } from "../../wire/cluster/bags.ts";
import { BAG_LIMITS, type Bag, type Parcel } from "../../wire/cluster/parcels.ts";

const VERSION = 1;
const BEFORE_NAME = 2;
/** What a bag has besides its parcels: braces, its sender, its time. */
const AROUND_PARCELS = 200;

/** What a letter gets besides when it goes again: the one before it, and that it may come twice. */
const WHEN_AGAIN = 200;

/** Fills a bag up to its limits, or to a part of them. */
export class Packing {
  readonly parcels: Parcel[] = [];
  readonly #most: { readonly parcels: number; readonly bytes: number };
  #bytes = AROUND_PARCELS;

  constructor(divisor = 1) {
    this.#most = { parcels: BAG_LIMITS.parcels / divisor, bytes: BAG_LIMITS.bytes / divisor };
  }

  /** False: it does not fit any more, and is not in. A parcel that would fit alone is alone in the smallest bag. */
  add(parcel: Parcel): boolean {
    const bytes = parcelSize(parcel);
    const { parcels, bytes: mostBytes } = this.parcels.length === 0 ? BAG_LIMITS : this.#most;
    if (this.parcels.length >= parcels || this.#bytes + bytes > mostBytes) return false;
    this.#bytes += bytes;
    this.parcels.push(parcel);
    return true;
  }
}

/** Whether it fits into a bag of its own, also when it goes again. */
export function fits(parcel: Parcel): boolean {
  return parcelSize(parcel) + WHEN_AGAIN + AROUND_PARCELS <= BAG_LIMITS.bytes;
}

export function sealed(bag: Bag, recipientKey: string, sealer: Sealer): Uint8Array {
  const name = new TextEncoder().encode(bag.from);
  const inner = sealer.seal(bagBytes(bag), recipientKey);
  const bytes = new Uint8Array(BEFORE_NAME + name.length + inner.length);
  bytes.set([VERSION, name.length]);
  bytes.set(name, BEFORE_NAME);
  bytes.set(inner, BEFORE_NAME + name.length);
  return bytes;
}

export type OpenedBag =
  | { readonly kind: "opened"; readonly host: AdmittedHost; readonly bag: ReadBag }
  /** Nobody admitted its sender, or it was not made by who it says. */
  | { readonly kind: "stranger"; readonly name: string }
  /** It was made by an admitted host, and is no bag. */
  | { readonly kind: "unreadable"; readonly host: AdmittedHost };

export function opened(
  bytes: Uint8Array,
  admitted: (host: HostName) => AdmittedHost | undefined,
  sealer: Sealer,
): OpenedBag {
  const [version, length = 0] = bytes;
  const start = BEFORE_NAME + length;
  const name = version === VERSION ? String.fromCharCode(...bytes.subarray(BEFORE_NAME, start)) : "";
  const host = admitted(name);
  const inner = host === undefined ? undefined : sealer.open(bytes.subarray(start), host.key);
  if (host === undefined || inner === undefined) return { kind: "stranger", name };
  const bag = readBag(inner);
  // Two hosts share one secret: a bag that came back to its own maker names that one.
  return bag?.from === host.host ? { kind: "opened", host, bag } : { kind: "unreadable", host };
}
