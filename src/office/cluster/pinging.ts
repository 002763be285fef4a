/**
 * Tries the way to another host and back: it is asked for a letter that never was, and answers that there is none. Both
 * must admit each other for that, and both must reach the engine. Nothing is written down.
 */
import type { HostName } from "../../core/cluster/hosts.ts";
import type { DeliveryId } from "../../core/message.ts";
import type { ClusterEngine, Sealer } from "../../ports/cluster-engine.ts";
import type { Parcel } from "../../wire/cluster/parcels.ts";
import { within } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";
import { sealed } from "./packing.ts";

const ANSWERS_WITHIN_MS = 10_000;

/** `not-stored`: it did not get as far as the engine. */
export type Pinged =
  | { readonly kind: "answered"; readonly tookMs: number }
  | { readonly kind: "silent"; readonly afterMs: number }
  | { readonly kind: "not-stored"; readonly why: string };

export interface PingingParts extends Ground {
  /** This host. */
  readonly host: HostName;
  readonly engine: ClusterEngine;
  readonly sealer: Sealer;
}

export class Pinging {
  readonly #parts: PingingParts;
  readonly #awaited = new Map<DeliveryId, () => void>();

  constructor(parts: PingingParts) {
    this.#parts = parts;
  }

  async ping(host: HostName, key: string): Promise<Pinged> {
    const { context, engine, sealer } = this.#parts;
    const { clock, ids } = context;
    const delivery = `${ids.message()}.1`;
    const answered = new Promise<void>((resolve) => this.#awaited.set(delivery, resolve));
    const began = clock.monotonic();
    try {
      const enquiry = { kind: "enquiry", deliveries: [delivery] } satisfies Parcel;
      const bag = { from: this.#parts.host, sentAt: clock.now(), parcels: [enquiry] };
      await engine.store(host, ids.message(), sealed(bag, key, sealer));
      const isLate = await within(clock, ANSWERS_WITHIN_MS, answered, "late");
      if (isLate === "late") return { kind: "silent", afterMs: ANSWERS_WITHIN_MS };
      return { kind: "answered", tookMs: clock.monotonic() - began };
    } catch (cause) {
      return { kind: "not-stored", why: cause instanceof Error ? cause.message : String(cause) };
    } finally {
      this.#awaited.delete(delivery);
    }
  }

  /** A host says that these never came to it. */
  missing(deliveries: readonly DeliveryId[]): void {
    for (const delivery of deliveries) this.#awaited.get(delivery)?.();
  }
}
