/** The table of HTTP operations: the door serves it, `/openapi.json` describes it. */
import { z } from "zod";
import { LIMITS } from "../../core/message.ts";
import { ATTACHED_LIMITS } from "../../core/text/attached.ts";
import type { Verb } from "../verbs/index.ts";
import * as answers from "./answers.ts";
import { clusterAnswer, hostsAnswer } from "./cluster-answers.ts";
import { json } from "./fields.ts";
import * as requests from "./requests.ts";

export interface HttpOperation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** As OpenAPI writes it: `/sessions/{session_id}/send`. */
  readonly path: string;
  readonly summary: string;
  /** The verb that is called and whose answer is returned unchanged. Without one, the door has a handler for this. */
  readonly verb?: Verb;
  /** Additional fixed fields for the verb. */
  readonly always?: Readonly<Record<string, unknown>>;
  readonly parameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** It may be longer than other bodies. */
  readonly bodyBytes?: number;
  /** An absent body counts as an empty object. */
  readonly bodyMayBeAbsent?: true;
  readonly bodyExample?: object;
  /** Accepts the header Idempotency-Key. */
  readonly repeatable?: "by-key";
  /** Needs no token. */
  readonly open?: "to-all";
  /** Needs a token on the socket too: an agent that may run `curl` must not start or end programs with it. */
  readonly token?: "everywhere";
  /** One schema, alternatives, or no body. */
  readonly answers: Readonly<
    Record<number, { readonly schemas: readonly z.ZodType[]; readonly says: string }>
  >;
  /** In addition to the refusals that any request may get. */
  readonly refusals?: readonly number[];
}

const answer = (says: string, ...schemas: readonly z.ZodType[]) => ({ 200: { says, schemas } });

