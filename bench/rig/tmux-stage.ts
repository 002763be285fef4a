import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../../src/ports/clock.ts";
import type { GateExpectation, Stroke, Terminal } from "../../src/ports/terminal.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { AttachTurn } from "../../src/terminals/tmux/control/attach-turn.ts";
import { type OpenLink, ServerLink } from "../../src/terminals/tmux/control/server-link.ts";
import { tmuxProgram } from "../../src/terminals/tmux/control/tmux-program.ts";
import { TmuxServer } from "../../src/terminals/tmux/server.ts";
import { gateCommands, readVerdict } from "../../src/terminals/tmux/typing/gate-step.ts";
import { planStrokes } from "../../src/terminals/tmux/typing/strokes.ts";
import { startTmuxServer, type TmuxServer as TmuxRig } from "../../tests/rig/tmux-server.ts";
import { EchoPane } from "./echo-pane.ts";

export const TEXT = "The quick brown fox. ".repeat(9).slice(0, 188);
export const STROKES: readonly Stroke[] = [
  { kind: "paste", text: TEXT, bracketed: false },
  { kind: "key", name: "Enter" },
];
export const BYTES = TEXT.length + 1;

/** An hour ahead, so that sessions that were just created do not count as recently typed in. */
const AHEAD_MS = 3_600_000;
const clock: Clock = {
  now: () => Date.now() + AHEAD_MS,
  monotonic: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};
const DEADLINE_MS = 20_000;

export interface Target {
  readonly echo: EchoPane;
  readonly terminal: Terminal;
  readonly expectation: GateExpectation;
  readonly windowId: string;
}

/** A private tmux server with echoing panes, and the ways to type into them. */
export class TmuxStage {
  readonly targets: readonly Target[];
  readonly #rig: TmuxRig;
  readonly #adapter: TmuxServer;
  readonly #link: ServerLink;
  readonly #open: OpenLink;
  #buffers = 0;
  #panes: number;

  private constructor(
    rig: TmuxRig,
    adapter: TmuxServer,
    link: ServerLink,
    open: OpenLink,
    targets: readonly Target[],
  ) {
    this.#rig = rig;
    this.#adapter = adapter;
    this.#link = link;
    this.#open = open;
    this.targets = targets;
    this.#panes = targets.length;
  }

  static async open(panes: number): Promise<TmuxStage> {
    const rig = startTmuxServer();
    const echoes: EchoPane[] = [];
    for (let index = 0; index < panes; index += 1) echoes.push(await EchoPane.open(rig, `echo-${index}`));
    const scratchFolder = join(rig.folder, "scratch");
    mkdirSync(scratchFolder, { mode: 0o700 });
    const program = tmuxProgram(process.env);
    const nonce = () => randomBytes(8).toString("hex");
    const adapter = new TmuxServer(rig.socket, {
      clock,
      processes: processesOn(process.platform),
      recognise: (tree) => {
        const process = tree.find(({ argv }) => argv.some((word) => word.endsWith("echo-program.mjs")));
        return process === undefined ? [] : [{ program: "echo", process }];
      },
      scratchFolder,
      nonce,
      program,
    });
    const turn = new AttachTurn(clock);
    const link = new ServerLink({
      program,
      socket: rig.socket,
      clock,
      turn,
      processes: processesOn(process.platform),
      nonce,
      onNotice: () => turn.noticed(),
      onEnded: () => {},
    });
    const targets = await findTargets(rig, adapter, echoes);
    const connected = await link.connect();
    if (connected.kind !== "open") throw new Error(`no connection to tmux: ${JSON.stringify(connected)}`);
    return new TmuxStage(rig, adapter, link, connected.link, targets);
  }

  /** Adds panes with a program that does nothing, until there are this many in total. */
  async growTo(panes: number): Promise<void> {
    // On a busy machine, hundreds of them do not end as soon as their server.
    this.#rig.expectDetached(/^cat\b/);
    while (this.#panes < panes) {
      const windows = Math.min(10, panes - this.#panes);
      const session = `idle-${this.#panes}`;
      const more = Array.from({ length: windows - 1 }, () => [";", "new-window", "-d", "-t", session, "cat"]);
      await this.#rig.run("new-session", "-d", "-s", session, "cat", ...more.flat());
      this.#panes += windows;
    }
  }

  /** The bare step: everything in one write on the connection, no check. */
  async inject({ echo }: Target): Promise<void> {
    this.#buffers += 1;
    const plan = planStrokes(STROKES, { pane: echo.pane, name: `bench-${this.#buffers}`, folder: "/" });
    const outcome = await this.#open.run([...plan.prepare, ...plan.type].join(" ; "), DEADLINE_MS);
    if (outcome.kind !== "answered" || !outcome.blocks.every(({ ok }) => ok)) {
      throw new Error(`tmux refused: ${JSON.stringify(outcome)}`);
    }
  }

  /** The same behind the final check, as a delivery does it. */
  async injectThroughGate({ terminal, expectation }: Target): Promise<void> {
    const outcome = await terminal.gate(expectation, STROKES);
    if (outcome.kind !== "sent") throw new Error(`the gate held: ${JSON.stringify(outcome)}`);
  }

  /** What the gate costs in tmux itself: the same commands, without asking the system about the process. */
  async injectThroughBareGate({ echo, expectation, windowId }: Target): Promise<void> {
    this.#buffers += 1;
    const plan = planStrokes(STROKES, { pane: echo.pane, name: `bench-${this.#buffers}`, folder: "/" });
    const place = { windowId, now: clock.now() };
    const outcome = await this.#open.run(gateCommands(echo.pane, expectation, place, plan), DEADLINE_MS);
    if (readVerdict(outcome, expectation, place, plan.prepare.length).kind !== "sent")
      throw new Error(`the gate held: ${JSON.stringify(outcome)}`);
  }

  /** What other tools do. */
  async injectByTwoSpawns({ echo }: Target): Promise<void> {
    await sendByTwoSpawns(this.#rig.socket, echo.pane);
  }

  async close(): Promise<void> {
    await this.#adapter.close();
    await this.#link.close();
    await Promise.all(this.targets.map(({ echo }) => echo.close()));
    await this.#rig.kill();
  }
}

/** Two processes per message. */
export async function sendByTwoSpawns(socket: string, pane: string): Promise<void> {
  const run = promisify(execFile);
  for (const keys of [["-l", TEXT], ["Enter"]])
    await run("tmux", ["-S", socket, "send-keys", "-t", pane, ...keys], { timeout: DEADLINE_MS });
}

async function findTargets(
  rig: TmuxRig,
  adapter: TmuxServer,
  echoes: readonly EchoPane[],
): Promise<readonly Target[]> {
  const scan = await adapter.scan();
  if (scan.kind !== "scanned") throw new Error(`no scan: ${JSON.stringify(scan)}`);
  return Promise.all(
    echoes.map(async (echo) => {
      const sighting = scan.sightings.find(({ identity }) => identity.pane === echo.pane);
      if (sighting === undefined) throw new Error(`${echo.pane} was not found`);
      const terminal = adapter.terminal(sighting.identity);
      const read = await terminal.read();
      if (read.kind !== "screen") throw new Error(`${echo.pane} cannot be read`);
      const { command, cursor, alternate } = read.screen;
      const expectation: GateExpectation = {
        panePid: sighting.identity.panePid,
        command,
        alternate,
        cursorHidden: true,
        cursor: { x: cursor.x, y: cursor.y },
        quietForMs: 2_000,
      };
      const windowId = (await rig.ask(echo.pane, "#{window_id}")).trim();
      return { echo, terminal, expectation, windowId };
    }),
  );
}
