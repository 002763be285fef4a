/**
 * OpenCode's way in: our plugin in the window hands a text to OpenCode's own server, as its `prompt_async`, for the
 * conversation that the window shows at that moment. A busy OpenCode reads it with its next step.
 */
import type { HandoverOutcome, Inbox } from "../../ports/program.ts";
import { askWindow, LinkError } from "./window/link.ts";
import type { OpencodeWindows } from "./window/windows.ts";

export const OPENCODE_INBOX_LIMITS = { textBytes: 1024 * 1024, handOverMs: 10_000 } as const;

const NO_PLUGIN = 'this OpenCode runs without Bellhop\'s plugin ("bellhop hooks install opencode")';

export function opencodeInbox(windows: Pick<OpencodeWindows, "socketOf" | "state">): Inbox {
  return {
    async offers({ agentPid }) {
      const state = await windows.state(agentPid).catch((error: unknown) => ({ closed: wordsOf(error) }));
      if (state === undefined) return { kind: "not-offered", why: NO_PLUGIN };
      return state.closed === undefined ? { kind: "offered" } : { kind: "not-offered", why: state.closed };
    },
    async handOver({ agentPid, programSessionId }, text, signal) {
      if (Buffer.byteLength(text) > OPENCODE_INBOX_LIMITS.textBytes)
        return refused("the text is too long for OpenCode");
      const socket = await windows.socketOf(agentPid).catch(() => undefined);
      if (socket === undefined) return refused(NO_PLUGIN);
      const stop = AbortSignal.any([signal, AbortSignal.timeout(OPENCODE_INBOX_LIMITS.handOverMs)]);
      try {
        const answer = await askWindow(socket, { prompt: text, conversation: programSessionId }, stop);
        if (typeof answer.taken === "string") return { kind: "handed-over", acknowledged: true };
        return typeof answer.refused === "string"
          ? refused(answer.refused)
          : { kind: "unknown", why: "its answer makes no sense" };
      } catch (error) {
        const isUnsent = error instanceof LinkError && error.question === "unsent";
        return isUnsent ? refused(error.message) : { kind: "unknown", why: wordsOf(error) };
      }
    },
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refused(why: string): HandoverOutcome {
  return { kind: "refused", why };
}
