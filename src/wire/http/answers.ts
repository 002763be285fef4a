/** HTTP answers: used for `/openapi.json`, and checked against every answer in the tests, never at run time. */
import { z } from "zod";
import { ATTENTION_KINDS } from "../../core/attention.ts";
import { DELIVERY_STATES, EVIDENCE, HOLD_REASONS, TRANSPORTS } from "../../core/message.ts";
import { PRIORITIES } from "../../core/priority.ts";
import { TURN_STATES } from "../../core/turns/turn.ts";
import { engine } from "./cluster-answers.ts";
import { deliveryMode, hold, holdWithIsoTime, instant, isoTime, json } from "./fields.ts";

const state = z.enum(DELIVERY_STATES);
const readiness = z.enum(["starting", "idle", "busy", "blocked", "exited", "unknown"]);
const source = z.enum(["person", "agent", "script", "bridge", "webhook", "bellhop"]);
const messageId = z.string();
const shortId = z.string().describe("Six letters and digits; the agent reads it as #m7k2q9.");
const address = z.string().describe("agent/NAME, session/ID or person/NAME.");

/** `immediate`, what it waits for, or what has already become of it. */
export const ESTIMATES = [
  "immediate",
  "waiting_for_idle",
  ...HOLD_REASONS.filter((reason) => reason !== "busy").map((reason) => `held_${reason}` as const),
  ...DELIVERY_STATES.filter((state) => state !== "queued"),
] as const;
const estimate = z.enum(ESTIMATES);

export const sentAnswer = z.strictObject({
  status: z.literal("queued").describe("Accepted: it is on disk."),
  state: state.describe("How it stands after a first look."),
  queue_position: z.int().min(0).describe("1 goes out next; 0: it waits no more."),
  delivery_mode: deliveryMode,
  estimated_delivery: estimate,
  message_id: messageId,
  short_id: shortId,
  hold: holdWithIsoTime.exactOptional(),
});

/** Sent when the outcome is known, or after half a minute. */
export const urgentAnswer = z.strictObject({
  status: state,
  delivery_mode: z.enum(["urgent", "interrupt"]),
  interrupted: z.boolean().describe("A running turn was stopped for it."),
  message_id: messageId,
  short_id: shortId,
  estimated_delivery: estimate.exactOptional(),
  hold: holdWithIsoTime.exactOptional(),
});

export const sendQueueAnswer = z.strictObject({
  session_id: z.string(),
  is_idle: z.boolean(),
  pending_count: z.int().min(0),
  pending_messages: z
    .array(
      z.strictObject({
        id: messageId,
        sender: z.string(),
        queued_at: isoTime,
        timeout_at: isoTime.nullable(),
        delivery_mode: deliveryMode,
        hold: holdWithIsoTime.exactOptional(),
      }),
    )
    .describe("In the order in which they go out."),
  saved_user_input: z.string().nullable().describe("What a person had typed and Bellhop keeps."),
});

export const remindAnswer = z.strictObject({
  status: z.literal("scheduled"),
  reminder_id: z.string(),
  session_id: z.string().describe("Whom it comes to; the name of an agent that no program runs for."),
  set_by: address,
  fire_at: isoTime,
  message: z.string(),
});

export const reminder = z.strictObject({
  id: z.string(),
  to: address,
  session_id: z.string().exactOptional(),
  text: z.string(),
  set_by: address,
  due_at: instant,
  every_ms: z.int().exactOptional(),
  cron: z.string().exactOptional(),
  created_at: instant,
  fired: z.int().min(0).describe("How often it has come already."),
  waiting: z
    .string()
    .describe("Short id of the message in which it came last, while that waits: the next are left out.")
    .exactOptional(),
});
export const remindersAnswer = z.strictObject({ reminders: z.array(reminder) });

