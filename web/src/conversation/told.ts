/** What the daemon tells of messages over HTTP, as far as the page shows it. */
import type {
  DeliveryState,
  Evidence,
  Hold,
  Priority,
  Source,
  Transport,
} from "../../../src/core/message.ts";

export interface ToldQueued {
  /** Of the delivery. */
  readonly id: string;
  readonly to: string;
  readonly state: DeliveryState;
  readonly hold?: Hold;
  readonly message_id: string;
  readonly short_id: string;
  readonly from: string;
  readonly priority: Priority;
  readonly queued_at: number;
  readonly timeout_at?: number;
  readonly release?: "now" | "withheld";
  readonly preview: string;
}

export interface ToldEntry extends ToldQueued {
  readonly number: number;
  readonly changed_at: number;
  readonly characters: number;
  readonly source: Source;
  readonly transport?: Transport;
  readonly evidence?: Evidence;
  readonly re?: string;
  readonly raw?: true;
  readonly possible_duplicate?: true;
}

export interface ToldPage {
  readonly entries: readonly ToldEntry[];
  readonly before?: number;
}

export interface ToldReceipt {
  readonly at: number;
  readonly state: DeliveryState;
  readonly evidence?: Evidence;
  readonly transport?: Transport;
  readonly note?: string;
}

export interface ToldMessage {
  readonly message: {
    readonly id: string;
    readonly short_id: string;
    readonly body: string;
    readonly file: string;
  };
  readonly deliveries: readonly {
    readonly id: string;
    readonly to: string;
    readonly state: DeliveryState;
    readonly hold?: Hold;
    readonly receipts: readonly ToldReceipt[];
  }[];
}

export interface ToldDraft {
  readonly id: string;
  readonly session_id: string;
  readonly text: string;
  readonly exact: boolean;
  readonly state: string;
  readonly kept_at: number;
  readonly note?: string;
}
