/**
 * Tells the person on their own channels outside, and in browsers that want it, what needs them: a question or a
 * permission, at once if they are away, else if it still stands after a while; the end of a turn only if they are away.
 * Each once, also across restarts, and not in their quiet hours: what still stands afterwards is told then.
 */

import type { AttentionKind } from "../../core/attention.ts";
import { wordFor } from "../../core/desk/candidates.ts";
import { questionOf } from "../../core/desk/dialog-answers.ts";
import { isCode } from "../../core/desk/reply-text.ts";
import { lastTurnEnd } from "../../core/desk/turns.ts";
import {
  askingWords,
  asksOftenWords,
  finishedWords,
  type HowToAnswer,
  waitingWords,
} from "../../core/desk/words.ts";
import type { Address, Instant, MessageId } from "../../core/message.ts";
import { BRIDGE_NAMES, bridgeMailbox, hasButtons } from "../../core/outside/places.ts";
import { present } from "../../core/present.ts";
import { ofShownConversation } from "../../core/session.ts";
import { quietForMs } from "../../core/time/quiet-hours.ts";
import type { Item, StoreReader, StoreWriter } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import { isPageAbout, PAGE, pagePayload } from "../outside/pages.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { saidByBellhop } from "../time/notices.ts";
import { type AttentionDesk, TURN_END_LISTED_MS } from "../views/attention.ts";
import type { Answers } from "./answers.ts";
import {
  ANOTHER_QUESTION,
  answerable,
  answersUnderWay,
  isTooOld,
  isUnpressed,
  keysFor,
  useUp,
} from "./dialogs.ts";
import { PageRate } from "./page-rate.ts";
import { PageWork } from "./page-work.ts";
import type { Person } from "./presence.ts";
import { PUSH_CHANNEL, type PushNews, type PushTold } from "./push-told.ts";
import { AFTER_TURN_MS, isWorthTelling } from "./turn-worth.ts";

/** How long the end of a turn is still told after a restart. */
const TOLD_LATE_MS = 60_000;
const UTTERANCES = 10;
/** In quiet hours. A machine that was asleep does not know how late it is. */
const LOOK_AGAIN_MS = 10 * 60_000;

export interface PagingParts extends Ground {
  readonly accept: Accept;
  readonly answers: Answers;
  readonly attention: AttentionDesk;
  readonly person: Person;
  /** The mailbox of the open bridge that reaches this place. */
  outletFor(path: Address): Address | undefined;
  readonly push: PushTold;
}

interface Notice {
  /** By this id it is known whether it was told. */
  readonly id: string;
  readonly session: LiveSession;
  readonly kind: PushNews["kind"];
  words(channel: Address): string;
  /** The question that it tells of. */
  readonly about?: string;
  /** A dialog that can be answered from outside, and the code for it. */
  readonly answerable?: { readonly code: string; readonly dialog: string };
}

export class Paging {
  readonly #parts: PagingParts;
  readonly #work: PageWork;
  readonly #rate = new PageRate();
  readonly #lastTurns = new WeakMap<LiveSession, string>();

  constructor(parts: PagingParts) {
    this.#parts = parts;
    this.#work = new PageWork(parts.context);
  }