const terminal = z.strictObject({
  kind: z.enum(["tmux", "pty"]),
  server: z.string().exactOptional(),
  pane: z.string().exactOptional(),
});
const ending = z.strictObject({
  how: z.enum(["exited", "killed", "lost", "unknown"]),
  code: z.int().exactOptional(),
  signal: z.int().exactOptional(),
  at: z.int(),
});

export const session = z.strictObject({
  id: z.string(),
  agent: z.string(),
  label: z.string(),
  program: z.string(),
  terminal: terminal.nullable(),
  readiness,
  hold: hold.exactOptional(),
  queued: z.int().min(0),
  headline: z.string(),
  role: z.string().exactOptional(),
  asks: z
    .strictObject({ kind: z.enum(["permission", "question"]), text: z.string(), since: instant })
    .exactOptional()
    .describe("What it asks the person."),
  unproven: z
    .string()
    .optional()
    .describe("Why its release counts as unproven: it is handled the careful way."),
  ending: ending.exactOptional(),
});
export const sessionsAnswer = z.strictObject({ sessions: z.array(session) });

export const message = z.strictObject({
  id: messageId,
  short_id: shortId,
  from: address,
  to: address,
  body: z.string(),
  priority: z.enum(PRIORITIES),
  command: z.string().exactOptional(),
  payload: json.exactOptional(),
  source,
  channel: z.string().exactOptional(),
  external_id: z.string().exactOptional(),
  reply_to: messageId.exactOptional(),
  bound: z.enum(["explicit", "implicit"]).exactOptional(),
  created_at: instant,
  file: z.string().describe("The text as a file, on the daemon's machine."),
});

const recipient = address
  .exactOptional()
  .describe(
    "If `to` is the mailbox of another host: whom it is for there, or the path that somebody there hears.",
  );
const briefly = { id: z.string(), to: address, recipient, state, hold: hold.exactOptional() };
const proof = { transport: z.enum(TRANSPORTS).exactOptional(), evidence: z.enum(EVIDENCE).exactOptional() };
const deliveryFields = {
  ...briefly,
  ...proof,
  attempts: z.int().min(0),
  possible_duplicate: z.boolean().exactOptional(),
  queued_at: instant,
  timeout_at: instant.exactOptional(),
  interrupted: z.boolean().exactOptional(),
};
const receipt = z.strictObject({ at: instant, state, ...proof, note: z.string().exactOptional() });
export const messageAnswer = z.strictObject({
  message,
  deliveries: z.array(z.strictObject({ ...deliveryFields, receipts: z.array(receipt) })),
});
const entries = z.array(z.strictObject({ message, delivery: z.strictObject(deliveryFields) }));
export const historyAnswer = z.strictObject({ entries: entries.describe("Newest first.") });
const queued = {
  ...briefly,
  message_id: messageId,
  short_id: shortId,
  from: address,
  priority: z.enum(PRIORITIES),
  queued_at: instant,
  timeout_at: instant.exactOptional(),
  release: z.enum(["now", "withheld"]).exactOptional().describe("What a person decided about it."),
  preview: z.string(),
};
export const timelineAnswer = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        ...queued,
        ...proof,
        number: z.int().describe("Its place in time."),
        changed_at: instant,
        characters: z.int().min(0).describe("How long its text is."),
        source,
        bound: z.enum(["explicit", "implicit"]).exactOptional(),
        re: shortId.exactOptional(),
        raw: z.literal(true).exactOptional(),
        possible_duplicate: z.literal(true).exactOptional(),
      }),
    )
    .describe("To the agent and from it, oldest first."),
  before: z.int().exactOptional().describe("For the next page; absent: this was the last."),
});
const draft = z.strictObject({
  id: z.string(),
  session_id: z.string(),
  agent: z.string(),
  text: z.string(),
  exact: z.boolean().describe("false: as far as the screen showed it."),
  state: z.string(),
  kept_at: instant,
  note: z.string().exactOptional(),
});
export const queueAnswer = z.strictObject({
  deliveries: z.array(z.strictObject(queued)).describe("In the order in which they go out."),
  drafts: z.array(draft),
});
export const draftsAnswer = z.strictObject({ drafts: z.array(draft) });
export const draftAnswer = z.strictObject({ draft });
export const explainAnswer = z.strictObject({
  message_id: messageId,
  short_id: shortId,
  deliveries: z.array(
    z.strictObject({
      ...briefly,
      because: z.array(z.string()).describe("Sentences, most important first."),
    }),
  ),
});

