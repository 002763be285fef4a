/**
 * Agents that other agents start: the first thing a parent says to a child, and word to the parent when the child has
 * answered it. What is owed stands on the child's session until it is told. It never types.
 */
import { sessionAddress } from "../core/address.ts";
import type { MessageId, SessionId } from "../core/message.ts";
import { firstTurnNotice } from "../core/notice.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import type { RequestOf, ResponseOf } from "../wire/shapes.ts";
import type { Accept } from "./accept.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import type { LiveSession } from "./live-session.ts";
import { BELLHOP } from "./notices.ts";
import type { Sessions } from "./sessions.ts";
import type { StateWatch } from "./state-watch.ts";

/** A program that has only just taken its prompt may not show yet that it works. */
const TAKEN_AT_LEAST_MS = 3_000;
const LONGEST_FIRST_TURN_MS = 24 * 3_600_000;
const FEW = 10;

export interface ChildrenParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly accept: Accept;
  readonly sessions: Sessions;
  readonly states: StateWatch;
}

export class Children {
  readonly #parts: ChildrenParts;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  async spawn(request: RequestOf<"spawn">): Promise<ResponseOf<"spawn">> {
    const { directory, accept, context, sessions } = this.#parts;
    const { prompt, ...running } = request;
    const sender = directory.sender(request.claims, undefined);
    const started = await sessions.run(running, { parent: sender.sessionId });
    const { message } = await accept.accept({
      to: sessionAddress(started.sessionId),
      sender,
      body: prompt,
      form: { kind: "text" },
      priority: context.settings().defaultPriority,
      timeoutMs: 0,
    });
    return { ...started, messageId: message.id, shortId: message.shortId };
  }

  /** A program without hooks does not say that its turn has ended: its screen is watched until it shows. */
  async attend(session: LiveSession): Promise<void> {
    if (!isFirstTurnAhead(session)) return;
    const over = await session.watch(() => this.#isSettled(session) || this.#hasAnswered(session), {
      timeoutMs: LONGEST_FIRST_TURN_MS,
    });
    if (over === undefined || this.#isSettled(session)) return;
    await this.#markRead(session);
    await this.turnEnded(session);
  }

  async turnEnded({ record }: LiveSession): Promise<void> {
    const { context, directory, accept } = this.#parts;
    const { parent } = record;
    if (record.owesFirstTurn !== true) return;
    const settle = (tx: StoreWriter): void => {
      const standing = tx.session(record.id);
      if (standing?.owesFirstTurn !== true) throw new ToldBefore();
      tx.putSession({ ...standing, owesFirstTurn: false });
    };
    try {
      // A person is not told: he waits with --wait, or looks.
      if (parent === undefined || !this.#isThere(parent)) await context.store.write(settle);
      else
        await accept.accept(
          {
            to: sessionAddress(parent),
            sender: BELLHOP,
            body: firstTurnNotice({ name: record.agent, id: record.id }),
            form: { kind: "text" },
            priority: context.settings().defaultPriority,
            command: "first-turn",
            timeoutMs: 0,
          },
          { with: settle },
        );
    } catch (error) {
      if (!(error instanceof ToldBefore)) throw error;
    }
    const live = directory.get(record.id);
    if (live !== undefined) live.record = { ...live.record, owesFirstTurn: false };
  }

  #isThere(id: SessionId): boolean {
    const { context, directory } = this.#parts;
    const stored = context.store.read.session(id);
    return directory.get(id) !== undefined || (stored !== undefined && stored.exitedAt === undefined);
  }

  /** Told by its hooks, told already, or gone. */
  #isSettled(session: LiveSession): boolean {
    const { directory } = this.#parts;
    return directory.get(session.record.id) !== session || !isFirstTurnAhead(session);
  }

  #hasAnswered(session: LiveSession): boolean {
    const { clock } = this.#parts.context;
    const taken = this.#taken(session).at(-1)?.delivery.attempt?.startedAt;
    if (taken === undefined || clock.now() - taken < TAKEN_AT_LEAST_MS) return false;
    return session.readiness().kind === "idle";
  }

  /** Somebody else may have seen its turn end first, and a child may answer before that. */
  #taken({ record }: LiveSession): readonly Item[] {
    return this.#parts.context.store.read.attemptedIn(record.id, ["delivered", "read", "replied"], FEW);
  }

  async #markRead(session: LiveSession): Promise<void> {
    const { context, states } = this.#parts;
    const read: MessageId[] = [];
    await context.store.write((tx) => {
      for (const { delivery, message } of tx.attemptedIn(session.record.id, ["delivered"], FEW)) {
        tx.updateDelivery(delivery.id, { state: "read" });
        tx.appendReceipt(delivery.id, {
          at: context.clock.now(),
          state: "read",
          note: "its turn has ended, as its screen shows",
        });
        read.push(message.id);
      }
    });
    states.changed(read);
  }
}

class ToldBefore extends Error {}

function isFirstTurnAhead({ record }: LiveSession): boolean {
  return record.owesFirstTurn === true && !record.hooked;
}
