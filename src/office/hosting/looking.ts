/** What terminals show, and what ended ones showed last. Every door asks it; read-only. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { describeReading } from "../../core/readiness/described.ts";
import { programShown } from "../../core/session.ts";
import { hasRun } from "../../core/successor.ts";
import type { HostFacts, Hosts } from "../../ports/hosts.ts";
import type { StoredSession } from "../../ports/store.ts";
import { ansiLine, withoutColours } from "../../screens/ansi.ts";
import type { ListedSession, ListedTerminal, ShownEnding } from "../../wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { Registrar } from "../arrivals/registrar.ts";
import { pause, within } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";

/** How long an ended session is listed. */
const LISTED_FOR_MS = 24 * 3_600_000;
const USUAL_UTTERANCES = 20;
const MOST_LOOKS = 10;
const LOOK_AGAIN_MS = 100;
/** Someone waits for the complete answer. */
const LOOK_WITHIN_MS = 3_000;

export interface LookingParts extends Ground {
  readonly registrar: Registrar;
  readonly hosts: Hosts;
}

export class Looking {
  readonly #parts: LookingParts;

  constructor(parts: LookingParts) {
    this.#parts = parts;
  }

  async peek(request: RequestOf<"peek">): Promise<ResponseOf<"peek">> {
    const { directory, registrar, context } = this.#parts;
    const address = directory.resolve(request.who);
    const until = context.clock.monotonic() + LOOK_WITHIN_MS;
    let heard: string | undefined;
    for (let look = 1; ; look += 1) {
      const live = directory.takerOfMailbox(address);
      const leftMs = Math.max(0, until - context.clock.monotonic());
      const shown =
        live === undefined
          ? UNSEEN
          : await within(context.clock, leftMs, screenOf(live, request), "late" as const);
      if (shown !== "late" && !("why" in shown)) return shown;
      if (live !== undefined && shown !== "late") heard = shown.why;
      // It may have started or ended a moment ago; a host that sees its program end records that first.
      await registrar.scan();
      const still = directory.takerOfMailbox(address);
      if (still === undefined) return this.#lastScreen(address, request);
      const isLast = still.identity.kind !== "pty" || look === MOST_LOOKS || shown === "late";
      if (live !== undefined && isLast) throw unreadable(still, heard ?? silence(still));
      if (live !== undefined) await pause(context.clock, LOOK_AGAIN_MS);
    }
  }

  async capture({ who }: RequestOf<"capture">): Promise<ResponseOf<"capture">> {
    const live = this.#parts.directory.takerOfMailbox(this.#parts.directory.resolve(who));
    if (live === undefined) throw notRunning(who);
    const { screen, reading } = await live.observe();
    if (screen === undefined)
      throw unreadable(live, reading.kind === "unknown" ? reading.why : silence(live));
    const { columns, rows, cursor, alternate, title, command, mode, lines } = screen;
    return {
      sessionId: live.record.id,
      program: live.record.program,
      ...present({ version: live.record.version }),
      reading: describeReading(reading),
      ...{ columns, rows, cursor, alternate, title, command, mode },
      lines: lines.map(ansiLine),
    };
  }

  /** The last to end first. */
  async ended(): Promise<readonly ListedSession[]> {
    const { context, directory } = this.#parts;
    const { read } = context.store;
    const past = read
      .sessions({ exitedSince: context.clock.now() - LISTED_FOR_MS })
      .filter(({ id, exitedAt }) => exitedAt !== undefined && directory.get(id) === undefined)
      .filter(hasRun)
      .toReversed();
    const newest = new Set(new Map(past.toReversed().map(({ agent, id }) => [agent, id])).values());
    return Promise.all(
      past.map(async (session): Promise<ListedSession> => {
        const { id, agent, role } = session;
        const owns = newest.has(id) && directory.takerOf(agent) === undefined;
        const mailboxes = [sessionAddress(id), ...(owns ? [agentAddress(agent)] : [])];
        return {
          id,
          agent,
          label: session.label,
          program: programShown(session),
          terminal: terminalOf(session),
          readiness: "exited",
          queued: read.countQueued(mailboxes),
          headline: directory.headlineOf(session),
          ...present({ role }),
          ending: endingOf(session, await this.#facts(session)),
        };
      }),
    );
  }

  /** What was said, from the program's own session file: a full-screen program leaves no scrollback. */
  async transcript({
    who,
    last = USUAL_UTTERANCES,
  }: RequestOf<"transcript">): Promise<ResponseOf<"transcript">> {
    const { directory, context } = this.#parts;
    const address = directory.resolve(who);
    const live = directory.takerOfMailbox(address);
    const session = live?.record ?? this.#lastOf(address);
    if (session === undefined) throw notRunning(who);
    const { id, agent, program } = session;
    const path = live?.facts.transcriptPath ?? session.transcriptPath;
    const reading = await context.transcripts.conversation(program, path, last);
    if (reading.kind === "unreadable") throw untold(session, reading.why);
    const { file, utterances, more } = reading;
    return { sessionId: id, agent, program, file, entries: utterances, more };
  }

  async #lastScreen(address: Address, { who, ansi, lines = 0 }: RequestOf<"peek">) {
    const session = this.#lastOf(address);
    if (session === undefined) throw notRunning(who);
    const facts = await this.#facts(session);
    const ending = endingOf(session, facts);
    const { lastScreen, lastLines } = facts ?? {};
    if (lastScreen === undefined) throw nothingKept(session, ending);
    const rows = lastScreen.split("\n").length;
    const screen =
      lastLines === undefined || (lines === 0 && ansi !== true)
        ? lastScreen
        : joined(lastLines, ansi, lines === 0 ? rows : lines);
    return { sessionId: session.id, screen, ending };
  }

