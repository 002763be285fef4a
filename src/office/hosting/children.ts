/**
 * Agents that other agents start: the parent's first message to a child, and a notice to the parent when the child has
 * answered it, or when nothing will tell that. The debt is kept on the child's session until told. It never types.
 */
import { sessionAddress } from "../../core/address.ts";
import type { SessionId } from "../../core/message.ts";
import { firstTurnNotice } from "../../core/text/notice.ts";
import type { Hosts } from "../../ports/hosts.ts";
import type { StoredSession, StoreWriter } from "../../ports/store.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { Accept } from "../accept/accept.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { isOver } from "../presence/still-there.ts";
import type { FirstTurnEnd } from "../signals/first-turn.ts";
import { saidByBellhop } from "../time/notices.ts";
import type { Sessions } from "./sessions.ts";

export interface ChildrenParts extends Ground {
  readonly accept: Accept;
  readonly sessions: Sessions;
  readonly hosts: Pick<Hosts, "facts">;
}

/** Nobody waits to hear of anything older than this. */
const TOLD_WITHIN_MS = 24 * 3_600_000;

export class Children {
  readonly #parts: ChildrenParts;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  async spawn(request: RequestOf<"spawn">): Promise<ResponseOf<"spawn">> {
    const { directory, accept, context, sessions } = this.#parts;
    const { prompt, ...running } = request;
    const sender = directory.sender(request.claims, undefined);
    const started = await sessions.run(running, {
      parent: sender.sessionId,
      startedBy: sender.source,
      owes: "first-turn",
    });
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

  /** Not seen does not mean ended, and a session that is being restarted has not ended. */
  async left({ record, identity }: LiveSession): Promise<void> {
    const { context, hosts, sessions } = this.#parts;
    if (record.owesFirstTurn !== true || sessions.isRestarting(record.id)) return;
    const hosted = record.command === undefined ? undefined : await hosts.facts(record.id);
    const isGone =
      hosted === undefined ? await isOver(identity, context.processes) : hosted.state !== "running";
    if (isGone) await this.#tell(record, "died");
  }

  /** For sessions that ended while the daemon was down. */
  async tellOfEnded(): Promise<void> {
    const { context, directory } = this.#parts;
    const since = context.clock.now() - TOLD_WITHIN_MS;
    for (const session of context.store.read.sessions({ exitedSince: since })) {
      const hasEnded = session.exitedAt !== undefined && directory.get(session.id) === undefined;
      // If it was never seen, its starter was told at once.
      if (hasEnded && session.owesFirstTurn === true && session.identity !== undefined)
        await this.#tell(session, "died");
    }
  }

  async turnEnded({ record }: LiveSession, how: FirstTurnEnd = "ended"): Promise<void> {
    await this.#tell(record, how);
  }

  async #tell(record: StoredSession, how: FirstTurnEnd | "died"): Promise<void> {
    const { context, directory, accept } = this.#parts;
    const { parent } = record;
    if (record.owesFirstTurn !== true) return;
    const notice = firstTurnNotice({ name: record.agent, id: record.id }, how);
    const settle = (tx: StoreWriter): void => {
      const standing = tx.session(record.id);
      if (standing?.owesFirstTurn !== true) throw new ToldBefore();
      tx.putSession({ ...standing, owesFirstTurn: false });
    };
    try {
      // A person is not told: they use --wait, or look.
      if (parent === undefined || !this.#isThere(parent) || (how === "unseen" && this.#hasReplied(record.id)))
        await context.store.write(settle);
      else
        await accept.accept(
          { ...saidByBellhop(context, sessionAddress(parent), notice), command: "first-turn" },
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

  /** If so, the parent has heard from it, and a notice that nothing is known would tell it nothing. */
  #hasReplied(id: SessionId): boolean {
    return this.#parts.context.store.read.attemptedIn(id, ["replied"], 1).length > 0;
  }
}

class ToldBefore extends Error {}
