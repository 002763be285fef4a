/** Bags as bytes: what a host wrote is read parcel by parcel, so that one bad parcel spoils no other. */
import { type Instant, LIMITS } from "../../core/message.ts";
import { parseJsonBytes } from "../lines.ts";
import { BAG_LIMITS, type Bag, bagSchema, type Parcel, parcelSchema } from "./parcels.ts";

/** A payload stands in a message in a letter in a list in a bag. */
const AROUND_PAYLOAD = 4;

export interface ReadBag {
  readonly from: string;
  readonly sentAt: Instant;
  readonly parcels: readonly Parcel[];
  /** Letters that cannot be read, by their deliveries: their host is told. */
  readonly spoiled: readonly string[];
  /** How many others cannot be read. */
  readonly unreadable: number;
}

export function bagBytes(bag: Bag): Uint8Array {
  return Buffer.from(JSON.stringify(bag), "utf8");
}

/** What one parcel adds to a bag. */
export function parcelSize(parcel: Parcel): number {
  return Buffer.byteLength(JSON.stringify(parcel), "utf8") + 1;
}

/** Undefined for what is no bag at all, or larger than one may be. */
export function readBag(bytes: Uint8Array): ReadBag | undefined {
  if (bytes.length > BAG_LIMITS.bytes) return undefined;
  const bag = bagSchema.safeParse(parsed(bytes));
  if (!bag.success) return undefined;
  const parcels: Parcel[] = [];
  const spoiled: string[] = [];
  let unreadable = 0;
  for (const one of bag.data.parcels) {
    const parcel = parcelSchema.safeParse(one);
    if (parcel.success) parcels.push(parcel.data);
    else {
      const delivery = deliveryOfLetter(one);
      if (delivery === undefined) unreadable += 1;
      else spoiled.push(delivery);
    }
  }
  const { from, sentAt } = bag.data;
  return { from, sentAt, parcels, spoiled, unreadable };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJsonBytes(Buffer.from(bytes), LIMITS.jsonDepth + AROUND_PAYLOAD);
  } catch {
    return undefined;
  }
}

function deliveryOfLetter(parcel: unknown): string | undefined {
  if (typeof parcel !== "object" || parcel === null || !("kind" in parcel) || !("delivery" in parcel))
    return undefined;
  const { kind, delivery } = parcel;
  return kind === "letter" && typeof delivery === "string" ? delivery : undefined;
}
