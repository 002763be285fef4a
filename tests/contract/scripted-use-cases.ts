/** Use-cases without an office: each verb answers what the test says, and records its requests. */
import type { Hold } from "../../src/core/message.ts";
import type { Log } from "../../src/ports/log.ts";
import type { QueuedDelivery, ShownDelivery, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { ShownDraft, ShownSession } from "../../src/wire/shapes/sessions.ts";
import type { RequestOf, UseCases, Verb } from "../../src/wire/verbs/index.ts";
import type { Streams } from "../../src/wire/verbs/streams.ts";

export interface ScriptedUseCases {
  readonly useCases: UseCases;
  readonly asked: { readonly verb: Verb; readonly request: unknown }[];
}

export function scriptedUseCases(answers: Partial<UseCases>): ScriptedUseCases {
  const asked: { verb: Verb; request: unknown }[] = [];
  const useCases = new Proxy({} as UseCases, {
    get: (_, verb: Verb) => async (request: RequestOf<Verb>) => {
      asked.push({ verb, request });
      const answer = answers[verb] as ((request: unknown) => Promise<unknown>) | undefined;
      if (answer === undefined) throw new Error(`no answer scripted for ${verb}`);
      return answer(request);
    },
  });
  return { useCases, asked };
}

/** Nobody listens. */
export const noStreams: Streams = {
  listen: async () => {
    throw new Error("no listening in this test");
  },
  mailboxOf: () => {
    throw new Error("no listening in this test");
  },
  follow: async () => {
    throw new Error("no following in this test");
  },
  board: async () => {
    throw new Error("no board in this test");
  },
  routes: async () => {
    throw new Error("no routes in this test");
  },
  screen: async () => {
    throw new Error("no screens in this test");
  },
};

export interface RememberedLog extends Log {
  readonly entries: { readonly level: string; readonly event: string; readonly fields?: unknown }[];
}

export function rememberedLog(): RememberedLog {
  const entries: { level: string; event: string; fields?: unknown }[] = [];
  const at = (level: string) => (event: string, fields?: unknown) =>
    void entries.push({ level, event, fields });
  return { entries, info: at("info"), warn: at("warn"), error: at("error") };
}

export const SAMPLE_IDS = {
  message: "ebac0d1c-96c2-469e-a1f1-761987bae549",
  shortId: "m7k2q9",
  session: "08bc57cf",
} as const;

const TEN = Date.UTC(2024, 0, 15, 10);

export const SAMPLE_HOLD: Hold = { reason: "busy", since: TEN, release: "when its turn ends" };

export function sampleDelivery(changes: Partial<ShownDelivery> = {}): ShownDelivery {
  return {
    id: `${SAMPLE_IDS.message}.1`,
    to: "agent/api",
    state: "queued",
    attempts: 0,
    queuedAt: TEN,
    receipts: [{ at: TEN, state: "queued" }],
    ...changes,
  };
}

export function sampleShow(delivery: Partial<ShownDelivery> = {}): ShowResponse {
  return {
    message: {
      id: SAMPLE_IDS.message,
      shortId: SAMPLE_IDS.shortId,
      from: "person/dev",
      to: "agent/api",
      body: "hello",
      priority: "idle",
      payload: { keptAsItIs: true },
      source: "person",
      createdAt: TEN,
      file: "/home/dev/.bellhop/messages/api/x.md",
    },
    deliveries: [sampleDelivery(delivery)],
  };
}

export function sampleQueued(changes: Partial<QueuedDelivery> = {}): QueuedDelivery {
  return {
    id: `${SAMPLE_IDS.message}.1`,
    messageId: SAMPLE_IDS.message,
    shortId: SAMPLE_IDS.shortId,
    to: "agent/api",
    from: "agent/architect",
    priority: "idle",
    state: "queued",
    queuedAt: TEN,
    preview: "hello",
    ...changes,
  };
}

export function sampleDraft(): ShownDraft {
  return {
    id: "0f8fad5b",
    sessionId: SAMPLE_IDS.session,
    agent: "api",
    text: "half a thought",
    exact: true,
    state: "left-to-person",
    keptAt: TEN,
  };
}

export function sampleSession(changes: Partial<ShownSession> = {}): ShownSession {
  return {
    sessionId: SAMPLE_IDS.session,
    agent: "api",
    readiness: "busy",
    paused: false,
    deliveries: [sampleQueued()],
    drafts: [],
    ...changes,
  };
}

export function sampleReminder(changes: Partial<ShownReminder> = {}): ShownReminder {
  return {
    id: "r4k9",
    to: "agent/api",
    sessionId: SAMPLE_IDS.session,
    text: "check on engineer",
    setBy: "agent/api",
    dueAt: TEN,
    createdAt: TEN - 300_000,
    fired: 0,
    ...changes,
  };
}

/** An office in which everything is in order: one agent, one message that waits. */
export function sampleAnswers(): Partial<UseCases> {
  const { message: messageId, shortId, session } = SAMPLE_IDS;
  const { receipts: _, ...delivery } = sampleDelivery();
  return {
    send: async () => ({
      messageId,
      shortId,
      unmatched: false,
      deliveries: [{ id: `${messageId}.1`, to: "agent/api", state: "queued" }],
    }),
    verdict: async () => sampleShow({ hold: SAMPLE_HOLD }),
    show: async () => sampleShow(),
    explain: async () => ({
      messageId,
      shortId,
      deliveries: [{ id: `${messageId}.1`, to: "agent/api", state: "queued", because: ["It is held."] }],
    }),
    session: async () => sampleSession(),
    history: async () => ({ entries: [{ message: sampleShow().message, delivery }] }),
    ls: async () => ({
      sessions: [
        {
          id: session,
          agent: "api",
          label: "work:0.0",
          program: "claude",
          terminal: { kind: "tmux", server: "/tmp/tmux", pane: "%0" },
          readiness: "idle",
          queued: 0,
          headline: "tidy the imports",
        },
      ],
    }),
    remind: async () => sampleReminder(),
    reminders: async () => ({ reminders: [sampleReminder({ everyMs: 60_000 })] }),
    reminder_cancel: async () => sampleReminder({ cron: "0 9 * * 1-5" }),
    hook_event: async () => ({}),
    peek: async () => ({ sessionId: session, screen: "> " }),
    pause: async ({ paused }) => ({ agent: "api", paused }),
    session_stop: async () => ({ sessionId: session, agent: "api", outcome: "stopped" }),
    restart: async () => ({ sessionId: session, agent: "api", terminal: { kind: "pty" } }),
    name: async ({ name: agent }) => ({ agent, sessionId: session }),
    attention_answer: async () => ({
      messageId,
      shortId,
      unmatched: false,
      deliveries: [{ id: `${messageId}.1`, to: `session/${session}`, state: "queued" }],
    }),
    unmatched_reroute: async () => ({ rerouted: 1, left: 0 }),
    spawn: async () => ({
      sessionId: session,
      agent: "login",
      terminal: { kind: "pty" },
      messageId,
      shortId,
    }),
    inbox: async () => ({
      who: "person/dev",
      entries: [{ message: sampleShow().message, delivery }],
    }),
    queue: async () => ({ deliveries: [sampleQueued({ hold: SAMPLE_HOLD })], drafts: [sampleDraft()] }),
    draft_show: async () => ({ drafts: [sampleDraft()] }),
    draft_restore: async () => ({ draft: sampleDraft() }),
    draft_discard: async () => ({ drafts: [sampleDraft()] }),
    timeline: async () => ({
      entries: [
        {
          ...sampleQueued({ hold: SAMPLE_HOLD, release: "withheld" }),
          number: 65_537,
          changedAt: TEN,
          characters: 5,
          source: "agent",
          re: "a1b2c3",
          bound: "implicit",
        },
      ],
      before: 65_537,
    }),
    queue_change: async () => ({
      deliveries: [{ id: `${messageId}.1`, to: "agent/api", state: "cancelled" }],
    }),
    status: async () => ({
      running: true,
      pid: 4711,
      version: "0.1.0",
      home: "/home/dev/.bellhop",
      socket: "/home/dev/.bellhop/run/bellhop.sock",
      http: { host: "127.0.0.1", port: 2355 },
      tokenFile: "/home/dev/.bellhop/token",
      sessions: 1,
      queued: 1,
      startedAt: TEN,
      warnings: [],
      trouble: [],
    }),
  };
}
