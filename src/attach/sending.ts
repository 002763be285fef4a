/** A text of the bar that goes through the queue: asked again while the daemon is away, never stored twice. */
import { connect } from "../client/connect.ts";
import { BellhopError } from "../core/errors.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import type { SendResponse } from "../wire/shapes/messages.ts";
import type { Letter } from "./attachment-state.ts";

export interface Postbox {
  readonly daemonSocket: string;
  readonly sessionId: string;
  /** They say it, not the agent in whose terminal they may sit. */
  readonly user: string;
  now(): number;
  pause(ms: number): Promise<void>;
}

export type Posted =
  | { readonly kind: "queued"; readonly words: string; readonly shortId: string }
  | { readonly kind: "unsent"; readonly words: string };

export const POST_LIMITS = { patienceMs: 10_000, firstPauseMs: 100, longestPauseMs: 1_000 } as const;

const ABSENT: readonly string[] = ["daemon.not_running", "daemon.unreachable", "daemon.stopping"];

export async function post({ text, priority, key }: Letter, box: Postbox): Promise<Posted> {
  const until = box.now() + POST_LIMITS.patienceMs;
  for (let wait: number = POST_LIMITS.firstPauseMs; ; wait = Math.min(wait * 2, POST_LIMITS.longestPauseMs)) {
    try {
      const client = await connect(box.daemonSocket);
      try {
        const sent = await client.call("send", {
          to: box.sessionId,
          body: text,
          priority,
          idempotencyKey: key,
          claims: { user: box.user },
        });
        return { kind: "queued", words: whatBecame(sent), shortId: sent.shortId };
      } finally {
        client.close();
      }
    } catch (error) {
      if (!(error instanceof BellhopError)) throw error;
      if (!ABSENT.includes(error.code)) return { kind: "unsent", words: refusal(error) };
      if (box.now() + wait > until)
        return {
          kind: "unsent",
          words: `Not sent: the daemon is away ("bellhop up" starts it). Enter tries again.`,
        };
    }
    await box.pause(wait);
  }
}

function whatBecame({ shortId, unmatched, deliveries }: SendResponse): string {
  if (unmatched) return `nobody takes it: kept among the dead letters as #${shortId}`;
  const [first] = deliveries;
  const why = first?.hold === undefined ? "" : ` (${first.hold.reason}: ${sanitiseLine(first.hold.release)})`;
  return `${first?.state ?? "queued"} #${shortId}${why}`;
}

function refusal({ message, next }: BellhopError): string {
  return `Not sent: ${sanitiseLine(message)} ${sanitiseLine(next)}`;
}
