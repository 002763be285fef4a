/**
 * Answers from people outside: finds out whom each is meant for and relays it, asks back, or says why not. Texts
 * come one after the other; what answers a dialog or undoes something does not wait behind them, because a text may wait
 * for the classifier. What it did is recorded with what it sent, so a crash repeats nothing.
 */
import { sessionAddress } from "../../core/address.ts";
import type { Candidate } from "../../core/desk/candidates.ts";
import { isUndo } from "../../core/desk/reply-text.ts";
import { type Asked, CHOICE_MS, type Resolved, resolve, type Situation } from "../../core/desk/resolve.ts";
import { questionWords, refusalWords, TOO_MANY_QUESTIONS } from "../../core/desk/words.ts";
import type { Address, Message, MessageId } from "../../core/message.ts";
import { DESK } from "../../core/outside/places.ts";
import { priorityFromOutside } from "../../core/outside/priority.ts";
import { present } from "../../core/present.ts";
import type { Classifier } from "../../ports/classifier.ts";
import type { AskedBack, Origin, Relay } from "../../ports/outside-store.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Submission } from "../accept/submission.ts";
import { nonceIn } from "../outside/dialog-nonce.ts";
import type { OutletOutcome, OutletTaker } from "../outside/outlet.ts";
import type { Ground } from "../presence/ground.ts";
import { saidByBellhop } from "../time/notices.ts";
import { Presses, type PressesTold } from "./presses.ts";
import { Undoing } from "./undoing.ts";

/** In each place. */
const MOST_QUESTIONS = 20;

export interface AnswersParts extends Ground {
  readonly accept: Accept;
  readonly classifier: Classifier;
  readonly told: PressesTold;
}

