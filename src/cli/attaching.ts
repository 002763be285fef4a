/** Attaches to a hosted terminal. The code for that is loaded only here. */
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { AttachEnd } from "../attach/attach.ts";
import { assertNever, BellhopError, EXIT } from "../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import { refuseInsideItself, windowOf } from "./arguments/window.ts";
import { usage } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { signalName } from "./printing/endings.ts";
import type { Output } from "./printing/output.ts";

/** `prefixName`: the key that begins our own commands. */
export async function attachTo(
  context: CommandContext,
  who: string,
  may: "watch" | "type",
  prefixName = "C-\\",
): Promise<number> {
  const prefix = prefixKey(prefixName);
  requireWindow(context, who);
  const session = await context.ask("attach", { who });
  refuseInsideItself(context, session);
  // A separate bundle: the screen model takes longer to load than any other command.
  const bundle = pathToFileURL(join(dirname(context.daemonEntry), "attach.mjs")).href;
  const { attach } = (await import(bundle)) as typeof import("../attach/attach.ts");
  const end = await attach({
    session,
    daemonSocket: context.home().socket,
    user: context.claims().user,
    may,
    prefix,
    input: process.stdin,
    output: process.stdout,
    now: () => performance.now(),
    pause: async (ms) => {
      await pause(ms, undefined, { ref: false });
    },
    newKey: randomUUID,
  });
  return leave(context, session, end);
}

function requireWindow(context: CommandContext, who: string): void {
  const window = windowOf(context);
  switch (window) {
    case "whole":
      return;
    case "lines-only":
      throw usage(
        `Bellhop cannot draw in a terminal of this kind (TERM is ${context.env.TERM ? `"${sanitiseLine(context.env.TERM)}"` : "not set"}).`,
        `Set TERM to the kind of your terminal, or use "bellhop peek ${sanitiseLine(who)} --follow" and "bellhop send ${sanitiseLine(who)}".`,
      );
    case "none":
      throw usage(
        "To attach, standard input and output must be a terminal.",
        `Run it in a terminal, without a pipe. In a script, "bellhop peek ${sanitiseLine(who)}" prints the screen.`,
      );
    default:
      assertNever(window);
  }
}

function leave(
  { out }: CommandContext,
  { agent, sessionId }: { readonly agent: string; readonly sessionId: string },
  end: AttachEnd,
): number {
  if (end.kind === "failed" && out.json) throw new BellhopError(end.error.code, end.error);
  if (out.json) out.value({ agent, sessionId, ...end });
  else tellEnd(out, agent, end);
  switch (end.kind) {
    case "detached":
    case "ended":
      return EXIT.ok;
    case "signalled":
      return 128 + (constants.signals[end.signal] ?? 0);
    case "failed":
      throw new BellhopError(end.error.code, end.error);
    default:
      return assertNever(end);
  }
}

function tellEnd(out: Output, agent: string, end: AttachEnd): void {
  if (end.kind === "detached")
    out.line(`Detached; "${agent}" keeps running. To come back: bellhop attach ${agent}`);
  if (end.kind === "ended") {
    for (const line of end.lastScreen) out.line(sanitiseText(line));
    out.line(`"${agent}" ended${howEnded(end.exit)}.`);
  }
  for (const text of end.unsent) out.note(`Not sent: ${sanitiseText(text)}`);
}

function howEnded({
  code,
  signal,
}: {
  readonly code: number | null;
  readonly signal: number | null;
}): string {
  if (signal === null) return code === null ? "" : ` with exit status ${code}`;
  return ` by ${signalName(signal)}`;
}

/** The control keys for Tab, Enter and Escape, which people type all the time. */
const TAKEN = ["i", "j", "m", "["];

function prefixKey(name: string): { readonly byte: number; readonly name: string } {
  const [, letter = ""] = /^C-([a-z\\\]^_[])$/i.exec(name) ?? [];
  if (letter === "" || TAKEN.includes(letter.toLowerCase())) {
    throw usage(
      `"${name}" cannot be the prefix key.`,
      "Choose Ctrl and a key that you do not need otherwise, such as C-b, C-] or C-\\.",
    );
  }
  return { byte: letter.toUpperCase().charCodeAt(0) & 0x1f, name: `C-${letter.toLowerCase()}` };
}
