/** Files that the owner sends along with a message: only their paths travel in its text. Called by `send`. */
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address } from "../../core/message.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { SubmittingParts } from "./submitting.ts";

/**
 * The paths. They are on disk before the message that names them; if that is refused, they are forgotten with their age.
 * Throws if only another host would get it: there, nobody could read them.
 */
export async function attached(
  parts: SubmittingParts,
  { attachments = [] }: Pick<SendRequest, "attachments">,
  to: Address,
  sender: SenderIdentity,
): Promise<readonly string[]> {
  if (attachments.length === 0) return [];
  const host = onlyHostOf(parts, to, sender);
  if (host !== undefined) throw staysHere(host);
  const paths: string[] = [];
  for (const { name, content } of attachments)
    paths.push(await parts.context.files.attach(name, Buffer.from(content, "base64")));
  return paths;
}

/** Undefined: somebody here gets it, or nobody at all. */
function onlyHostOf(
  { neighbours, accept }: SubmittingParts,
  to: Address,
  sender: SenderIdentity,
): string | undefined {
  const named = neighbours.elsewhere(to)?.host;
  if (named !== undefined || neighbours.current === undefined) return named;
  const hosts = accept.reached({ to, sender }).map((mailbox) => hostOfMailbox(mailbox));
  return hosts.every((host) => host !== undefined) ? hosts[0] : undefined;
}

function staysHere(host: string): BellhopError {
  return new BellhopError("recipient.elsewhere", {
    message: `Whoever gets this message is on ${host}, and attached files stay on this host.`,
    next: `Put what is in them into the message, or copy them to ${host} and name their paths there.`,
  });
}
