/** Where the notifications of one browser go, and with what they are encrypted for it. */
import type { Instant } from "../message.ts";

export interface PushTarget {
  readonly endpoint: string;
  /** The browser's public key and the secret that it shares, in base64url. */
  readonly publicKey: string;
  readonly secret: string;
}

export interface PushSubscription extends PushTarget {
  /** The login that it belongs to and ends with. */
  readonly webSession: string;
  readonly since: Instant;
}