export const OPERATIONS = {
  send: {
    method: "POST",
    path: "/sessions/{session_id}/send",
    summary: "Leaves a message for a session or an agent. When it answers, the message is on disk.",
    parameters: requests.sessionPath,
    body: requests.sendBody,
    bodyBytes: LIMITS.requestBytes + Math.ceil(ATTACHED_LIMITS.bytes / 3) * 4,
    bodyExample: {
      text: "The login test fails on main.",
      delivery_mode: "sequential",
      timeout_seconds: 300,
      notify_on_delivery: true,
    },
    repeatable: "by-key",
    answers: answer(
      "Accepted. An urgent one is answered with its outcome.",
      answers.sentAnswer,
      answers.urgentAnswer,
    ),
    refusals: [404, 409, 413, 507],
  },
  sendQueue: {
    method: "GET",
    path: "/sessions/{session_id}/send-queue",
    summary: "What waits for a session, and why.",
    parameters: requests.sessionPath,
    answers: answer("What waits, in the order in which it goes out.", answers.sendQueueAnswer),
    refusals: [404, 409],
  },
  queue: {
    method: "GET",
    path: "/sessions/{session_id}/queue",
    summary:
      "What waits for an agent or a session, in delivery order, and the texts that are kept for its person.",
    verb: "queue",
    parameters: requests.sessionPath,
    token: "everywhere",
    answers: answer("What waits.", answers.queueAnswer),
    refusals: [404, 409],
  },
  drafts: {
    method: "GET",
    path: "/sessions/{session_id}/drafts",
    summary: "Texts of the person that Bellhop keeps.",
    verb: "draft_show",
    parameters: requests.sessionPath,
    token: "everywhere",
    answers: answer("Oldest first.", answers.draftsAnswer),
    refusals: [404, 409],
  },
  restoreDraft: {
    method: "POST",
    path: "/sessions/{session_id}/restore-draft",
    summary: "Puts the person's text back into an empty composer.",
    verb: "draft_restore",
    parameters: requests.sessionPath,
    token: "everywhere",
    answers: answer("It stands there again.", answers.draftAnswer),
    refusals: [404, 409, 410, 507],
  },
  discardDraft: {
    method: "DELETE",
    path: "/sessions/{session_id}/drafts/{draft_id}",
    summary: "Gives up a text that could not be put back.",
    verb: "draft_discard",
    parameters: requests.draftPath,
    token: "everywhere",
    answers: answer("What is gone.", answers.draftsAnswer),
    refusals: [404, 409, 507],
  },
  sessions: {
    method: "GET",
    path: "/sessions",
    summary: "Who is there.",
    answers: answer("Every live session.", answers.sessionsAnswer),
  },
  history: {
    method: "GET",
    path: "/sessions/{session_id}/history",
    summary: "What was sent to a session, newest first.",
    verb: "history",
    parameters: requests.sessionPath,
    query: requests.historyQuery,
    answers: answer("Messages with their deliveries.", answers.historyAnswer),
    refusals: [404, 409],
  },
  peek: {
    method: "GET",
    path: "/sessions/{session_id}/peek",
    summary: "What its terminal shows, or showed last.",
    verb: "peek",
    parameters: requests.sessionPath,
    query: requests.peekQuery,
    answers: answer("The screen as text.", answers.peekAnswer),
    refusals: [404, 409, 410],
  },
  pause: {
    method: "POST",
    path: "/sessions/{session_id}/pause",
    summary: "Delivers nothing but interrupts to an agent, or everything again.",
    parameters: requests.sessionPath,
    body: requests.pauseBody,
    bodyMayBeAbsent: true,
    bodyExample: { paused: true },
    answers: answer("As it is now.", answers.pauseAnswer),
    refusals: [404, 409, 507],
  },
  stop: {
    method: "POST",
    path: "/sessions/{session_id}/stop",
    summary: "Ends a program that Bellhop hosts: it is asked first, and then made to.",
    parameters: requests.sessionPath,
    body: requests.stopBody,
    bodyMayBeAbsent: true,
    bodyExample: { grace_seconds: 5 },
    token: "everywhere",
    answers: answer("Whether it has ended.", answers.stopAnswer),
    refusals: [404, 409, 410, 424, 507],
  },
  restart: {
    method: "POST",
    path: "/sessions/{session_id}/restart",
    summary: "Ends a program that Bellhop started, if it runs, and starts it again for the same agent.",
    parameters: requests.sessionPath,
    body: requests.restartBody,
    bodyMayBeAbsent: true,
    bodyExample: { resume: true },
    token: "everywhere",
    answers: answer("It runs.", answers.restartedAnswer),
    refusals: [404, 409, 410, 424, 507],
  },
  rename: {
    method: "POST",
    path: "/sessions/{session_id}/name",
    summary: "Calls an agent by another name; its mail comes along.",
    verb: "name",
    parameters: requests.sessionPath,
    body: requests.nameBody,
    bodyExample: { name: "reviewer" },
    token: "everywhere",
    answers: answer("As it is called now.", answers.namedAnswer),
    refusals: [404, 409, 410, 507],
  },
  spawn: {
    method: "POST",
    path: "/sessions",
    summary: "Starts an agent with a first message.",
    body: requests.spawnBody,
    bodyExample: { prompt: "implement the login", folder: "/home/dev/shop", name: "login" },
    token: "everywhere",
    answers: answer("It runs.", answers.startedAnswer),
    refusals: [404, 409, 410, 413, 424, 507],
  },
  inbox: {
    method: "GET",
    path: "/inbox",
    summary: "What waits for you or another. Only looks.",
    verb: "inbox",
    query: requests.inboxQuery,
    answers: answer("Messages with their deliveries.", answers.inboxAnswer),
    refusals: [404, 409],
  },
  take: {
    method: "POST",
    path: "/inbox/take",
    summary: "Takes what waits for you or another: nobody else gets it.",
    verb: "inbox",
    always: { take: true },
    body: requests.takeBody,
    bodyMayBeAbsent: true,
    bodyExample: { who: "reviewer", limit: 10 },
    answers: answer("Messages with their deliveries.", answers.inboxAnswer),
    refusals: [404, 409, 507],
  },
  cancel: {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Cancels a message that waits.",
    verb: "queue_change",
    always: { change: "cancel" },
    parameters: requests.messagePath,
    answers: answer("What became of it.", answers.cancelAnswer),
    refusals: [404, 409, 507],
  },
  changeQueue: {
    method: "POST",
    path: "/messages/{message_id}/queue",
    summary: "Changes what becomes of a message that waits, or when its turn comes.",
    verb: "queue_change",
    parameters: requests.messagePath,
    body: requests.queueBody,
    bodyExample: { change: "move", before: "a1b2c3" },
    token: "everywhere",
    answers: answer("As it stands now.", answers.cancelAnswer),
    refusals: [404, 409, 507],
  },
  message: {
    method: "GET",
    path: "/messages/{message_id}",
    summary: "A message and what became of it.",
    verb: "show",
    parameters: requests.messagePath,
    answers: answer("The message, its deliveries and their receipts.", answers.messageAnswer),
    refusals: [404, 409],
  },
  explain: {
    method: "GET",
    path: "/messages/{message_id}/explain",
    summary: "Why a message waits, or how it was delivered.",
    verb: "explain",
    parameters: requests.messagePath,
    answers: answer("Reasons in sentences.", answers.explainAnswer),
    refusals: [404, 409],
  },
  answerAttention: {
    method: "POST",
    path: "/attention/{attention_id}/answer",
    summary: "Answers a permission that is still asked for. The first answer counts, wherever it is given.",
    verb: "attention_answer",
    parameters: requests.attentionPath,
    body: requests.attentionBody,
    bodyExample: { answer: "approve" },
    token: "everywhere",
    answers: answer("It is on its way to the terminal.", answers.pressedAnswer),
    refusals: [404, 409, 507],
  },
  reroute: {
    method: "POST",
    path: "/unmatched/{message_id}/reroute",
    summary: "Delivers a dead letter, if it has a recipient now.",
    verb: "unmatched_reroute",
    parameters: requests.messagePath,
    body: requests.noFields,
    bodyMayBeAbsent: true,
    bodyExample: {},
    token: "everywhere",
    answers: answer("How many went out, and how many are left.", answers.reroutedAnswer),
    refusals: [404, 409, 507],
  },
  deadLetters: {
    method: "GET",
    path: "/unmatched",
    summary: "Messages that had no recipient, oldest first; if there are many, only the newest.",
    verb: "unmatched",
    query: requests.historyQuery,
    answers: answer("Each with its reason.", answers.deadLettersAnswer),
  },
  clearDeadLetters: {
    method: "DELETE",
    path: "/unmatched",
    summary: "Deletes all dead letters; their messages stay in the history.",
    verb: "unmatched_clear",
    token: "everywhere",
    answers: answer("How many there were.", answers.clearedAnswer),
    refusals: [507],
  },
  rerouteAll: {
    method: "POST",
    path: "/unmatched/reroute",
    summary: "Delivers the dead letters that have a recipient now; those that a loop made stay.",
    verb: "unmatched_reroute",
    body: requests.noFields,
    bodyMayBeAbsent: true,
    bodyExample: {},
    token: "everywhere",
    answers: answer("How many went out, and how many are left.", answers.reroutedAnswer),
    refusals: [507],
  },
  subscriptions: {
    method: "GET",
    path: "/subscriptions",
    summary: "Who is subscribed to which paths, page by page; and, with the first page, who listens now.",
    verb: "sub_all",
    query: requests.subscriptionsQuery,
    answers: answer("One page.", answers.subscriptionsAnswer),
  },
  tryRoute: {
    method: "GET",
    path: "/routes/try",
    summary: "Who would get a message to a path, and why. Nothing is sent.",
    verb: "route_try",
    query: requests.tryQuery,
    answers: answer("Its recipients, or why it has none.", answers.triedAnswer),
    refusals: [404, 409],
  },
  traffic: {
    method: "GET",
    path: "/traffic",
    summary: "Who wrote to whom, and how often.",
    verb: "traffic",
    query: requests.trafficQuery,
    answers: answer("Counts by pair, the busiest first.", answers.trafficAnswer),
  },
  remind: {
    method: "POST",
    path: "/scheduler/remind",
    summary: "Says something to a session later, once or again and again.",
    body: requests.remindBody,
    bodyExample: { session_id: "08bc57cf", delay_seconds: 300, message: "check on engineer" },
    answers: answer("Scheduled.", answers.remindAnswer),
    repeatable: "by-key",
    refusals: [404, 409, 413, 507],
  },
  reminders: {
    method: "GET",
    path: "/scheduler/reminders",
    summary: "Every reminder that is still to come.",
    verb: "reminders",
    answers: answer("The next one first.", answers.remindersAnswer),
  },
  cancelReminder: {
    method: "DELETE",
    path: "/scheduler/reminders/{reminder_id}",
    summary: "Cancels a reminder.",
    verb: "reminder_cancel",
    parameters: requests.reminderPath,
    answers: answer("As it stood.", answers.reminder),
    refusals: [404, 409, 507],
  },
  turns: {
    method: "GET",
    path: "/turns",
    summary:
      "Automatic turns: open ones first, then the newest; what they may spend, and what waits for them.",
    verb: "turns",
    query: requests.turnsQuery,
    answers: answer("How they stand.", answers.turnsAnswer),
    refusals: [404, 409],
  },
  switchTurns: {
    method: "PUT",
    path: "/turns/switch",
    summary: "Stops all automatic turns, also those that run, or lets them start again.",
    verb: "turns_switch",
    body: requests.switchBody,
    bodyExample: { on: false },
    token: "everywhere",
    answers: answer("As it is now.", answers.switchAnswer),
    refusals: [507],
  },
  turn: {
    method: "GET",
    path: "/turns/{turn_id}",
    summary: "One automatic turn, with its answer and its cost.",
    verb: "turn_show",
    parameters: requests.turnPath,
    answers: answer("The turn.", answers.turn),
    refusals: [404, 409],
  },
  triggerTurn: {
    method: "POST",
    path: "/agents/{agent}/turns",
    summary: "Starts a turn of an agent, without triage, once its session is free.",
    verb: "turn_trigger",
    parameters: requests.agentPath,
    body: requests.triggerBody,
    bodyMayBeAbsent: true,
    bodyExample: { session: "main", messages: ["Look at the new issues."] },
    token: "everywhere",
    answers: answer("It runs, or is the next to run.", answers.triggeredAnswer),
    refusals: [404, 409, 413, 507],
  },
  autoRun: {
    method: "GET",
    path: "/agents/{agent}/auto-run",
    summary: "How an agent's automatic turns go, and who said so.",
    verb: "auto_run_show",
    parameters: requests.agentPath,
    query: requests.autoRunQuery,
    answers: answer("What counts.", answers.autoRunAnswer),
    refusals: [404, 409],
  },
  setAutoRun: {
    method: "PUT",
    path: "/agents/{agent}/auto-run",
    summary: "Says how an agent's automatic turns go; what was said before and is not named stays.",
    parameters: requests.agentPath,
    query: requests.autoRunQuery,
    body: requests.autoRunBody,
    bodyExample: { auto_run: { enabled: true, role: "You look after the shop.", turns_per_day: 20 } },
    token: "everywhere",
    answers: answer("What counts now.", answers.autoRunAnswer),
    refusals: [404, 409, 507],
  },
  timeline: {
    method: "GET",
    path: "/agents/{agent}/timeline",
    summary: "What came to an agent and from it: the newest page.",
    verb: "timeline",
    parameters: requests.agentPath,
    query: requests.timelineQuery,
    answers: answer("One page.", answers.timelineAnswer),
    refusals: [404, 409],
  },
  conversation: {
    method: "GET",
    path: "/agents/{agent}/conversation",
    summary: "What an agent's automatic turns were asked and answered: the newest page.",
    verb: "conversation",
    parameters: requests.agentPath,
    query: requests.conversationQuery,
    answers: answer("One page.", answers.conversationAnswer),
    refusals: [404, 409],
  },
  logins: {
    method: "GET",
    path: "/web/sessions",
    summary: "The browsers that are logged in to the dashboard.",
    token: "everywhere",
    answers: answer("The one used last first.", answers.loginsAnswer),
  },
  logOut: {
    method: "POST",
    path: "/web/sessions/{login_id}/revoke",
    summary: "Logs a browser out. It is disconnected at once, and gets no more notifications.",
    verb: "web_revoke",
    parameters: requests.loginPath,
    token: "everywhere",
    answers: answer("It is logged out.", answers.revokedAnswer),
    refusals: [404, 507],
  },
  notifications: {
    method: "GET",
    path: "/web/push",
    summary: "The notifications of the browser that asks.",
    token: "everywhere",
    answers: answer("Whether and how it gets them.", answers.pushAnswer),
    refusals: [409],
  },
  notify: {
    method: "PUT",
    path: "/web/push",
    summary: "The browser that asks wants notifications, by its own push service.",
    body: requests.pushBody,
    bodyExample: {
      endpoint: "https://fcm.googleapis.com/fcm/send/abc",
      public_key: "B".repeat(87),
      secret: "s".repeat(22),
    },
    token: "everywhere",
    answers: answer("It gets them.", answers.subscribedAnswer),
    refusals: [404, 409, 507],
  },
  stopNotifying: {
    method: "DELETE",
    path: "/web/push",
    summary: "The browser that asks wants no more notifications.",
    token: "everywhere",
    answers: answer("It gets none.", answers.subscribedAnswer),
    refusals: [507],
  },
  setQuietHours: {
    method: "PUT",
    path: "/web/quiet",
    summary: "Sets your quiet hours in config.yaml, for all your channels.",
    verb: "quiet_set",
    body: requests.quietBody,
    bodyExample: { hours: "22:00-07:00", except: ["permission"] },
    token: "everywhere",
    answers: answer("As they are now.", answers.quietAnswer),
    refusals: [409, 507],
  },
  testNotifications: {
    method: "POST",
    path: "/web/push/test",
    summary: "Sends the browser that asks a notification now.",
    token: "everywhere",
    answers: answer("What its push service said.", answers.pushTestAnswer),
    refusals: [409],
  },
  hook: {
    method: "POST",
    path: "/hooks/{event}",
    summary: "A program reports a turn.",
    parameters: requests.hookPath,
    body: requests.hookBody,
    bodyExample: { program: "my-agent", payload: {}, environment: { TMUX_PANE: "%1" } },
    answers: {
      ...answer("What the hook is to print for its program, or the code with which it takes a text.", json),
      204: { says: "Nothing to print.", schemas: [] },
    },
    refusals: [413, 507],
  },
  takeHookAnswer: {
    method: "POST",
    path: "/hook-answers/{code}",
    summary: "A hook takes the text that waits for its program. Only a process of that program gets it.",
    parameters: requests.hookTakePath,
    body: requests.hookTakeBody,
    bodyExample: { pid: 4711 },
    answers: {
      ...answer("What the hook is to print for its program.", json),
      204: { says: "Nothing to print.", schemas: [] },
    },
    refusals: [507],
  },
  status: {
    method: "GET",
    path: "/status",
    summary: "The daemon itself.",
    verb: "status",
    answers: answer("How it stands.", answers.statusAnswer),
  },
  cluster: {
    method: "GET",
    path: "/cluster",
    summary: "This host among others: its key, whether NATS can be reached, what goes to each host.",
    verb: "cluster_status",
    answers: answer("How it stands.", clusterAnswer),
  },
  hosts: {
    method: "GET",
    path: "/cluster/hosts",
    summary: "The hosts of the cluster, and the agents on each, as they last said.",
    verb: "cluster_hosts",
    answers: answer("None if this host is in no cluster.", hostsAnswer),
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    summary: "This description.",
    answers: answer("OpenAPI 3.1.", answers.openapiAnswer),
  },
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Whether anybody is there; says nothing else.",
    open: "to-all",
    // Monitors often add a parameter that defeats caches.
    query: z.looseObject({}),
    answers: answer("Well.", answers.healthAnswer),
  },
} as const satisfies Readonly<Record<string, HttpOperation>>;

export type OperationName = keyof typeof OPERATIONS;
/** Operations that are more than a verb. */
export type HandledName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends { readonly verb: Verb } ? never : Name;
}[OperationName];

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>;
type Part<Operation, Key extends string> = Operation extends { readonly [K in Key]: infer Schema }
  ? Output<Schema>
  : Record<never, never>;

/** A request that has passed its schemas. */
export interface InputOf<Name extends OperationName> {
  readonly parameters: Part<(typeof OPERATIONS)[Name], "parameters">;
  readonly query: Part<(typeof OPERATIONS)[Name], "query">;
  readonly body: Part<(typeof OPERATIONS)[Name], "body">;
  readonly idempotencyKey: string | undefined;
}