export class Answers {
  readonly #parts: AnswersParts;
  readonly #presses: Presses;
  readonly #undoing: Undoing;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
    this.#undoing = new Undoing({
      ...parts,
      isText: (message) => !this.#isUrgent(message),
      asPerson: (origin, to, body) => this.#asPerson(origin, to, body),
      say: (words, message, origin, decided, also) => this.#say(message, origin, words, decided, also),
      record: (tx, message, origin, decided) => this.#record(tx, message, origin, decided),
    });
    this.#presses = new Presses({
      ...parts,
      say: (words, message, origin, decided) => this.#say(message, origin, words, decided),
    });
  }

  takers(): readonly OutletTaker[] {
    return [true, false].map((urgent) => ({
      mailbox: DESK,
      obstacle: () => undefined,
      isFor: ({ message }) => this.#isUrgent(message) === urgent,
      take: ({ message }) => this.#take(message),
    }));
  }

  #isUrgent(message: Message): boolean {
    const { read } = this.#parts.context.store;
    const origin = read.origin(message.id);
    if (origin === undefined) return false;
    return isUndo(message.body) || nonceIn({ ...origin, text: message.body }, read) !== undefined;
  }

  async #take(message: Message): Promise<OutletOutcome> {
    const { read } = this.#parts.context.store;
    const origin = read.origin(message.id);
    if (origin === undefined) return { kind: "failed", note: "where it came from is not known" };
    // The daemon died after it had relayed it, or it was undone.
    if (read.relayOf(message.id) !== undefined) return { kind: "done" };
    const nonce = nonceIn({ ...origin, text: message.body }, read);
    try {
      if (nonce !== undefined) await this.#presses.press(nonce, message, origin);
      else if (isUndo(message.body)) await this.#undoing.undo(message, origin);
      else await this.#answer(message, origin, await this.#resolved(message.body, origin));
    } catch (error) {
      // It was undone while the classifier thought.
      if (!(error instanceof DecidedAlready)) throw error;
    }
    return { kind: "done" };
  }

  /** What would become of a text; nothing is sent. */
  async attempt(text: string): Promise<Resolved> {
    return this.#resolved(text, undefined);
  }

  async #resolved(text: string, origin: Origin | undefined): Promise<Resolved> {
    const first = resolve(text, this.#situation(origin));
    if (first.kind !== "classify") return first;
    const labels = this.live().map(({ label }) => label);
    const classified = await this.#parts.classifier.classify(text, labels);
    // Meanwhile somebody may have started or ended.
    return resolve(text, { ...this.#situation(origin), classified });
  }

  live(): readonly Candidate[] {
    return this.#parts.directory.all().map(({ record: { id, agent, label } }) => ({
      session: id,
      agent,
      label: label === "" ? agent : label,
    }));
  }

  #situation(origin: Origin | undefined): Situation {
    const { context, directory } = this.#parts;
    const { read } = context.store;
    const { defaultAgent, freshMs, classifies } = context.settings().desk;
    const now = context.clock.now();
    const bound = origin?.answers
      .map((id) => read.spoken(origin.bridge, id))
      .find((one) => one?.agent !== undefined);
    const answers =
      bound?.agent === undefined ? undefined : { agent: bound.agent, ...present({ session: bound.session }) };
    return {
      now,
      live: this.live(),
      asking: directory
        .all()
        .filter(({ asks }) => asks !== undefined)
        .map(({ record }) => record.id),
      notified: (origin === undefined ? [] : read.spokenSince(origin.path, now - freshMs)).flatMap(
        ({ session, at }) => (session === undefined ? [] : [{ session, at }]),
      ),
      freshMs,
      classifies,
      ...present({
        defaultAgent,
        answers,
        topic: origin?.topic,
        asked: origin === undefined ? undefined : this.#asked(origin),
      }),
    };
  }

  /** Undefined also if it answers a question that is no longer open: the number was not meant for another one. */
  #asked(origin: Origin): Asked | undefined {
    const { read } = this.#parts.context.store;
    const open = this.#openQuestions(origin.path);
    const answered = origin.answers
      .flatMap((id) => read.spoken(origin.bridge, id) ?? [])
      .find(({ agent, messageId }) => agent !== undefined || this.#asks(messageId))?.messageId;
    const isQuestion = answered !== undefined && this.#asks(answered);
    const one = isQuestion ? open.find(({ messageId }) => messageId === answered) : open[0];
    if (one === undefined) return undefined;
    const { messageId: id, at, text, choices } = one;
    return { id, at, text, choices, isAnswered: isQuestion };
  }

  #openQuestions(path: Address): readonly AskedBack[] {
    const { store, clock } = this.#parts.context;
    return store.read.askedBack(path, clock.now() - CHOICE_MS);
  }

  /** Whether a message of the desk asks whom something is for. */
  #asks(messageId: MessageId): boolean {
    const { read } = this.#parts.context.store;
    const message = read.message(messageId);
    if (message?.source !== "bellhop" || message.replyTo === undefined) return false;
    return read.relayOf(message.replyTo)?.outcome === "asked";
  }

  async #answer(message: Message, origin: Origin, resolved: Resolved): Promise<void> {
    const { considered } = resolved;
    switch (resolved.kind) {
      case "to":
        return this.#relay(message, origin, resolved);
      case "ask":
        return this.#ask(message, origin, resolved);
      case "refuse":
        return this.#say(message, origin, refusalWords(resolved.because, this.live()), {
          considered,
          outcome: "refused",
        });
      case "classify":
        throw new Error("the classifier was asked and has answered");
    }
  }

  async #ask(message: Message, origin: Origin, resolved: Extract<Resolved, { kind: "ask" }>): Promise<void> {
    const { body: text, choices, considered } = resolved;
    if (this.#openQuestions(origin.path).length >= MOST_QUESTIONS)
      return this.#say(message, origin, TOO_MANY_QUESTIONS, { considered, outcome: "refused" });
    const asked = { path: origin.path, at: this.#parts.context.clock.now(), text, choices };
    const decided = { considered, outcome: "asked" } as const;
    return this.#say(message, origin, questionWords(text, choices), decided, (tx, { id: messageId }) =>
      tx.putAskedBack({ messageId, ...asked }),
    );
  }

  async #relay(message: Message, origin: Origin, resolved: Extract<Resolved, { kind: "to" }>): Promise<void> {
    const { to, body, by, question, despite, considered } = resolved;
    const submission = this.#asPerson(origin, sessionAddress(to.session), body);
    const decided = {
      considered,
      outcome: "relayed",
      rule: by,
      label: to.label,
      ...present({ despite }),
    } as const;
    await this.#parts.accept.accept(submission, {
      with: (tx, relayed) => {
        this.#record(tx, message, origin, { ...decided, relayed: relayed.id, owesConfirmation: true });
        if (question !== undefined) tx.removeAskedBack(question);
      },
    });
  }

  #asPerson(origin: Origin, to: Address, body: string): Submission {
    const { context } = this.#parts;
    const { read } = context.store;
    const answered = origin.answers
      .map((id) => read.spoken(origin.bridge, id))
      .find((one) => one !== undefined);
    const answers = answered === undefined ? undefined : read.message(answered.messageId);
    return {
      to,
      sender: { address: context.owner, source: "bridge" },
      body,
      form: { kind: "text" },
      priority: priorityFromOutside(context.settings().defaultPriority),
      channel: origin.bridge,
      ...present({ answers }),
    };
  }

  /** Says something to the person, where they wrote, and records what was decided. */
  async #say(
    message: Message,
    origin: Origin,
    words: string,
    decided: Pick<Relay, "considered" | "outcome">,
    also: (tx: StoreWriter, said: Message) => void = () => {},
  ): Promise<void> {
    const { accept, context } = this.#parts;
    const said = { ...saidByBellhop(context, origin.path, words), command: "desk", answers: message };
    await accept.accept(said, {
      onlyOutside: true,
      with: (tx, words) => {
        this.#record(tx, message, origin, { ...decided, owesConfirmation: false });
        also(tx, words);
      },
    });
  }

  #record(
    tx: StoreWriter,
    message: Message,
    origin: Origin,
    decided: Omit<Relay, "messageId" | "at" | "path">,
  ): void {
    if (tx.relayOf(message.id) !== undefined) throw new DecidedAlready();
    tx.putRelay({
      messageId: message.id,
      at: this.#parts.context.clock.now(),
      path: origin.path,
      ...decided,
    });
  }
}

class DecidedAlready extends Error {
  override readonly name = "DecidedAlready";
}
