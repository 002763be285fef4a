/** Claude Code's own inbox: a socket that takes a message in any state, without touching the composer. */
import { lstat } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import type { HandoverOutcome, Inbox, InboxOffer, ProgramFacts } from "../../ports/program.ts";
import type { ProgramTools } from "../program.ts";
import { holdsMessages } from "./bypass.ts";

export const CLAUDE_SOCKET_LIMITS = {
  /** Not known to work with longer text. */
  textBytes: 1024 * 1024,
  handOverMs: 5_000,
  /** After the first thirty, it drops messages that come faster than about one in two seconds. */
  burst: 20,
  burstMs: 60_000,
} as const;

/** The first release whose inbox works as described here. */
const OLDEST_VERSION = "2.1.224";

/** Without `processes`, a window in bypass mode cannot be recognised. */
export type ClaudeSocketSetting = Pick<ProgramTools, "clock"> & Partial<ProgramTools>;

export function claudeSocket({ clock, processes }: ClaudeSocketSetting): Inbox {
  const sent = new Map<number, readonly number[]>();
  const recent = (pid: number): readonly number[] => {
    const since = clock.monotonic() - CLAUDE_SOCKET_LIMITS.burstMs;
    return (sent.get(pid) ?? []).filter((at) => at > since);
  };
  return {
    async offers(facts) {
      if (recent(facts.agentPid).length >= CLAUDE_SOCKET_LIMITS.burst) {
        return no("Claude Code would drop messages that come this fast");
      }
      const offer = await offerOf(facts);
      if (offer.kind === "not-offered" || processes === undefined) return offer;
      const holds = await holdsMessages(processes, facts.agentPid).catch(() => false);
      return holds
        ? no('in bypass mode Claude Code asks first, unless its setting "crossSessionInbound" is "accept"')
        : offer;
    },
    async handOver(facts, text, signal) {
      const offer = await offerOf(facts);
      if (offer.kind === "not-offered") return { kind: "refused", why: offer.why };
      const { inboxPath = "", inboxToken } = facts;
      if (Buffer.byteLength(text) > CLAUDE_SOCKET_LIMITS.textBytes) {
        return { kind: "refused", why: "the text is too long for Claude Code's inbox" };
      }
      const outcome = await write(inboxPath, linesFor(text, inboxToken), signal);
      if (outcome.kind !== "refused")
        sent.set(facts.agentPid, [...recent(facts.agentPid), clock.monotonic()]);
      return outcome;
    },
  };
}

async function offerOf({ inboxPath, version }: ProgramFacts): Promise<InboxOffer> {
  if (inboxPath === undefined) return no("this Claude Code offers no inbox");
  if (version !== undefined && isOlder(version)) {
    return no(`Claude Code ${version} is older than its inbox as Bellhop knows it`);
  }
  try {
    const stats = await lstat(inboxPath);
    if (!stats.isSocket()) return no("its inbox is not a socket");
    // What people write is sent to this socket, so it must be ours.
    if (stats.uid !== process.getuid?.()) return no("its inbox belongs to another user");
    return { kind: "offered" };
  } catch {
    return no("its inbox is gone");
  }
}

function isOlder(version: string): boolean {
  return version.localeCompare(OLDEST_VERSION, "en", { numeric: true }) < 0;
}

/** The token is ignored where the file's mode is the credential, and required elsewhere. */
function linesFor(text: string, token: string | undefined): string {
  const lines = [
    ...(token === undefined ? [] : [{ type: "auth", token }]),
    { type: "user", message: { role: "user", content: text } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** It never answers: a text counts as handed over once we have connected and written all of it. */
function write(path: string, lines: string, signal: AbortSignal): Promise<HandoverOutcome> {
  if (signal.aborted) return Promise.resolve({ kind: "refused", why: "it was cancelled" });
  return new Promise((resolve) => {
    let connected = false;
    const socket: Socket = createConnection(path);
    const stop = AbortSignal.any([signal, AbortSignal.timeout(CLAUDE_SOCKET_LIMITS.handOverMs)]);
    const settle = (outcome: HandoverOutcome) => {
      stop.removeEventListener("abort", giveUp);
      resolve(outcome);
    };
    const fail = (why: string) => settle(connected ? { kind: "unknown", why } : { kind: "refused", why });
    const giveUp = () => {
      fail("Claude Code's inbox did not take the message in time");
      socket.destroy();
    };
    stop.addEventListener("abort", giveUp, { once: true });
    socket.on("error", (error) =>
      fail(`Claude Code's inbox failed (${(error as NodeJS.ErrnoException).code})`),
    );
    socket.on("connect", () => {
      connected = true;
      socket.end(lines);
    });
    // It closes the connection once it has read everything.
    socket.on("close", (hadError) => {
      if (hadError) return;
      if (socket.writableFinished) settle({ kind: "handed-over" });
      else fail("Claude Code's inbox closed too early");
    });
    socket.resume();
  });
}

function no(why: string): InboxOffer {
  return { kind: "not-offered", why };
}
