/** Carries out `bellhop bridge test`: a message to the person's own channel, through the daemon. Loaded on demand. */
import { loadConfig } from "../../../config/config.ts";
import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { Arguments } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { ANSWER_GRACE_MS } from "../../sending.ts";
import { requireOwner } from "../owner-only.ts";
import { notConfigured } from "./unknown.ts";

const TEXT = "This is a test of Bellhop. Nothing to do.";
const WAIT_MS = 30_000;
/** It must not come days later. */
const EXPIRES_MS = 60_000;

export async function testBridge(
  context: CommandContext,
  { words: [name = ""] }: Arguments,
): Promise<undefined> {
  await requireOwner(context, "test a bridge");
  const { bridges: shown } = await context.ask("bridges", {});
  const { bridges, person } = loadConfig(context.home().config).values;
  const found = shown.find((one) => one.name === name);
  if (found === undefined) throw notConfigured(name, Object.keys(bridges));
  if (found.stuck === true)
    throw new BellhopError("bridge.refused", {
      message: `${name} is not connected: ${found.error ?? "no reason is known"}`,
      next: `Then try again: bellhop bridge test ${name}`,
    });
  const to = person.channels.find((channel) => channel.startsWith(`${name}/`));
  if (to === undefined) throw nowhere(name);
  const sent = await context.ask("send", { to, body: TEXT, timeoutMs: EXPIRES_MS, claims: context.claims() });
  const failure = await reachedOrWhy(context, sent.messageId);
  if (failure !== undefined) throw failure;
  context.out.result({ bridge: name, to, messageId: sent.messageId, state: "delivered" }, () =>
    context.out.line(`✓ Delivered to ${sanitiseLine(to)}: look at your phone.`),
  );
}

function nowhere(name: string): BellhopError {
  const isOneWay = name === "webhook";
  return new BellhopError("recipient.unknown", {
    message: isOneWay
      ? "Nothing can be sent to a webhook: services send to Bellhop."
      : `None of your channels (person.channels) is in ${name}.`,
    next: isOneWay
      ? "Let the service send a test of its own, then see: bellhop history"
      : `Add one, such as ${name}/ID, to person.channels in the config.`,
  });
}

async function reachedOrWhy(context: CommandContext, id: string): Promise<BellhopError | undefined> {
  const waited = await context
    .ask("wait", { id, state: "delivered", timeoutMs: WAIT_MS }, { timeoutMs: WAIT_MS + ANSWER_GRACE_MS })
    .catch((error: unknown) => {
      if (error instanceof BellhopError && error.code === "wait.timed_out") return undefined;
      throw error;
    });
  if (waited?.reached === true) return undefined;
  const { deliveries } = await context.ask("show", { id });
  const [delivery] = deliveries;
  const note = delivery?.receipts.findLast((receipt) => receipt.note !== undefined)?.note;
  const why = note ?? delivery?.hold?.release ?? "no reason is known";
  if (waited === undefined)
    return new BellhopError("wait.timed_out", {
      message: `It is not delivered yet: ${why}.`,
      next: 'It is tried for another half minute. See "bellhop bridge status".',
    });
  return new BellhopError(waited.state === "unconfirmed" ? "delivery.unconfirmed" : "message.failed", {
    message: `It is ${waited.state}: ${why}`,
    next: `See "bellhop explain ${id}".`,
  });
}