export const peekAnswer = z.strictObject({
  session_id: z.string(),
  screen: z.string().describe("Lines, as the terminal shows them or showed them last."),
  ending: ending.exactOptional(),
  turn: z.string().exactOptional().describe("It runs without a terminal: these are the steps of this turn."),
});

export const pauseAnswer = z.strictObject({ agent: z.string(), paused: z.boolean() });

export const stopAnswer = z.strictObject({
  session_id: z.string(),
  agent: z.string(),
  outcome: z.enum(["stopped", "running"]),
});

export const namedAnswer = z.strictObject({ agent: z.string(), session_id: z.string() });

export const reroutedAnswer = z.strictObject({ rerouted: z.int().min(0), left: z.int().min(0) });

export const clearedAnswer = z.strictObject({ cleared: z.int().min(0) });

export const deadLettersAnswer = z.strictObject({
  messages: z.array(
    z.strictObject({
      id: messageId,
      short_id: shortId,
      from: z.string().describe("An agent's bare name, else an address."),
      path: address,
      command: z.string(),
      payload: json,
      body: z.string(),
      status: z.literal("pending"),
      timestamp: instant,
      source: z.string(),
      external_id: z.string().nullable(),
      reason: z.string().describe("Why nobody got it."),
    }),
  ),
});

export const subscriptionsAnswer = z.strictObject({
  subscriptions: z.array(
    z.strictObject({
      agent: z.string(),
      session: z.string().exactOptional().describe("One of its sessions, by name or id."),
      pattern: z.string(),
      added_at: instant,
      origin: z.enum(["asked", "declared"]),
    }),
  ),
  next: z.string().exactOptional().describe("Asks for the next page; absent after the last."),
  listeners: z
    .array(
      z.strictObject({
        mailbox: address,
        owner: address,
        hearing: z.int().min(0),
        consuming: z.int().min(0),
      }),
    )
    .exactOptional()
    .describe("With the first page: mailboxes that somebody listens to now."),
});

export const triedAnswer = z.strictObject({
  path: address,
  from: address,
  recipients: z.array(z.strictObject({ to: address, recipient, owner: address, why: z.array(z.string()) })),
  more: z.int().min(0).describe("How many more recipients there are."),
  reason: z.string().exactOptional().describe("Why nobody would get it."),
  notes: z.array(z.string()),
});

const talk = { from: address, messages: z.int().min(1) };
export const trafficAnswer = z.strictObject({
  until: instant.describe("All that was sent before this is counted."),
  since: instant.exactOptional().describe("From when on, if older messages were too many to count."),
  talks: z.array(z.strictObject({ ...talk, to: address })).describe("The busiest first."),
  others: z
    .strictObject({ pairs: z.int().min(0), messages: z.int().min(0) })
    .describe("Pairs that are left out because there are too many."),
  unmatched: z.array(z.strictObject(talk)).describe("Dead letters, by sender."),
});

export const pressedAnswer = z.strictObject({
  message_id: messageId,
  short_id: shortId,
  unmatched: z.literal(false),
  deliveries: z.array(z.strictObject({ ...briefly, agent: z.string().exactOptional() })),
});

export const cancelAnswer = z.strictObject({ deliveries: z.array(z.strictObject(briefly)) });

export const inboxAnswer = z.strictObject({ who: address, entries: entries.describe("Oldest first.") });

