/** Sends a text of the bar through the queue: retried while the daemon is away, never stored twice. */
import { connect } from "../client/connect.ts";
import { isAbsence, patiently } from "../client/patience.ts";
import { BellhopError } from "../core/errors.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import type { SendResponse } from "../wire/shapes/messages.ts";
import type { Event, Letter } from "./attachment-state.ts";

export interface Postbox {
  readonly daemonSocket: string;
  readonly sessionId: string;
  /** The text is sent as this person, not as the agent in whose terminal they may sit. */
  readonly user: string;
  now(): number;
  pause(ms: number): Promise<void>;
}

export type Posted = Extract<Event, { readonly kind: "queued" | "unsent" }>;

const PATIENCE_MS = 10_000;
const POST_BACKOFF = { firstMs: 100, longestMs: 1_000 };

export async function post(letter: Letter, box: Postbox): Promise<Posted> {
  const patience = { ...box, patienceMs: PATIENCE_MS };
  try {
    const sent = await patiently(() => postOnce(letter, box), isAbsence, patience, POST_BACKOFF);
    return { kind: "queued", words: whatBecame(sent), shortId: sent.shortId };
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    const away = `Not sent: the daemon is away ("bellhop up" starts it). Enter tries again.`;
    return { kind: "unsent", words: isAbsence(error) ? away : refusal(error) };
  }
}

async function postOnce({ text, priority, key }: Letter, box: Postbox): Promise<SendResponse> {
  const client = await connect(box.daemonSocket);
  try {
    return await client.call("send", {
      to: box.sessionId,
      body: text,
      priority,
      idempotencyKey: key,
      claims: { user: box.user },
    });
  } finally {
    client.close();
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
