/** The whole office with a real store in memory, a fake clock and scripted programs, driven as a door would. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Delivery, DeliveryState } from "../../src/core/message.ts";
import type { Step } from "../../src/office/base/steps.ts";
import type { Office } from "../../src/office/office.ts";
import type { ClusterSetting } from "../../src/office/verbs/parts.ts";
import type { Classifier } from "../../src/ports/classifier.ts";
import type { Desktop } from "../../src/ports/desktop.ts";
import type { Hosts } from "../../src/ports/hosts.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Processes } from "../../src/ports/processes.ts";
import type { HandoverOutcome, HookEvent, InboxOffer } from "../../src/ports/program.ts";
import type { PushSender } from "../../src/ports/push-sender.ts";
import type { Settings } from "../../src/ports/settings.ts";
import type { KeptDraft, Store } from "../../src/ports/store.ts";
import type { Attended, ScanOutcome, TellingHow } from "../../src/ports/terminal.ts";
import type { ConversationReading, TranscriptFinding } from "../../src/ports/transcript.ts";
import type { HookEventResponse } from "../../src/wire/shapes/daemon.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { type DeskAgent, type DeskAgentOptions, seated } from "./agent.ts";
import { askedBy } from "./asked-by.ts";
import { FakeClock, OpenWork } from "./clock.ts";
import { composedOffice } from "./composed-office.ts";
import { emptyStore } from "./empty-store.ts";
import { countingIds } from "./ids.ts";
import { type Disk, Life } from "./life.ts";
import { OUTSIDE } from "./outside.ts";
import { DeskRunner } from "./runner.ts";
import { AS_SHIPPED } from "./settings.ts";

/** Long enough for a silent screen to count as idle. */
const UNTIL_IDLE_MS = 3_000;

export type HookTold = Partial<Omit<HookEvent, "program" | "name">> & { readonly name?: string };

/** What desks in one test may have in common, and what tells them apart. */
export interface Surroundings {
  readonly work: OpenWork;
  readonly clock: FakeClock;
  /** Two hexadecimal digits. */
  readonly tag: string;
}

export class Desk {
  readonly work: OpenWork;
  readonly clock: FakeClock;
  /** How far its clock on the wall is ahead of that of other desks. */
  skewMs = 0;
  readonly store: Store;
  readonly disk: Disk = { state: "works", refuses: undefined, disallowed: [] };
  readonly agents: DeskAgent[] = [];
  /** Programs that go on without a terminal. */
  readonly lingering: DeskAgent[] = [];
  scan: ScanOutcome["kind"] = "scanned";
  /** How long its server takes to list its terminals. */
  listingTakesMs = 0;
  serverProcess: DeskAgent["process"] = "alive";
  /** What is checked out in a folder. */
  branchOf: (folder: string) => string | undefined = () => undefined;
  hosts: Hosts = OUTSIDE.hosts;
  inbox = {
    offer: { kind: "not-offered", why: "not on this desk" } as InboxOffer,
    answer: { kind: "handed-over" } as HandoverOutcome,
    received: [] as string[],
    onReceived: (_text: string): void => {},
  };
  conversation: (program: string, path: string | undefined, most: number) => ConversationReading = () => ({
    kind: "unreadable",
    why: "no file",
  });
  /** Files that were opened according to a session file. */
  readonly opened = new Set<string>();
  transcript: (token: string) => TranscriptFinding = () => ({ kind: "unreadable", why: "no file" });
  settings: Settings = { ...AS_SHIPPED };
  /** The processes above a caller. */
  lineage: (pid: number) => Awaited<ReturnType<Processes["lineage"]>> = () => [];
  /** A process and those under it. */
  tree: (pid: number) => Awaited<ReturnType<Processes["tree"]>> = () => [];
  /** The sessions for whose hooks something waits. */
  readonly hooksWanted = new Set<string>();
  /** Errors in the log that the test did not expect. */
  readonly failures: string[] = [];
  readonly warnings: string[] = [];
  /** Everything else in the log. */
  readonly logged: { readonly event: string }[] = [];
  /** The notifications that the person got. */
  readonly told: ({ readonly text: string } & TellingHow)[] = [];
  /** Who looks at the terminals. */
  attended: Attended | undefined | Promise<Attended> = { people: 1, idleMs: 0 };
  desktop: Desktop = OUTSIDE.desktop;
  clusterSetting: ClusterSetting = OUTSIDE.clusterSetting;
  classifier: Classifier = OUTSIDE.classifier;
  pushSender: PushSender = OUTSIDE.pushSender;
  readonly runner = new DeskRunner();
  readonly folder: string;
  #life: Life;
  #office: Office | undefined;
  #use: UseCases | undefined;
  readonly #spool: HookEvent[] = [];
  readonly #ids: Ids;

  constructor(store: Store, folder: string, { work, clock, tag }: Partial<Surroundings> = {}) {
    this.work = work ?? new OpenWork();
    this.clock = clock ?? new FakeClock(this.work);
    this.#ids = countingIds(tag);
    this.store = store;
    this.folder = folder;
    this.#life = new Life(this.work);
  }

  get use(): UseCases {
    this.#use ??= askedBy(this.office.useCases);
    return this.#use;
  }

