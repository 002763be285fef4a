/** What `send`, `reply` and `broadcast` share. Must load fast: import nothing heavy here. */
import { recipientInWords } from "../core/cluster/hosts.ts";
import { BellhopError, type ErrorCode, EXIT } from "../core/errors.ts";
import { type DeliveryState, EVIDENCE, type Evidence, type Json } from "../core/message.ts";
import { present } from "../core/present.ts";
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import type { AddressedDelivery, SendResponse, SentDelivery, ShownMessage } from "../wire/shapes/messages.ts";
import type { SendRequest } from "../wire/verbs/messages.ts";
import { readBody } from "./arguments/body.ts";
import { type Arguments, type OptionSpec, usage } from "./command.ts";
import type { CommandContext } from "./context.ts";

export const WAIT_STATES = ["queued", "delivering", "delivered", "read", "replied"] as const;

export const SENDING_OPTIONS = {
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
  command: {
    kind: "value",
    value: "C",
    summary: "a command for programs that read messages as data (analyse)",
  },
  payload: { kind: "value", value: "JSON", summary: "JSON data for such programs; - takes it from stdin" },
  timeout: {
    kind: "value",
    value: "D",
    summary: "drop it if it still waits after this long (5m, 2h; 0: never)",
  },
  "notify-on-delivery": { kind: "flag", summary: "tell the sender when it is delivered" },
  "notify-after": { kind: "value", value: "D", summary: "tell the sender this long after it is delivered" },
  from: { kind: "value", value: "X", summary: "send it under another name" },
  "idempotency-key": {
    kind: "value",
    value: "K",
    summary: "the same key and text again makes no second message",
  },
  wait: {
    kind: "value",
    value: "STATE",
    choices: WAIT_STATES,
    summary: "wait until it reaches this state: delivered, read or replied",
  },
  "wait-timeout": { kind: "value", value: "D", summary: "with --wait: wait at most this long (30s, 5m)" },
  require: {
    kind: "value",
    value: "EVIDENCE",
    choices: EVIDENCE,
    summary: "refuse to send unless the delivery can be proven this way (submitted, for example)",
  },
  "at-most-once": { kind: "flag", summary: "if a crash leaves it in doubt, do not deliver it a second time" },
  "any-way-in": {
    kind: "flag",
    summary: "also use the program's own inbox, not only typed text",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Selects some of them, in this order. */
export function sendingOptions(
  ...names: readonly (keyof typeof SENDING_OPTIONS)[]
): Readonly<Record<string, OptionSpec>> {
  return Object.fromEntries(names.map((name) => [name, SENDING_OPTIONS[name]]));
}

/** The daemon's own deadline comes first; this one is for a daemon that hangs. */
export const ANSWER_GRACE_MS = 10_000;

export type Saying = Omit<SendRequest, "to" | "re">;

export async function readSaying(context: CommandContext, args: Arguments, textAt: number): Promise<Saying> {
  const priority = readPriority(args);
  const keys = args.values("key");
  if (keys.length > 0 && !args.flag("raw")) throw usage("--key goes with --raw.", "Add --raw.");
  const payload = await readPayload(context, args, textAt);
  const timeoutMs = await readDuration(args, "timeout");
  const notifyAfterMs = await readDuration(args, "notify-after");
  return {
    body: await readBody(context, args, textAt),
    claims: context.claims(),
    ...present({
      priority,
      raw: args.given("raw"),
      keys: keys.length === 0 ? undefined : keys,
      from: args.value("from"),
      command: args.value("command"),
      payload,
      idempotencyKey: args.value("idempotency-key"),
      require: args.value("require") as Evidence | undefined,
      atMostOnce: args.given("at-most-once"),
      anyWayIn: args.given("any-way-in"),
      timeoutMs,
      notifyOnDelivery: args.given("notify-on-delivery"),
      notifyAfterMs,
    }),
  };
}

export interface Waiting {
  readonly state: DeliveryState;
  readonly timeoutMs?: number;
}

/** Read before anything is sent: a mistake here must not leave a message behind. */
export async function readWaiting(args: Arguments): Promise<Waiting | undefined> {
  const state = args.value("wait") as DeliveryState | undefined;
  const timeoutMs = await readDuration(args, "wait-timeout");
  if (state === undefined) {
    if (timeoutMs === undefined) return undefined;
    throw usage("--wait-timeout goes with --wait.", "Add --wait delivered.");
  }
  return { state, ...present({ timeoutMs }) };
}

/** Prints the outcome and returns the exit status. */
export async function finishSending(
  context: CommandContext,
  sent: SendResponse,
  { timeoutMs = 0 }: Saying,
  waiting: Waiting | undefined,
): Promise<number> {
  const { out } = context;
  const expiry = timeoutMs === 0 || out.json ? "" : await expiryIn(timeoutMs);
  if (sent.unmatched || waiting === undefined) {
    if (out.json) out.value(sent);
    else printSent(context, sent, expiry);
    return sent.unmatched ? EXIT.unknownRecipient : EXIT.ok;
  }
  if (!out.json) printSent(context, sent, expiry);
  const failure = await waitFor(context, sent, waiting);
  const { deliveries } = await context.ask("show", { id: sent.messageId });
  const { answer } =
    failure === undefined && waiting.state === "replied"
      ? await context.ask("answer", { id: sent.messageId, timeoutMs: 0 })
      : {};
  const after = {
    ...sent,
    deliveries: deliveries.map((delivery) => briefly(delivery, sent)),
    ...present({ answer }),
  };
  if (out.json) out.value(after);
  else {
    const { successor: _said, ...rest } = after;
    printSent(context, rest, "");
  }
  if (answer !== undefined && !out.json) printAnswer(context, answer);
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
      { id: sent.messageId, state, ...present({ timeoutMs }) },
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

async function expiryIn(timeoutMs: number): Promise<string> {
  const { formatExactly } = await import("../core/time/duration.ts");
  return `, expires in ${formatExactly(timeoutMs)}`;
}

function printSent(
  { out }: CommandContext,
  { shortId, unmatched, reason = "nobody takes it", meant, deliveries, successor }: SendResponse,
  expiry: string,
): void {
  if (unmatched) {
    out.line(`kept among the dead letters as #${shortId}: ${sanitiseLine(reason)}`);
    if (meant !== undefined) out.line(`  Did you mean "${sanitiseLine(meant)}"?`);
    out.line(`  To try again: bellhop unmatched reroute ${shortId}`);
  }
  for (const delivery of deliveries) {
    const { state, hold } = delivery;
    const why = hold === undefined ? "" : ` (held: ${hold.reason} — ${sanitiseLine(hold.release)})`;
    out.line(`${state} #${shortId} for ${shownRecipient(delivery)}${state === "queued" ? expiry : ""}${why}`);
  }
  if (successor !== undefined)
    out.line(`  "${successor}" runs in the same folder. If you mean that one: bellhop send ${successor} …`);
}

function printAnswer({ out }: CommandContext, { shortId, from, body }: ShownMessage): void {
  out.line(`answer #${shortId} from ${sanitiseLine(from)}:`);
  out.line(sanitiseText(body));
}

function briefly({ id, to, recipient, state, hold }: SentDelivery, before: SendResponse): AddressedDelivery {
  const agent = before.deliveries.find((delivery) => delivery.id === id)?.agent;
  return { id, to, ...present({ recipient, agent }), state, ...present({ hold }) };
}

/** A session by its agent's name, because that is how the sender knows it. */
function shownRecipient(delivery: AddressedDelivery): string {
  const { to, recipient, agent } = delivery;
  if (agent === undefined || recipient !== undefined) return sanitiseLine(recipientInWords(delivery));
  return sanitiseLine(`agent/${agent} (${to.slice(to.indexOf("/") + 1)})`);
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

async function readPayload(
  context: CommandContext,
  args: Arguments,
  textAt: number,
): Promise<Json | undefined> {
  const given = args.value("payload");
  if (given === undefined) return undefined;
  const textFromStdin = args.value("file") === "-" || (args.words[textAt] === "-" && !args.isLiteral(textAt));
  if (given === "-" && textFromStdin)
    throw usage("The text and the payload cannot both come from stdin.", "Give one of them another way.");
  const { readPayload: read } = await import("./arguments/payload.ts");
  return read(context, given);
}

async function readDuration(args: Arguments, option: string): Promise<number | undefined> {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const { durationFrom } = await import("./arguments/given-duration.ts");
  return durationFrom(text, `--${option}`);
}
