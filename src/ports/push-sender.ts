import type { PushTarget } from "../core/web/push-subscription.ts";

/** What is sent to one browser. Whoever carries it can see none of it. */
export interface Push {
  readonly payload: string;
  /** Of two that were not brought yet, only the newer of the same topic is: letters, digits, at most 32. */
  readonly topic: string;
  readonly urgency: "normal" | "high";
  /** For how long it is worth bringing. */
  readonly worthForSeconds: number;
  /** How to reach whoever sends it: a URL with `https:` or `mailto:`. */
  readonly contact: string;
}

export type PushOutcome =
  | { readonly kind: "accepted" }
  /** The browser does not want them any more, or forgot that it did. */
  | { readonly kind: "gone" }
  /** It may work later. */
  | { readonly kind: "later"; readonly why: string; readonly afterMs?: number }
  | { readonly kind: "refused"; readonly why: string };

/** Speaks to the services that bring notifications to browsers. */
export interface PushSender {
  /** By which a browser knows that a notification is ours; in base64url. The first use makes the key. */
  publicKey(): Promise<string>;
  send(target: PushTarget, push: Push): Promise<PushOutcome>;
}