  async #facts({ id, command }: StoredSession): Promise<HostFacts | undefined> {
    return command === undefined ? undefined : this.#parts.hosts.facts(id);
  }

  #lastOf(address: Address): StoredSession | undefined {
    const { read } = this.#parts.context.store;
    const { kind, rest } = splitAddress(address);
    const all = kind === "session" ? [read.session(rest)] : kind === "agent" ? read.sessionsOf(rest) : [];
    return all
      .filter((session) => session !== undefined)
      .filter(hasRun)
      .toSorted((a, b) => (b.exitedAt ?? 0) - (a.exitedAt ?? 0))[0];
  }
}

interface Unread {
  readonly why: string;
}

const UNSEEN: Unread = { why: "it was not seen" };

async function screenOf(
  session: LiveSession,
  { ansi, lines = 0 }: RequestOf<"peek">,
): Promise<ResponseOf<"peek"> | Unread> {
  const { screen, above, why } = await seen(session, lines);
  if (screen === undefined) return { why };
  const shown = screen.lines.slice(0, screen.lines.findLastIndex(({ text }) => text.trim() !== "") + 1);
  return { sessionId: session.record.id, screen: joined([...above, ...shown.map(ansiLine)], ansi, lines) };
}

async function seen(session: LiveSession, lines: number) {
  if (lines === 0) {
    const { screen, reading } = await session.observe();
    return { screen, above: [], why: reading.kind === "unknown" ? reading.why : "" };
  }
  const outcome = await session.terminal.read(lines);
  if (outcome.kind === "screen") return { screen: outcome.screen, above: outcome.above ?? [], why: "" };
  return {
    screen: undefined,
    above: [],
    why: outcome.kind === "gone" ? "its terminal is gone" : outcome.cause,
  };
}

/** How it ended is known only if its host recorded it. */
export function endingOf({ exitedAt = 0 }: StoredSession, facts: HostFacts | undefined): ShownEnding {
  if (facts?.state === "lost") return { how: "lost", at: exitedAt };
  const exit = facts?.exit;
  if (exit === undefined) return { how: "unknown", at: exitedAt };
  if (exit.signal !== null) return { how: "killed", signal: exit.signal, at: exit.at };
  return { how: "exited", ...(exit.code === null ? {} : { code: exit.code }), at: exit.at };
}

/** It may have ended before it was ever seen. */
function terminalOf({ identity, command }: StoredSession): ListedTerminal | null {
  if (command !== undefined) return { kind: "pty" };
  return identity === undefined ? null : { kind: identity.kind };
}

function joined(lines: readonly string[], ansi: boolean | undefined, most: number): string {
  const kept = most === 0 ? lines : lines.slice(-most);
  const text = kept.join("\n");
  return ansi === true
    ? text
    : withoutColours(text)
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n");
}

function silence({ identity }: LiveSession): string {
  return identity.kind === "pty" ? "its host does not answer" : "tmux does not answer";
}

function unreadable(session: LiveSession, why: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `The screen of "${session.record.agent}" cannot be read now: ${why}.`,
    next: whatHelps(session),
  });
}

function whatHelps({ identity, suspension, record: { agent } }: LiveSession): string {
  const hosted = identity.kind === "pty";
  if (suspension !== undefined)
    return hosted
      ? `Sit at its terminal with "bellhop attach ${agent}", and bring it back with fg.`
      : "Go to its terminal, and bring it back with fg.";
  return hosted
    ? `Try again. If that does not help, restart it with "bellhop restart ${agent}" or stop it with "bellhop stop ${agent}".`
    : "Try again, or look at the terminal.";
}

function notRunning(who: string): BellhopError {
  return new BellhopError("session.exited", {
    message: `No program runs for "${who}", and none has run.`,
    next: `Start one with "bellhop run --name ${who} -- PROGRAM", or see who is there with "bellhop ls".`,
  });
}

function untold({ agent }: StoredSession, why: string): BellhopError {
  return new BellhopError("conversation.unknown", {
    message: `The conversation of "${agent}" cannot be read: ${why}.`,
    next: `See what its terminal shows: bellhop peek ${agent} --lines 200`,
  });
}

function nothingKept({ agent, command, window }: StoredSession, { how }: ShownEnding): BellhopError {
  const ours = (command ?? window) !== undefined;
  return new BellhopError("session.exited", {
    message:
      how === "lost"
        ? `"${agent}" is lost: its host was killed, and its last screen with it.`
        : `"${agent}" has ended, and nothing of its screen was kept.`,
    next: ours
      ? `Start it again with "bellhop restart ${agent}".`
      : 'Only terminals of Bellhop\'s own keep it ("bellhop run"). See who runs with "bellhop ls".',
  });
}
