/** Bridges, and what the desk would do with a text. */
import type { AwayMode, Presence } from "../../core/desk/presence.ts";
import type { Address, Instant } from "../../core/message.ts";

/** A bridge that is configured. */
export interface ShownBridge {
  readonly name: string;
  readonly state: "up" | "starting" | "down";
  readonly since: Instant;
  readonly lastIn?: Instant;
  readonly lastOut?: Instant;
  /** What is wrong, and what to do. */
  readonly error?: string;
  /** It stays down until a person does something. */
  readonly stuck?: true;
  /** How many arrivals were refused since the start, because nobody allowed their senders. */
  readonly strangers: number;
}

export interface DeskTried {
  readonly outcome: "relayed" | "asked" | "refused";
  /** Who would get it. */
  readonly to?: { readonly agent: string; readonly session: string; readonly label: string };
  /** What they would get. */
  readonly body?: string;
  readonly rule?: string;
  /** Which rules were considered, in order, and why each could or could not tell. */
  readonly considered: readonly { readonly rule: string; readonly why: string }[];
  /** What the person would be told at once. */
  readonly answer?: string;
}

/** Whether the person is away. */
export interface ShownPresence extends Presence {
  readonly mode: AwayMode;
  /** Where they are told what needs them: their channels that an open bridge reaches. */
  readonly channels: readonly Address[];
}