export const restartedAnswer = z.strictObject({
  session_id: z.string(),
  agent: z.string(),
  terminal,
  note: z.string().describe("It was started, and yet not all is well.").exactOptional(),
});

export const startedAnswer = z.strictObject({
  ...restartedAnswer.shape,
  message_id: messageId,
  short_id: shortId,
});

export const statusAnswer = z.strictObject({
  running: z.literal(true),
  pid: z.int(),
  version: z.string(),
  home: z.string(),
  socket: z.string(),
  http: z.strictObject({ host: z.string(), port: z.int() }),
  token_file: z.string(),
  sessions: z.int().min(0),
  queued: z.int().min(0),
  started_at: instant,
  wants: z
    .partialRecord(z.enum(ATTENTION_KINDS), z.int().min(1))
    .exactOptional()
    .describe("How much wants the person, by kind."),
  mail: z.int().min(0).exactOptional().describe("Messages for the person that nobody has read."),
  warnings: z.array(z.string()),
  bridges: z
    .array(
      z.strictObject({
        name: z.string(),
        state: z.enum(["up", "starting", "down"]),
        since: instant,
        last_in: instant.exactOptional(),
        last_out: instant.exactOptional(),
        error: z.string().exactOptional(),
        stuck: z.literal(true).exactOptional().describe("It stays down until a person does something."),
        strangers: z.int().min(0).describe("How many messages of strangers were refused since the start."),
      }),
    )
    .exactOptional()
    .describe("The bridges that are configured."),
  cluster: z
    .strictObject({
      host: z.string(),
      engine,
      hosts: z.int().min(0).describe("How many other hosts are admitted."),
      up: z.int().min(0).describe("How many of them are up."),
      waiting: z.int().min(0).describe("Messages for other hosts that are still here."),
      doubts: z.array(z.string()).exactOptional().describe("What is odd about which host."),
      stuck: z.literal(true).exactOptional().describe("It stays down until a person does something."),
    })
    .exactOptional()
    .describe("Absent if this host is in no cluster."),
  trouble: z
    .array(z.strictObject({ code: z.string(), since: instant, message: z.string(), next: z.string() }))
    .describe("What keeps Bellhop from its work, for as long as it lasts."),
});

export const turn = z.strictObject({
  id: z.string(),
  agent: z.string(),
  session_id: z.string(),
  runner: z.string(),
  state: z.enum(TURN_STATES),
  triggered: z.boolean().describe("Somebody asked for it: it was not triaged."),
  again: z.boolean().describe("It follows one that was interrupted, and may repeat what that one did."),
  started_at: instant,
  ended_at: instant.exactOptional(),
  verdict: z.enum(["yes", "no"]).exactOptional().describe("What triage said."),
  because: z.string().exactOptional(),
  answer: z.string().exactOptional(),
  error: z.string().exactOptional(),
  usd: z.number().exactOptional().describe("As the program reported it."),
  tokens_in: z.int().exactOptional(),
  tokens_out: z.int().exactOptional(),
  messages: z.array(z.strictObject({ id: messageId, short_id: shortId, from: address })),
  doing: z.string().exactOptional().describe("What it does at the moment."),
});

export const turnsAnswer = z.strictObject({
  switch: z
    .strictObject({ off: z.boolean(), since: instant.exactOptional(), by: z.string().exactOptional() })
    .describe("While it is off, no turn starts."),
  turns: z.array(turn).describe("Open ones first, then the newest."),
  budgets: z.array(
    z.strictObject({
      agent: z.string(),
      turns_this_hour: z.int().min(0),
      turns_per_hour: z.int().min(0),
      turns_today: z.int().min(0),
      turns_per_day: z.int().min(0),
      usd_today: z.number(),
      usd_per_day: z.number(),
      until: instant.exactOptional().describe("It is spent until then."),
    }),
  ),
  waiting: z
    .array(z.strictObject({ agent: z.string(), messages: z.int().min(0), release: z.string() }))
    .describe("What waits for a turn, and what would release it."),
});
export const switchAnswer = z.strictObject({
  off: z.boolean(),
  stopped: z.int().min(0).describe("How many turns were stopped."),
});
export const triggeredAnswer = z.strictObject({
  agent: z.string(),
  session_id: z.string(),
  messages: z.array(messageId),
});

