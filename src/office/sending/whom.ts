/** Whom a word means to whoever sends something. Asks the hosts' names once more before it refuses one of theirs. */
import type { Address } from "../../core/message.ts";
import type { Registrar } from "../arrivals/registrar.ts";
import { pause } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";

/** A host says within this time who was added there. */
const TOLD_WITHIN_MS = 1_000;

/** Throws also if the host that is named has said that it has no such agent. */
export async function whomToSend(
  { registrar, context, neighbours }: Ground & { readonly registrar: Registrar },
  who: string,
): Promise<Address> {
  const address = await registrar.resolveAnywhere(who);
  if (neighbours.lacking(address) === undefined) return address;
  await pause(context.clock, TOLD_WITHIN_MS);
  const lacking = neighbours.lacking(address);
  if (lacking !== undefined) throw lacking;
  return address;
}
