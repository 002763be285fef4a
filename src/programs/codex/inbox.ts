/** Codex's own queue: its server stores a text for the conversation and runs it when the current turn has ended. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { HandoverOutcome, Inbox, InboxOffer } from "../../ports/program.ts";
import { type AppServer, AppServerError, greetAppServer } from "./server/app-server.ts";
import { startChildServer } from "./server/child-server.ts";
import type { ThreadDetail } from "./server/threads.ts";
import { type CodexWindow, type CodexWindows, withSharedServer } from "./server/windows.ts";

export const CODEX_QUEUE_LIMITS = {
  textBytes: 1024 * 1024,
  handOverMs: 5_000,
  /** Short, because the offer is requested at every decision. */
  offerMs: 2_000,
} as const;

export interface CodexQueueSetting {
  readonly clock: Pick<Clock, "monotonic">;
  readonly windows: Pick<CodexWindows, "find">;
  readonly newId?: () => string;
}

type Way = { readonly window: CodexWindow; readonly thread: ThreadDetail };

export function codexQueue({ clock, windows, newId = randomUUID }: CodexQueueSetting): Inbox {
  const offers = new Map<number, { readonly madeAt: number; readonly offer: InboxOffer }>();
  return {
    async offers({ agentPid }) {
      const known = offers.get(agentPid);
      if (known !== undefined && clock.monotonic() - known.madeAt < CODEX_QUEUE_LIMITS.offerMs)
        return known.offer;
      const way = await wayInto(windows, agentPid);
      const offer: InboxOffer =
        typeof way === "string" ? { kind: "not-offered", why: way } : { kind: "offered" };
      offers.set(agentPid, { madeAt: clock.monotonic(), offer });
      return offer;
    },
    async handOver({ agentPid }, text, signal) {
      if (Buffer.byteLength(text) > CODEX_QUEUE_LIMITS.textBytes)
        return refused("the text is too long for Codex's queue");
      const way = await wayInto(windows, agentPid);
      if (typeof way === "string") return refused(way);
      const stop = AbortSignal.any([signal, AbortSignal.timeout(CODEX_QUEUE_LIMITS.handOverMs)]);
      if (stop.aborted) return refused("it was cancelled");
      return handOver(way, { text, id: newId() }, stop);
    },
  };
}

/**
 * The only conversation of this window, or why there is no way in. With several, there is no telling which one is on
 * the screen, and a message to another would run where no person sees it.
 */
async function wayInto(windows: Pick<CodexWindows, "find">, agentPid: number): Promise<Way | string> {
  const window = await windows.find(agentPid).catch(() => undefined);
  const [thread, ...others] = window?.threads ?? [];
  if (window === undefined || thread === undefined)
    return "Codex does not say which conversation this window shows";
  if (others.length > 0) {
    return `this Codex window has ${others.length + 1} conversations open and does not say which one it shows`;
  }
  if (window.server.kind === "own") {
    if (thread.transcriptPath === undefined)
      return "this Codex window takes queued messages only after its first prompt";
    if (window.server.executable === undefined) return "the program file of this Codex window is not known";
  }
  return { window, thread };
}

async function handOver(
  { window, thread }: Way,
  { text, id }: { readonly text: string; readonly id: string },
  signal: AbortSignal,
): Promise<HandoverOutcome> {
  let asked = false;
  const add = async (server: AppServer): Promise<void> => {
    asked = true;
    const input = [{ type: "text", text, text_elements: [] }];
    const params = { threadId: thread.id, input, clientUserMessageId: id };
    const answer = await server.call("thread/queue/add", params);
    if (window.server.kind === "shared") await start(server, thread.id, answer);
  };
  try {
    if (window.server.kind === "shared") await withSharedServer(window.server.socket, signal, add);
    else await withOwnServer(window, signal, add);
    return { kind: "handed-over", acknowledged: true };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isLost = asked && !(error instanceof AppServerError && error.answer === "no");
    return isLost ? { kind: "unknown", why } : refused(why);
  }
}

/** After an interrupt Codex stops its queue; this restarts it for our text. While a turn runs it refuses, rightly. */
async function start(server: AppServer, threadId: string, answer: unknown): Promise<void> {
  const submission = (answer as { readonly queuedSubmission?: { readonly id?: unknown } } | null)
    ?.queuedSubmission;
  if (typeof submission?.id !== "string") return;
  await server
    .call("thread/queue/start", { threadId, queuedSubmissionId: submission.id })
    .catch(() => "it has been taken, or waits for the running turn");
}

/** A window without the shared server reads the queue from disk; any server of the same home can write to it. */
async function withOwnServer(
  window: CodexWindow,
  signal: AbortSignal,
  work: (server: AppServer) => Promise<void>,
): Promise<void> {
  if (window.server.kind !== "own" || window.server.executable === undefined) return;
  const environment = { PATH: "/usr/bin:/bin", CODEX_HOME: window.home };
  const link = startChildServer(window.server.executable, environment, signal);
  const server = await greetAppServer(link, signal);
  try {
    await work(server);
  } finally {
    server.close();
  }
}

function refused(why: string): HandoverOutcome {
  return { kind: "refused", why };
}