const turnRule = z.strictObject({
  path: z.string().exactOptional(),
  from: z.string().exactOptional(),
  text: z.string().exactOptional(),
});
const autoRunValues = z.strictObject({
  enabled: z.boolean().exactOptional(),
  triage_model: z.string().exactOptional(),
  debounce_ms: z.int().exactOptional(),
  max_batch_size: z.int().exactOptional(),
  always_accept: z.array(turnRule).exactOptional(),
  always_reject: z.array(turnRule).exactOptional(),
  runner: z.string().exactOptional(),
  command: z.array(z.string()).exactOptional(),
  cwd: z.string().exactOptional(),
  role: z.string().exactOptional(),
  model: z.string().exactOptional(),
  tools: z.array(z.string()).exactOptional(),
  permission_mode: z.string().exactOptional(),
  deadline_ms: z.int().exactOptional(),
  turns_per_hour: z.int().exactOptional(),
  turns_per_day: z.int().exactOptional(),
  usd_per_day: z.number().exactOptional(),
  untriaged: z.enum(["hold", "run"]).exactOptional(),
});
export const autoRunAnswer = z.strictObject({
  values: autoRunValues,
  from: z
    .record(z.string(), z.enum(["session", "agent", "config", "standard"]))
    .describe("Who said it, for each value."),
  obstacle: z.string().exactOptional().describe("Why no turn can run."),
  running: z.string().exactOptional().describe("The turn that runs now."),
});
export const conversationAnswer = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        type: z.enum(["auto-turn", "auto-turn-result"]),
        turn_id: z.string(),
        session_id: z.string(),
        at: instant,
        text: z.string(),
        messages: z.array(messageId),
      }),
    )
    .describe("Oldest first."),
  before: z.int().exactOptional().describe("For the next page; absent: this was the last."),
});

export const loginsAnswer = z.strictObject({
  sessions: z.array(
    z.strictObject({
      id: z.string(),
      browser: z.string().describe("What it calls itself."),
      host: z.string(),
      logged_in_at: instant,
      seen_at: instant,
      notified: z.boolean().describe("Whether it gets notifications."),
      current: z.boolean().describe("Whether it is the one that asks."),
    }),
  ),
});
export const revokedAnswer = z.strictObject({ revoked: z.array(z.string()) });
const lastPush = {
  outcome: z.enum(["accepted", "gone", "later", "refused"]),
  why: z.string().exactOptional(),
};
export const pushAnswer = z.strictObject({
  public_key: z.string().describe("For the browser's subscription."),
  device: z
    .strictObject({
      since: instant,
      service: z.string().describe("The host that brings them."),
      mark: z.string().describe("SHA-256 of its endpoint."),
      last: z.strictObject({ at: instant, ...lastPush }).exactOptional(),
    })
    .nullable(),
  quiet: z.string().nullable().describe("Quiet hours, in local time."),
  quiet_except: z.array(z.string()).describe("The kinds that come nevertheless."),
});
export const quietAnswer = z.strictObject({ hours: z.string().nullable(), except: z.array(z.string()) });
export const subscribedAnswer = z.strictObject({ subscribed: z.boolean() });
export const pushTestAnswer = z.strictObject({ service: z.string(), ...lastPush });

export const healthAnswer = z.strictObject({ ok: z.literal(true) });
export const openapiAnswer = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

export const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z
      .string()
      .regex(/^[a-z]+\.[a-z0-9_]+$/)
      .describe("Stable."),
    message: z.string(),
    next: z.string().describe("What to do."),
    candidates: z.array(z.string()).describe("The choices, where a word means several.").exactOptional(),
  }),
});