  get office(): Office {
    if (this.#office === undefined) throw new Error("the office is not open");
    return this.#office;
  }

  get visited(): readonly Step[] {
    return this.#life.visited;
  }

  agent(folder: string, options: DeskAgentOptions = {}): DeskAgent {
    const agent = seated(folder, options, { clock: this.clock, number: this.agents.length + 1 });
    this.agents.push(agent);
    return agent;
  }

  /** The program ends: the next scan does not find it, and the system says so. */
  ends(agent: DeskAgent): void {
    agent.process = "gone";
    agent.program.terminal.end();
  }

  /** A daemon starts, with what an earlier one left and with the hook events that nobody answered. */
  async open(spooled: readonly HookEvent[] = this.#spool.splice(0)): Promise<void> {
    this.crash();
    this.#life = new Life(this.work);
    this.#office = composedOffice(this, this.#life, this.#ids);
    this.#use = undefined;
    await this.done(this.#office.open(spooled));
  }

  /** Opens, and waits until every program is known to be idle. */
  async ready(): Promise<void> {
    await this.open();
    await this.advance(UNTIL_IDLE_MS);
    await this.done(this.use.ls({}));
  }

  crash(): void {
    this.#life.end();
  }

  crashAt(step: Step | undefined): void {
    this.#life.crashesAt = step;
  }

  /** Called inside the office, at each of its steps. */
  onStep(call: (step: Step) => void): void {
    this.#life.onStep = call;
  }

  get crashed(): boolean {
    return this.#life.over;
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** Moves the clock until the work is done; a test that would wait forever fails. */
  async done<T>(work: Promise<T>, mostMs = 60_000): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    work.then(
      (value) => {
        outcome = { value };
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    await this.work.settle();
    for (let passed = 0; outcome === undefined && passed < mostMs; passed += 50) await this.advance(50);
    if (outcome === undefined) throw new Error(`not done within ${mostMs} ms`);
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  send(to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> {
    return this.done(this.use.send({ to, body, claims: { user: "dev" }, ...more }));
  }

  /** Sends as an agent does, from its own terminal. */
  sendAs(agent: DeskAgent, to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> {
    const { server, pane } = agent.sighting.identity;
    return this.send(to, body, { claims: { user: "dev", tmux: { socket: server, pane } }, ...more });
  }

  hook(agent: DeskAgent, told: HookTold): Promise<HookEventResponse> {
    const event = this.hookEvent(agent, told);
    const request = {
      eventName: event.name,
      program: event.program,
      emittedAt: event.emittedAt,
      environment: {},
    };
    return this.use.hook_event({ ...request, payload: event as never });
  }

  hookEvent(agent: DeskAgent, told: HookTold): HookEvent {
    const { program, identity } = agent.sighting;
    return {
      program,
      name: told.turn ?? "other",
      emittedAt: this.clock.now(),
      agentPid: identity.agentPid,
      ...told,
    };
  }

  /** As the hook script does it: an event that the daemon does not answer goes to the spool. */
  tell(agent: DeskAgent, told: HookTold): void {
    const event = this.hookEvent(agent, told);
    if (this.crashed) {
      this.#spool.push(event);
      return;
    }
    const asked = this.hook(agent, event).then(
      () => "answered" as const,
      () => "refused" as const,
    );
    const died = this.#life.ended.then(() => "died" as const);
    const ending = Promise.race([asked, died]).then((end) => {
      if (end !== "answered") this.#spool.push(event);
    });
    void this.work.follow(ending);
  }

  /** From now on this program's hooks report every prompt, in the step in which it is submitted. */
  async hooked(agent: DeskAgent): Promise<void> {
    await this.done(this.hook(agent, { turn: "session-start" }));
    agent.program.onSubmit = (prompt) => this.tell(agent, { turn: "prompt-submitted", prompt });
    await this.advance(UNTIL_IDLE_MS);
  }

  /** A turn ends, and its hook reports it. */
  async turnEnds(agent: DeskAgent): Promise<void> {
    agent.program.becomes({ busy: false });
    await this.done(this.hook(agent, { turn: "turn-ended" }));
    await this.advance(1_000);
  }

  delivery(sent: SendResponse): Delivery {
    const [delivery] = this.store.read.deliveriesOf(sent.messageId);
    if (delivery === undefined) throw new Error("it has no delivery");
    return delivery;
  }

  state(sent: SendResponse): DeliveryState {
    return this.delivery(sent).state;
  }

  /** Every state that it went through, according to its receipts. */
  history(sent: SendResponse): readonly DeliveryState[] {
    return this.store.read.receiptsOf(this.delivery(sent).id).map(({ state }) => state);
  }

  lastNote(sent: SendResponse): string | undefined {
    return this.store.read.receiptsOf(this.delivery(sent).id).at(-1)?.note;
  }

  drafts(): readonly KeptDraft[] {
    return this.store.read.keptDrafts({});
  }

  sessionOf(agent: DeskAgent): string {
    const { agentPid } = agent.sighting.identity;
    const session = this.store.read.sessions().find(({ identity }) => identity?.agentPid === agentPid);
    if (session === undefined) throw new Error(`${agent.folder} has no session`);
    return session.id;
  }

  /** Allows failures that the test itself causes. */
  expectFailures(...events: readonly string[]): void {
    expect(this.failures.splice(0).filter((event) => !events.includes(event))).toEqual([]);
  }

  async close(): Promise<void> {
    this.crash();
    await this.work.settle();
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
    expect(this.disk.disallowed).toEqual([]);
  }
}

/** Closed when the test ends, and checked for unexpected failures. */
export async function openDesk(): Promise<Desk> {
  const desk = await deskWithoutEnd();
  onTestFinished(async () => {
    await desk.close();
    expect(desk.failures).toEqual([]);
  });
  return desk;
}

/** A desk with one program, found and idle. */
export async function oneAgent(
  options: DeskAgentOptions = {},
): Promise<{ readonly desk: Desk; readonly coder: DeskAgent; readonly session: string }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", options);
  await desk.ready();
  return { desk, coder, session: desk.sessionOf(coder) };
}

/** For tests that create many desks: the caller closes it. */
export async function deskWithoutEnd(): Promise<Desk> {
  return new Desk(await emptyStore(), mkdtempSync(join(tmpdir(), "bellhop-desk-")));
}
