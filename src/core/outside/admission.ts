/** Who may come in. Nobody is believed beyond what the platform vouches for. */
import type { Address } from "../message.ts";
import { bridgeOf, speakerIn } from "./places.ts";

export interface Speaker {
  readonly path: Address;
  /** As the platform vouches for it; empty if it does not. */
  readonly from: string;
}

/** The speaker's own address; undefined if nobody vouches for them. */
export function ownAddressOf({ path, from }: Speaker): Address | undefined {
  if (from === "") return undefined;
  const bridge = bridgeOf(path);
  // Where a place belongs to one person, its last part says who they are.
  if ((bridge === "email" || bridge === "imessage") && !path.endsWith(`/${from}`)) return undefined;
  return speakerIn(path, from);
}

/**
 * Whose words the desk relays: the person's, in a channel that they call theirs, and those of the people whom they allow
 * by their id on the platform. In a group only what these people say counts.
 */
export function isPersons(speaker: Speaker, channels: readonly Address[], allow: readonly string[]): boolean {
  const own = ownAddressOf(speaker);
  return own !== undefined && (channels.includes(own) || allow.includes(own) || allow.includes(speaker.from));
}

/** Who may write to subscribers, but not to the desk: everybody in a place that is allowed as a whole path. */
export function isAdmitted(speaker: Speaker, allow: readonly string[]): boolean {
  return ownAddressOf(speaker) !== undefined && allow.includes(speaker.path);
}
