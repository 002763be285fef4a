/** What `send` and `reply` have in common. On the fast way: nothing heavy may be imported here. */
import { BellhopError, type ErrorCode, EXIT } from "../core/errors.ts";
import { type DeliveryState, EVIDENCE, type Evidence } from "../core/message.ts";
import { sanitiseLine } from "../core/sanitise.ts";
import type { SendRequest, SendResponse, SentDelivery } from "../wire/shapes.ts";
import { readBody } from "./body.ts";
import type { Arguments, OptionSpec } from "./command.ts";
import type { CommandContext } from "./context.ts";

export const WAIT_STATES = ["queued", "delivering", "delivered", "read", "replied"] as const;

export const SENDING_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  priority: {
    kind: "value",
    value: "P",
    choices: ["interrupt", "normal", "idle-first", "idle", "urgent", "important", "sequential"],
    summary: "interrupt, normal, idle-first or idle",
  },
  important: { kind: "flag", summary: "the same as --priority normal" },
  urgent: { kind: "flag", summary: "the same as --priority interrupt: stops what the agent is doing" },
  file: { kind: "value", value: "F", summary: "take the text from a file" },
  raw: { kind: "flag", summary: "type the text as it is: no header, no Enter" },
  key: {
    kind: "value",
    value: "K",
    repeatable: "yes",
    summary: "with --raw: press this key after the text (Enter, Escape, Up)",
  },
  from: { kind: "value", value: "X", summary: "send in another name" },
  "idempotency-key": { kind: "value", value: "K", summary: "the same key and text twice is one message" },
  wait: {
    kind: "value",
    value: "STATE",
    choices: WAIT_STATES,
    summary: "wait until it is delivered, read or replied",
  },
  "wait-timeout": { kind: "value", value: "D", summary: "wait at most this long (30s, 5m)" },
  require: {
    kind: "value",
    value: "EVIDENCE",
    choices: EVIDENCE,
    summary: "refuse unless this can be proven",
  },
  "at-most-once": { kind: "flag", summary: "when in doubt after a crash, rather not at all than twice" },
};

/** Options that the product has and this version does not. */
const LATER = ["timeout", "notify-on-delivery", "notify-after"] as const;
export const LATER_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  timeout: { kind: "value", summary: "" },
  "notify-on-delivery": { kind: "flag", summary: "" },
  "notify-after": { kind: "value", summary: "" },
};

/** The daemon's own deadline comes first; this is for one that hangs. */
const ANSWER_GRACE_MS = 10_000;

export type Saying = Omit<SendRequest, "to" | "re">;

export async function readSaying(context: CommandContext, args: Arguments, textAt: number): Promise<Saying> {
  for (const option of LATER) {
    if (args.flag(option)) {
      throw usage(
        `--${option} is not in this version yet.`,
        "Send without it; --wait tells when it is delivered.",
      );
    }
  }
  const priority = readPriority(args);
  const keys = args.values("key");
  if (keys.length > 0 && !args.flag("raw")) throw usage("--key goes with --raw.", "Add --raw.");
  const from = args.value("from");
  const idempotencyKey = args.value("idempotency-key");
  const require = args.value("require") as Evidence | undefined;
  return {
    body: await readBody(context, args, textAt),
    claims: context.claims(),
    ...(priority === undefined ? {} : { priority }),
    ...(args.flag("raw") ? { raw: true } : {}),
    ...(keys.length === 0 ? {} : { keys }),
    ...(from === undefined ? {} : { from }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(require === undefined ? {} : { require }),
    ...(args.flag("at-most-once") ? { atMostOnce: true } : {}),
  };
}

export interface Waiting {
  readonly state: DeliveryState;
  readonly timeoutMs?: number;
}

/** Read before anything is sent: a mistake here must not leave a message behind. */
export async function readWaiting(args: Arguments): Promise<Waiting | undefined> {
  const state = args.value("wait") as DeliveryState | undefined;
  const limit = args.value("wait-timeout");
  if (state === undefined) {
    if (limit === undefined) return undefined;
    throw usage("--wait-timeout goes with --wait.", "Add --wait delivered.");
  }
  return { state, ...(limit === undefined ? {} : { timeoutMs: await readDuration(limit) }) };
}

/** Prints what became of it and returns the exit status. */
export async function finishSending(
  context: CommandContext,
  sent: SendResponse,
  waiting: Waiting | undefined,
): Promise<number> {
  const { out } = context;
  if (sent.unmatched || waiting === undefined) {
    if (out.json) out.value(sent);
    else printSent(context, sent);
    return sent.unmatched ? EXIT.unknownRecipient : EXIT.ok;
  }
  if (!out.json) printSent(context, sent);
  const failure = await waitFor(context, sent, waiting);
  const { deliveries } = await context.ask("show", { id: sent.messageId });
  const after = { ...sent, deliveries: deliveries.map(briefly) };
  if (out.json) out.value(after);
  else printSent(context, after);
  if (failure !== undefined) throw failure;
  return EXIT.ok;
}

async function waitFor(
  context: CommandContext,
  sent: SendResponse,
  { state, timeoutMs }: Waiting,
): Promise<BellhopError | undefined> {
  try {
    const found = await context.ask(
      "wait",
      { id: sent.messageId, state, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      { timeoutMs: timeoutMs === undefined ? "never" : timeoutMs + ANSWER_GRACE_MS },
    );
    return found.reached ? undefined : notReached(sent.shortId, found.state, state);
  } catch (error) {
    if (error instanceof BellhopError && error.code === "wait.timed_out") return error;
    throw error;
  }
}

const ENDED: Readonly<Partial<Record<DeliveryState, ErrorCode>>> = {
  unconfirmed: "delivery.unconfirmed",
  expired: "message.expired",
  cancelled: "message.cancelled",
  failed: "message.failed",
};

function notReached(shortId: string, state: DeliveryState, wanted: DeliveryState): BellhopError {
  return new BellhopError(ENDED[state] ?? "wait.timed_out", {
    message: `#${shortId} is ${state}, not ${wanted}.`,
    next: `See why with "bellhop explain ${shortId}".`,
  });
}

function printSent({ out }: CommandContext, { shortId, unmatched, deliveries }: SendResponse): void {
  if (unmatched) out.line(`nobody takes it: kept among the dead letters as #${shortId}`);
  for (const { state, to, hold } of deliveries) {
    const why = hold === undefined ? "" : ` (held: ${hold.reason} — ${sanitiseLine(hold.release)})`;
    out.line(`${state} #${shortId} for ${sanitiseLine(to)}${why}`);
  }
}

function briefly({ id, to, state, hold }: SentDelivery): SentDelivery {
  return { id, to, state, ...(hold === undefined ? {} : { hold }) };
}

function readPriority(args: Arguments): string | undefined {
  const said = [
    args.value("priority"),
    args.flag("important") ? "normal" : undefined,
    args.flag("urgent") ? "interrupt" : undefined,
  ].filter((priority) => priority !== undefined);
  if (said.length > 1)
    throw usage("More than one priority was given.", "Choose one of --priority, --important, --urgent.");
  return said[0];
}

async function readDuration(text: string): Promise<number> {
  const { parseDuration } = await import("../core/duration.ts");
  const ms = parseDuration(text);
  if (ms === undefined) throw usage(`"${text}" is no length of time.`, "Write it as 30s, 5m or 1h30m.");
  return ms;
}

function usage(message: string, next: string): BellhopError {
  return new BellhopError("usage.invalid", { message, next });
}
