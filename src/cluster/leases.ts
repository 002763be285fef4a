/**
 * Who has said something of itself, and until when that counts. The engine drops what is too old without a word, so
 * whoever listens counts by itself.
 */
import type { HostName } from "../core/cluster/hosts.ts";
import type { Clock } from "../ports/clock.ts";
import { LEASE_MS } from "./times.ts";

export class Leases {
  readonly #clock: Clock;
  readonly #tell: (host: HostName, bytes: Uint8Array | undefined) => void;
  readonly #endings = new Map<HostName, () => void>();

  constructor(clock: Clock, tell: (host: HostName, bytes: Uint8Array | undefined) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  said(host: HostName, bytes: Uint8Array, ageMs: number): void {
    if (ageMs >= LEASE_MS) return;
    this.#endings.get(host)?.();
    this.#endings.set(
      host,
      this.#clock.after(LEASE_MS - ageMs, () => this.left(host)),
    );
    this.#tell(host, bytes);
  }

  left(host: HostName): void {
    const cancel = this.#endings.get(host);
    if (cancel === undefined) return;
    cancel();
    this.#endings.delete(host);
    this.#tell(host, undefined);
  }

  /** Nothing more is told. */
  close(): void {
    for (const cancel of this.#endings.values()) cancel();
    this.#endings.clear();
  }
}