  /** The person's own channels that an open bridge reaches, and their browsers. */
  channels(): readonly Address[] {
    const { push, outletFor } = this.#parts;
    return this.#all().filter((path) =>
      path === PUSH_CHANNEL ? push.since() !== undefined : outletFor(path) !== undefined,
    );
  }

  /** Whether or not it can be told there now. */
  #all(): readonly Address[] {
    return [...this.#parts.context.settings().desk.channels, PUSH_CHANNEL];
  }

  /** Where the person was told of something that needs them. */
  toldOn(id: string): readonly Address[] {
    const { store } = this.#parts.context;
    return this.#all().filter((channel) => store.read.told([toldId(channel, id)]).length > 0);
  }

  /** It shows a new question. */
  asked(session: LiveSession): void {
    const { asks } = session;
    if (asks === undefined || this.channels().length === 0) return;
    const id = this.#idOf(session, asks.key);
    if (this.#work.has(id) || (asks.kind !== "permission" && this.#untold(id).length === 0)) return;
    const { clock } = this.#parts.context;
    this.#rate.asked(session, clock.now());
    this.#work.begin(id, async () => {
      const { is } = await this.#parts.person.presence();
      const waitMs = this.#rate.waitMs(session, is === "away", clock.now());
      if (waitMs === 0) await this.#ask(session, id);
      else this.#work.later(id, waitMs, () => this.#ask(session, id));
    });
  }

  /** A bridge was opened: what is asked already can be told now. */
  look(): void {
    for (const session of this.#parts.directory.all()) this.asked(session);
  }

  /** An answer is on its way to what it asks. If it ends, and no key was pressed, the person is asked anew. */
  answering(session: LiveSession, answer: MessageId): void {
    const { context, states } = this.#parts;
    this.#rate.answeredOutside(session);
    const look = (): void => {
      const [delivery] = context.store.read.deliveriesOf(answer);
      if (delivery?.state === "queued" || delivery?.state === "delivering") return;
      stop();
      if (delivery !== undefined && isUnpressed(context.store.read, delivery)) this.askAnew(session);
    };
    const stop = states.watch(answer, look);
    look();
  }

  /** At once: whoever answers from outside is there to read it. */
  askAnew(session: LiveSession): void {
    const { asks } = session;
    if (asks === undefined || this.channels().length === 0) return;
    this.#rate.answeredOutside(session);
    const id = this.#idOf(session, asks.key);
    this.#work.hasten(id, () => this.#ask(session, id, "awake"));
  }

  /** If the same is asked again, that is told again; until then nobody answers it from outside. */
  answered(session: LiveSession, key: string): void {
    const { record } = session;
    const { store, clock, log } = this.#parts.context;
    const id = this.#idOf(session, key);
    this.#work.cancel(id);
    this.#rate.answered(session);
    const channels = this.#all();
    const by = session.asks === undefined ? "terminal" : ANOTHER_QUESTION;
    const hasKeys = store.read.openDialogKeys(record.id).length > 0;
    const isTold = channels.some((channel) => store.read.told([toldId(channel, id)]).length > 0);
    if (!hasKeys && !isTold && unsaid(store.read, id).length === 0) return;
    store
      .write((tx) => {
        for (const channel of channels) tx.removeTold(toldId(channel, id));
        for (const open of tx.openDialogKeys(record.id)) useUp(tx, open, clock.now(), by);
        this.#withdraw(tx, id);
      })
      .catch((cause) => log.error("person.unpaged", { cause: String(cause) }));
  }

  /** What did not go out, because its bridge is down or no longer configured, would only be too late. */
  #withdraw(tx: StoreWriter, about: string): void {
    const at = this.#parts.context.clock.now();
    for (const { delivery, message } of unsaid(tx, about)) {
      tx.removeTold(toldId(message.to, about));
      tx.moveDelivery(delivery.id, { at, state: "cancelled", note: "it was answered" }, { hold: null });
    }
  }

  /** `began`: when it was first seen at work, if its screen shows that. */
  turnEnded(session: LiveSession, at: Instant, began?: Instant): void {
    this.#parts.attention.lastTurn(session, undefined);
    const id = turnId(session, at);
    this.#lastTurns.set(session, id);
    if (this.channels().length === 0 || this.#untold(id).length === 0) return;
    if (!isWorthTelling(this.#parts.context.store.read, session.record.id, at, began)) return;
    this.#work.later(id, AFTER_TURN_MS, () => this.#finished(session, id, at));
  }

  /** After a start: the end of its last turn still wants the person. If no daemon lived to tell it, it is told now. */
  resumed(session: LiveSession): void {
    const at = this.channels().length === 0 ? undefined : this.#lastEnd(session);
    if (at === undefined) return;
    const id = turnId(session, at);
    if (this.toldOn(id).length > 0) this.#work.begin(id, () => this.#list(session, id, at));
    else if (this.#parts.context.clock.now() - at <= TOLD_LATE_MS) this.turnEnded(session, at);
  }

  #lastEnd({ record }: LiveSession): Instant | undefined {
    const { store, clock } = this.#parts.context;
    const reported = store.read.hookEvents(record.id, clock.now() - TURN_END_LISTED_MS);
    return lastTurnEnd(ofShownConversation(reported, record));
  }

  async #list(session: LiveSession, id: string, at: Instant): Promise<void> {
    const said = await this.#lastWords(session);
    if (this.#lastEnd(session) === at)
      this.#parts.attention.lastTurn(session, { id, at, ...present({ said }) });
  }

  /** Messages wait that nothing can hand over. Who is there reads it in their terminals. */
  waiting(session: LiveSession, id: string, line: string): void {
    if (this.channels().length === 0 || this.#untold(id).length === 0 || this.#work.has(id)) return;
    this.#work.begin(id, async () => {
      const quietMs = this.#quietMs("turn-end");
      if (quietMs > 0) return this.#work.later(id, quietMs, async () => this.waiting(session, id, line));
      if ((await this.#parts.person.presence()).is !== "away") return;
      const words = waitingWords(this.#nameOf(session), line);
      await this.#tell({ id, session, kind: "waiting", words: () => words });
    });
  }

  async close(): Promise<void> {
    await this.#work.close();
  }

  #idOf(session: LiveSession, key: string): string {
    return this.#parts.attention.idOf(session, key);
  }

  #untold(id: string): readonly Address[] {
    const { read } = this.#parts.context.store;
    return this.channels().filter((channel) => read.told([toldId(channel, id)]).length === 0);
  }

  /** `awake`: they have just answered from outside. */
  async #ask(session: LiveSession, id: string, person?: "awake"): Promise<void> {
    const observation = await session.glance();
    const { asks } = session;
    if (asks === undefined || this.#idOf(session, asks.key) !== id) return;
    const { reading } = observation;
    const keys = asks.kind === "permission" ? answerable(session, observation) : undefined;
    const dialog = keys === undefined || reading.kind !== "dialog" ? undefined : reading.fingerprint;
    if (dialog !== undefined && (await this.#isAnswered(session, id, dialog))) return;
    if (this.#untold(id).length === 0) return;
    const quietMs = person === "awake" ? 0 : this.#quietMs(asks.kind);
    if (quietMs > 0) return this.#work.later(id, quietMs, () => this.#ask(session, id));
    if (!(await this.#isItsTurn(session, id))) return;
    const code = dialog === undefined ? undefined : this.#code();
    const text = reading.kind === "dialog" ? questionOf(reading).text : asks.text;
    const answer = (channel: Address): HowToAnswer =>
      code === undefined ? "terminal" : hasButtons(channel) ? "buttons" : { code };
    const who = this.#nameOf(session);
    await this.#tell({
      id,
      session,
      kind: asks.kind,
      about: id,
      words: (channel) => askingWords(who, { kind: asks.kind, text, answer: answer(channel) }),
      ...(code === undefined || dialog === undefined ? {} : { answerable: { code, dialog } }),
    });
    // It was answered while it was being told.
    if (!this.#asks(session, id)) this.answered(session, asks.key);
  }

  /** If not, it is told later, should it still stand. */
  async #isItsTurn(session: LiveSession, id: string): Promise<boolean> {
    if (!this.#asks(session, id)) return false;
    const now = this.#parts.context.clock.now();
    const turn = this.#rate.turn(session, now);
    if (turn.kind === "now") return true;
    this.#work.later(id, turn.inMs, () => this.#ask(session, id));
    const words = asksOftenWords(this.#nameOf(session));
    if (turn.isNews)
      await this.#tell({
        id: `${session.record.id}.often.${now}`,
        session,
        kind: "often",
        words: () => words,
      });
    return false;
  }

  /**
   * Whether an answer to it is on its way. If none is, and nothing that the person was given answers what is shown now,
   * it counts as untold: an answer was not pressed in time, the pointer moved, or half a day has passed.
   */
  async #isAnswered(session: LiveSession, id: string, dialog: string): Promise<boolean> {
    const { store, clock } = this.#parts.context;
    const { id: sessionId } = session.record;
    const [answer] = answersUnderWay(store.read, sessionId, dialog);
    if (answer !== undefined) this.answering(session, answer);
    if (answer !== undefined || this.toldOn(id).length === 0) return answer !== undefined;
    const open = store.read.openDialogKeys(sessionId);
    if (open.some((key) => key.dialog === dialog && !isTooOld(key, clock.now()))) return false;
    await store.write((tx) => {
      for (const channel of this.#all()) tx.removeTold(toldId(channel, id));
      for (const key of tx.openDialogKeys(sessionId)) useUp(tx, key, clock.now(), "a later page");
    });
    return false;
  }

  #asks(session: LiveSession, id: string): boolean {
    return session.asks !== undefined && this.#idOf(session, session.asks.key) === id;
  }

  async #finished(session: LiveSession, id: string, at: Instant): Promise<void> {
    const { directory, person } = this.#parts;
    const { record } = session;
    if (directory.get(record.id) !== session || session.asks !== undefined) return;
    if (session.readiness().kind === "busy") return;
    // Of the turns of a night, only the last is worth telling.
    if (this.#lastTurns.get(session) !== id) return;
    const quietMs = this.#quietMs("turn-end");
    if (quietMs > 0) return this.#work.later(id, quietMs, () => this.#finished(session, id, at));
    if ((await person.presence()).is !== "away") return;
    const said = await this.#lastWords(session);
    const words = finishedWords(this.#nameOf(session), said);
    await this.#tell({ id, session, kind: "turn-end", words: () => words });
    if (session.readiness().kind !== "busy")
      this.#parts.attention.lastTurn(session, { id, at, ...present({ said }) });
  }

  /** What the agent said last. */
  async #lastWords({ record, facts }: LiveSession): Promise<string | undefined> {
    const path = facts.transcriptPath ?? record.transcriptPath;
    const reading = await this.#parts.context.transcripts.conversation(record.program, path, UTTERANCES);
    if (reading.kind !== "read") return undefined;
    return reading.utterances.findLast(({ by }) => by === "agent")?.text;
  }

  /** When to look again; 0: it is not quiet. */
  #quietMs(kind: AttentionKind): number {
    const { clock, settings } = this.#parts.context;
    const ms = quietForMs(settings().desk.quiet, kind, clock.now(), (at) => clock.offsetAt(at));
    return Math.min(ms, LOOK_AGAIN_MS);
  }

  async #tell({ id, session, kind, words, about, answerable }: Notice): Promise<void> {
    const { accept, context } = this.#parts;
    const keys = answerable === undefined ? [] : keysFor(answerable, session.record.id, context.clock.now());
    const buttons = keys.map(({ answer, nonce }) => ({ label: LABELS[answer], nonce }));
    const note = (tx: StoreWriter, channel: Address): void => {
      tx.putTold([toldId(channel, id)], context.clock.now());
      for (const key of keys) if (tx.dialogKey(key.nonce) === undefined) tx.putDialogKey(key);
    };
    for (const channel of this.#untold(id)) {
      if (channel === PUSH_CHANNEL) {
        await context.store.write((tx) => note(tx, channel));
        this.#push({ id, agent: session.record.agent, kind });
        continue;
      }
      const only = this.#parts.outletFor(channel);
      if (only === undefined) continue;
      const payload = pagePayload({
        session: session.record.id,
        about,
        code: answerable?.code,
        buttons: buttons.length > 0 && hasButtons(channel) ? buttons : undefined,
      });
      await accept.accept(
        { ...saidByBellhop(context, channel, words(channel)), command: PAGE, payload },
        {
          // It is for the person alone, not for an agent that subscribes to their channel.
          only,
          with: (tx) => note(tx, channel),
        },
      );
      context.log.info("person.paged", { session: session.record.id, channel });
    }
  }

  #push(news: Omit<PushNews, "isWanted">): void {
    const { context, push } = this.#parts;
    const told = toldId(PUSH_CHANNEL, news.id);
    push.tell({ ...news, isWanted: () => context.store.read.told([told]).length > 0 });
    context.log.info("person.paged", { channel: PUSH_CHANNEL });
  }

  #nameOf({ record }: LiveSession): string {
    const live = this.#parts.answers.live();
    const own = live.find(({ session }) => session === record.id);
    return own === undefined ? record.agent : wordFor(own, live);
  }

  #code(): string {
    for (;;) {
      const code = this.#parts.context.ids.shortId();
      if (isCode(code)) return code;
    }
  }
}

const LABELS = { approve: "Approve", deny: "Deny" } as const;

/** The pages about it that no bridge has said yet, whether it is open or not. */
function unsaid(read: StoreReader, about: string): readonly Item[] {
  return read
    .deliveries({ mailboxes: BRIDGE_NAMES.map(bridgeMailbox), states: ["queued"] })
    .filter(({ message }) => isPageAbout(message, about));
}

function turnId({ record }: LiveSession, at: Instant): string {
  return `${record.id}.turn.${at}`;
}

function toldId(channel: Address, id: string): string {
  return `${channel} ${id}`;
}
