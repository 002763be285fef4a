/** A workspace with its people, channels and messages, as the Web API and the Events API show them. */
import { CallRefusal } from "./refusal.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
}

export interface ChannelOptions {
  readonly id: string;
  readonly name: string;
  /** The bot is in it. */
  readonly hasBot?: boolean;
}

export interface PostedMessage {
  readonly type: "message";
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  /** In Slack's markup. */
  readonly text: string;
  readonly thread_ts?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly attachments?: readonly unknown[];
}

/** What a message has besides its time. */
export type NewMessage = Omit<PostedMessage, "type" | "ts">;

interface Channel {
  readonly id: string;
  name: string;
  hasBot: boolean;
  isArchived: boolean;
  /** The other one in a direct conversation. */
  readonly person?: string;
}

export const TEAM = "T0REHEARSAL";
export const APP = "A0REHEARSAL";
export const BOT: Person & { readonly botId: string } = {
  id: "U0BELLHOP",
  botId: "B0BELLHOP",
  name: "bellhop",
};

export class Workspace {
  readonly #people = new Map<string, Person>();
  readonly #channels = new Map<string, Channel>();
  readonly #now: () => number;
  messages: PostedMessage[] = [];
  #count = 0;

  constructor(now: () => number, people: readonly Person[], channels: readonly ChannelOptions[]) {
    this.#now = now;
    for (const person of [...people, BOT]) this.#people.set(person.id, person);
    for (const { id, name, hasBot = true } of channels)
      this.#channels.set(id, { id, name, hasBot, isArchived: false });
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  channel(id: string): Channel {
    const found = this.#channels.get(id);
    if (found === undefined) throw new CallRefusal("channel_not_found");
    return found;
  }

  /** By an id, a channel's name, or a person's id, which opens the conversation with them. */
  channelFor(word: string): Channel {
    if (this.#people.has(word)) return this.directWith(word);
    const name = word.replace(/^#/, "");
    return [...this.#channels.values()].find((one) => one.name === name) ?? this.channel(word);
  }

  directWith(person: string): Channel {
    const id = `D${person.slice(1)}`;
    const channel = this.#channels.get(id) ?? { id, name: "", hasBot: true, isArchived: false, person };
    this.#channels.set(id, channel);
    return channel;
  }

  /** Times are the ids of messages: never the same twice. */
  post(message: NewMessage): PostedMessage {
    const posted: PostedMessage = { type: "message", ...message, ts: this.nextTs() };
    this.messages.push(posted);
    return posted;
  }

  message(channel: string, ts: string): PostedMessage {
    const found = this.messages.find((one) => one.channel === channel && one.ts === ts);
    if (found === undefined) throw new CallRefusal("message_not_found");
    return found;
  }

  replace(next: PostedMessage): void {
    this.messages = this.messages.map((one) =>
      one.channel === next.channel && one.ts === next.ts ? next : one,
    );
  }

  nextTs(): string {
    this.#count += 1;
    return `${Math.floor(this.#now() / 1_000)}.${String(this.#count).padStart(6, "0")}`;
  }
}
