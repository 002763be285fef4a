/** What hosts sent each other, as the store keeps it. */
import type { KnownHost, SentLetter, TakenLetter } from "../../src/ports/cluster-store.ts";

export function aSentLetter(delivery: string, told: Partial<SentLetter> = {}): SentLetter {
  return { delivery, host: "laptop", sentAt: 1_000, attempts: 1, heeded: -1, isOver: false, ...told };
}

export function aTakenLetter(delivery: string, told: Partial<TakenLetter> = {}): TakenLetter {
  return { host: "laptop", delivery, takenAt: 1_000, told: 0, isOver: false, ...told };
}

export function aKnownHost(host: string, told: Partial<KnownHost> = {}): KnownHost {
  return { host, heardAt: 1_000, number: 1, announcement: `{"host":"${host}"}`, ...told };
}
