import { assertNever, BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import { KEYBOARD_TAKEN, type Screen } from "../../core/readiness/screen.ts";
import type { Standing } from "../../core/readiness/standing.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { View, ViewEar } from "../../ports/screen-view.ts";
import type {
  AnnounceOutcome,
  GateExpectation,
  GateOutcome,
  GateRefusal,
  ScreenOutcome,
  Stroke,
  Terminal,
  TerminalIdentity,
  TerminalRef,
} from "../../ports/terminal.ts";
import { outcomeAfter, refusalOf } from "../in-front.ts";
import type { OpenLink, ServerLink } from "./control/server-link.ts";
import type { PaneChanges } from "./screen/pane-changes.ts";
import { readScreenReply, screenCommands } from "./screen/reply.ts";
import { type GatePlace, quietForMs } from "./typing/gate.ts";
import { gateCommands, readVerdict, UNAVAILABLE } from "./typing/gate-step.ts";
import { removeScratch, writeScratch } from "./typing/scratch-files.ts";
import { planStrokes, type StrokePlan } from "./typing/strokes.ts";
import type { Keyboards } from "./viewing/keyboards.ts";
import { openTmuxView } from "./viewing/view.ts";
import type { ViewClients } from "./viewing/view-clients.ts";
import { announceCommands, readAnnounced, readViewers, viewerCommands } from "./windows/announcement.ts";

interface TmuxTerminalOptions {
  readonly identity: TerminalIdentity;
  readonly link: Pick<ServerLink, "connect">;
  readonly processes: Pick<Processes, "alive" | "standing">;
  readonly clock: Clock;
  readonly changes: PaneChanges;
  readonly keyboards: Keyboards;
  readonly viewClients: ViewClients;
  /** Only we can access it (0700); holds a large paste while it is sent. */
  readonly scratchFolder: string;
  nonce(): string;
}

export const TERMINAL_DEADLINES = { readMs: 3_000, gateMs: 5_000, announceMs: 3_000 } as const;

type Presence =
  | { readonly kind: "here"; readonly link: OpenLink }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown"; readonly cause: string };

/** One program in one tmux pane. */
export class TmuxTerminal implements Terminal {
  readonly ref: TerminalRef;
  readonly #options: TmuxTerminalOptions;
  #windowId: string | undefined;

  constructor(options: TmuxTerminalOptions) {
    const { kind, server, pane } = options.identity;
    this.ref = { kind, server, pane };
    this.#options = options;
  }

  async read(above = 0): Promise<ScreenOutcome> {
    const first = await this.#readOnce(above);
    // The connection may have ended with the session it was attached to, while this pane lives on.
    const outcome = first === "lost" ? await this.#readOnce(above) : first;
    return outcome === "lost" ? { kind: "unreadable", cause: "the connection to tmux broke twice" } : outcome;
  }

  async #readOnce(above: number): Promise<ScreenOutcome | "lost"> {
    const presence = await this.#serverPresence();
    if (presence.kind === "gone") return presence;
    if (presence.kind === "unknown") return { kind: "unreadable", cause: presence.cause };
    const askedAt = this.#options.clock.now();
    const asked = presence.link.run(screenCommands(this.ref.pane, above), TERMINAL_DEADLINES.readMs);
    // While tmux answers.
    const away = await this.#awayAgent();
    if (away?.kind === "gone") return away;
    if (away !== undefined) return { kind: "unreadable", cause: away.cause };
    const outcome = await asked;
    switch (outcome.kind) {
      case "lost":
        return "lost";
      case "garbled":
      case "late":
      case "unsent":
        return { kind: "unreadable", cause: outcome.cause };
      case "answered": {
        const reply = readScreenReply(outcome.blocks, above);
        if (reply.kind === "malformed") return { kind: "unreadable", cause: reply.cause };
        if (reply.kind === "gone" || reply.panePid !== this.#options.identity.panePid)
          return { kind: "gone" };
        this.#windowId = reply.windowId;
        return {
          kind: "screen",
          screen: this.#withKeyboard(reply.screen),
          ...present({
            above: above > 0 ? reply.above : undefined,
            quietForMs: this.#quietForMs(quietForMs(askedAt, reply.activity)),
          }),
        };
      }
      default:
        return assertNever(outcome);
    }
  }

  #withKeyboard(screen: Screen): Screen {
    const isTaken = this.#options.keyboards.isTaken(this.ref.pane) && screen.mode === "";
    return isTaken ? { ...screen, mode: KEYBOARD_TAKEN } : screen;
  }

  #quietForMs(atTmux: number | undefined): number | undefined {
    return atTmux === undefined
      ? undefined
      : Math.min(atTmux, this.#options.keyboards.quietMs(this.ref.pane));
  }

  /** The keys of people who type here from elsewhere go through the same lock, so none comes between this and ours. */
  #typedFromElsewhere({ keyboard, quietForMs }: GateExpectation): GateOutcome | undefined {
    const { keyboards } = this.#options;
    if (keyboard !== "may-be-taken" && keyboards.isTaken(this.ref.pane))
      return { kind: "refused", because: ["attached"] };
    const isTyping = quietForMs !== undefined && keyboards.quietMs(this.ref.pane) < quietForMs;
    return isTyping ? { kind: "refused", because: ["typing"] } : undefined;
  }

  async gate(expectation: GateExpectation, strokes: readonly Stroke[]): Promise<GateOutcome> {
    const taken = this.#typedFromElsewhere(expectation);
    if (taken !== undefined) return taken;
    const { nonce, scratchFolder } = this.#options;
    const place = { pane: this.ref.pane, name: `bellhop-${nonce()}`, folder: scratchFolder };
    const plan = planStrokes(strokes, place);
    const presence = await this.#presence();
    if (presence.kind === "gone") return presence;
    // Nothing was typed, and nothing may be: what runs there is not known.
    if (presence.kind === "unknown") return UNAVAILABLE;
    await writeScratch(plan.files);
    try {
      return await this.#gateWith(presence.link, expectation, plan, strokes.length);
    } finally {
      await removeScratch(plan.files);
    }
  }

  async #gateWith(
    link: OpenLink,
    expectation: GateExpectation,
    plan: StrokePlan,
    strokes: number,
  ): Promise<GateOutcome> {
    // Limits how often we follow a pane that keeps moving between windows.
    for (let look = 0; look < 3; look += 1) {
      const windowId = this.#windowId ?? (await this.#askWindow(link));
      if (windowId === "gone") return { kind: "gone" };
      if (windowId === undefined) return UNAVAILABLE;
      const place: GatePlace = { windowId, now: this.#options.clock.now() };
      // tmux cannot check the foreground group within the step, so we check right before it and right after.
      const suspended = refusalOf(await this.#standing());
      if (suspended !== undefined) return suspended;
      const outcome = await link.run(
        gateCommands(this.ref.pane, expectation, place, plan),
        TERMINAL_DEADLINES.gateMs,
      );
      const verdict = readVerdict(outcome, expectation, place, plan.prepare.length);
      if (verdict.kind === "refused" && this.#isReplaced(expectation, verdict.because))
        return { kind: "gone" };
      if (verdict.kind !== "moved") {
        if (verdict.kind === "gone" || verdict.kind === "unknown") this.#dropBuffers(link, plan);
        return verdict.kind === "sent" ? outcomeAfter(verdict, await this.#standing(), strokes) : verdict;
      }
      this.#windowId = verdict.windowId;
    }
    return UNAVAILABLE;
  }

  #standing(): Promise<Standing> {
    const { identity, processes } = this.#options;
    return processes.standing(
      { pid: identity.agentPid, startedAt: identity.agentStartedAt },
      identity.panePid,
    );
  }

  onChange(listener: () => void): () => void {
    return this.#options.changes.subscribe(this.ref.pane, listener);
  }

  async announce(text: string): Promise<AnnounceOutcome> {
    const presence = await this.#presence();
    if (presence.kind !== "here") return presence;
    const { link } = presence;
    const { announceMs } = TERMINAL_DEADLINES;
    const viewers = readViewers(await link.run(viewerCommands(this.ref.pane), announceMs));
    if (viewers.kind !== "viewers") return viewers;
    const { clients } = viewers;
    if (clients.length === 0) return { kind: "shown", to: 0 };
    return readAnnounced(await link.run(announceCommands(clients, text), announceMs), clients);
  }

  async view(ear: ViewEar): Promise<View> {
    const presence = await this.#presence();
    if (presence.kind !== "here") throw notHere(presence);
    const { identity, viewClients, keyboards } = this.#options;
    const { panePid } = identity;
    return openTmuxView(
      {
        pane: this.ref.pane,
        panePid,
        clients: viewClients,
        keyboards,
        gate: (strokes) => this.gate({ panePid, keyboard: "may-be-taken" }, strokes),
      },
      ear,
    );
  }

  /** The pane lives, but the program found in it does not: the same answer as from `read`. */
  #isReplaced(expectation: GateExpectation, because: readonly GateRefusal[]): boolean {
    return because.includes("other-process") && expectation.panePid === this.#options.identity.panePid;
  }

  /** Whether the server, and the agent in it, are the same as when this terminal was found. */
  async #presence(): Promise<Presence> {
    const presence = await this.#serverPresence();
    return presence.kind === "here" ? ((await this.#awayAgent()) ?? presence) : presence;
  }

  async #serverPresence(): Promise<Presence> {
    const { identity, link } = this.#options;
    const connected = await link.connect();
    switch (connected.kind) {
      case "absent":
      case "empty":
        return { kind: "gone" };
      case "unavailable":
        return { kind: "unknown", cause: connected.cause };
      case "open":
        break;
      default:
        return assertNever(connected);
    }
    const { server } = connected.link;
    if (server.pid !== identity.serverPid || server.startedAt !== identity.serverStartedAt)
      return { kind: "gone" };
    return { kind: "here", link: connected.link };
  }

  /** Undefined if it is there. */
  async #awayAgent(): Promise<Exclude<Presence, { kind: "here" }> | undefined> {
    const { identity, processes } = this.#options;
    const agent = await processes.alive(identity.agentPid, identity.agentStartedAt);
    if (agent === "gone") return { kind: "gone" };
    if (agent === "unknown")
      return { kind: "unknown", cause: "the system does not say whether the agent lives" };
    return undefined;
  }

  /** Undefined if tmux gives no answer. For a pane that does not exist it answers with an empty line. */
  async #askWindow(link: OpenLink): Promise<string | "gone" | undefined> {
    const asked = await link.run(
      `display-message -p -t ${this.ref.pane} "#{window_id}"`,
      TERMINAL_DEADLINES.readMs,
    );
    const line = asked.kind === "answered" ? asked.blocks[0]?.lines.join("") : undefined;
    return line === "" ? "gone" : /^@\d+$/.exec(line ?? "")?.[0];
  }

  #dropBuffers(link: OpenLink, plan: StrokePlan): void {
    for (const buffer of plan.buffers) void link.run(`delete-buffer -b ${buffer}`, TERMINAL_DEADLINES.gateMs);
  }
}

function notHere(presence: Exclude<Presence, { kind: "here" }>): BellhopError {
  if (presence.kind === "gone") {
    return new BellhopError("terminal.gone", {
      message: "The program in this terminal has ended.",
      next: 'See who runs with "bellhop ls".',
    });
  }
  return new BellhopError("terminal.unreadable", {
    message: `This terminal cannot be looked at now: ${presence.cause}.`,
    next: "Try again.",
  });
}
