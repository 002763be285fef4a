/** In a group with topics each agent has its own. Their numbers are kept, so that a restart does not make new ones. */
import type { Api } from "grammy";
import type { Kept, OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { callFailure, FailedCall } from "./call-failure.ts";
import { botSignal } from "./connection.ts";

export interface TopicOptions {
  readonly api: Api;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
}

interface ChatKnowledge {
  readonly hasTopics: boolean;
  readonly learntAt: number;
}

/** A group can get topics, and the bot the right to make them, at any time. */
const KNOWN_FOR_MS = 600_000;
const MOST_CHATS = 1_000;

export class Topics {
  readonly #options: TopicOptions;
  readonly #chats = new Map<string, ChatKnowledge>();
  readonly #making = new Map<string, Promise<number | undefined>>();

  constructor(options: TopicOptions) {
    this.#options = options;
  }

  /**
   * The agent's topic, made if it has none; undefined where there are no topics. Rejects with a `FailedCall`: the
   * message was not sent.
   */
  async topicOf(chat: string, agent: string, signal: AbortSignal): Promise<number | undefined> {
    const key = topicKey(chat, agent);
    const kept = Number(this.#options.inbox.kept(key));
    if (Number.isSafeInteger(kept) && kept > 0) return kept;
    try {
      if (!(await this.#hasTopics(chat, signal))) return undefined;
      const making = this.#making.get(key) ?? this.#make(chat, agent, signal);
      this.#making.set(key, making);
      return await making;
    } catch (error) {
      const failure = callFailure(error);
      throw new FailedCall(failure.kind === "unreachable" ? { ...failure, isUnsent: true } : failure);
    } finally {
      this.#making.delete(key);
    }
  }

  /** It is gone: the next message makes another. */
  async forget(chat: string, agent: string, topic: number): Promise<void> {
    await this.#keep({ [topicKey(chat, agent)]: null, [ownerKey(chat, String(topic))]: null });
  }

  async #make(chat: string, agent: string, signal: AbortSignal): Promise<number | undefined> {
    const { api, log } = this.#options;
    let topic: number;
    try {
      topic = (await api.createForumTopic(chat, agent, {}, botSignal(signal))).message_thread_id;
    } catch (error) {
      const failure = callFailure(error);
      if (failure.kind !== "refused") throw error;
      // What is said must arrive: without a topic it goes to the group itself.
      log.warn("telegram makes no topic", { chat, why: failure.words });
      this.#learn(chat, false);
      return undefined;
    }
    await this.#keep({ [topicKey(chat, agent)]: String(topic), [ownerKey(chat, String(topic))]: agent });
    return topic;
  }

  async #keep(kept: Kept): Promise<void> {
    try {
      await this.#options.inbox.keep(kept);
    } catch {
      const words = "Bellhop cannot write down which topic is whose";
      throw new FailedCall({ kind: "unreachable", words, isUnsent: true });
    }
  }

  async #hasTopics(chat: string, signal: AbortSignal): Promise<boolean> {
    // Only groups of the large kind can have topics; they have these numbers.
    if (!chat.startsWith("-100")) return false;
    const known = this.#chats.get(chat);
    const now = this.#options.clock.monotonic();
    if (known !== undefined && now - known.learntAt < KNOWN_FOR_MS) return known.hasTopics;
    const { is_forum } = await this.#options.api.getChat(chat, botSignal(signal));
    return this.#learn(chat, is_forum === true);
  }

  #learn(chat: string, hasTopics: boolean): boolean {
    if (this.#chats.size >= MOST_CHATS) this.#chats.clear();
    this.#chats.set(chat, { hasTopics, learntAt: this.#options.clock.monotonic() });
    return hasTopics;
  }
}

export function ownerOfTopic(inbox: OutsideInbox, chat: string, topic: string): string | undefined {
  return inbox.kept(ownerKey(chat, topic));
}

function topicKey(chat: string, agent: string): string {
  return `topic/${chat}/${agent}`;
}

function ownerKey(chat: string, topic: string): string {
  return `topic-owner/${chat}/${topic}`;
}
