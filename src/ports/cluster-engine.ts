/** Carries bags and announcements between hosts. It knows no messages: it stores bytes until their host has taken them. */
import type { HostName } from "../core/cluster/hosts.ts";
import type { Instant } from "../core/message.ts";

export type EngineStanding =
  | { readonly state: "starting" | "up"; readonly since: Instant; readonly server?: string }
  /** Why, in a person's words. `stuck`: until a person does something. */
  | { readonly state: "down"; readonly since: Instant; readonly reason: string; readonly stuck?: true };

export interface ArrivedBag {
  readonly bytes: Uint8Array;
  /** How long the engine had it, by its own clock. */
  readonly ageMs: number;
  /** How often it was handed out before. */
  readonly again: number;
}

export interface EngineEars {
  /** One after the other, in the order in which the engine stored them. It stays in the engine until this resolves. */
  bag(bag: ArrivedBag): Promise<void>;
  /** What another host says of itself; undefined: it left, or has said nothing for long. */
  announced(host: HostName, bytes: Uint8Array | undefined): void;
  standing(standing: EngineStanding): void;
  /** Whether this host itself said this under its name. If another one did, nothing is stored or taken until that is over. */
  isOwn?(bytes: Uint8Array): boolean;
}

export interface ClusterEngine {
  /** Tries for as long as it takes; `EngineEars.standing` says how it goes. */
  open(ears: EngineEars): void;
  standing(): EngineStanding;
  /**
   * Resolves when the engine has stored it durably. Rejects with `NotStored` (core/cluster/not-stored.ts) if it keeps no
   * more for that host, and with anything else if it is not known whether it has it. The same name is stored once.
   */
  store(to: HostName, name: string, bag: Uint8Array): Promise<void>;
  /** Replaces what it said before; repeated by the engine as long as it is open. */
  announce(bytes: Uint8Array): Promise<void>;
  /** This host leaves: others learn it at once. What is stored for it stays. */
  depart(): Promise<void>;
  close(): Promise<void>;
}

/** Makes bags that only one host can open, and that show who made them. */
export interface Sealer {
  /** This host's public key, as others write it into their config. */
  readonly publicKey: string;
  /** Whether something can be sealed for it: not each text that looks like a key is one. */
  isKey(text: string): boolean;
  /** Throws if it is no key. */
  seal(bytes: Uint8Array, recipientKey: string): Uint8Array;
  /** Undefined if it was not made by this sender for this host. */
  open(sealed: Uint8Array, senderKey: string): Uint8Array | undefined;
  sign(bytes: Uint8Array): Uint8Array;
  /** The signed bytes; undefined if the signature is not of this key. */
  verified(signed: Uint8Array, key: string): Uint8Array | undefined;
}
