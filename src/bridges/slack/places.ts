/** Where something is said: the names of channels, which people write in paths, for the ids that Slack uses. */
import type { WebClient } from "@slack/web-api";
import type { Kept, OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { own, textIn } from "../fields.ts";
import { callFailure } from "./call-failure.ts";
import { CHANNEL_ID, USER_ID } from "./events.ts";

export interface PlacesOptions {
  readonly web: WebClient;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly name: string | undefined;
  readonly learntAt: number;
}

export interface ChannelName {
  /** The channel's id if it has no name that can be known. */
  readonly name: string;
  readonly keep: Kept;
}

/** A rename is told; this is for those that happen while nobody listens. */
const KNOWN_FOR_MS = 600_000;
const PEOPLE_KNOWN_FOR_MS = 3_600_000;
const MOST_KNOWN = 2_000;
/** Channels' names have no spaces and no control characters; anything else could be taken for another path. */
const NAME = /^[\p{L}\p{M}\p{N}_-][\p{L}\p{M}\p{N}._-]{0,79}$/u;

export class Places {
  readonly #options: PlacesOptions;
  readonly #channels = new Map<string, Known>();
  readonly #people = new Map<string, Known>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Rejects if Slack cannot be asked and has never said it; with `isLast` it does without. */
  async nameOf(channel: string, isLast: boolean): Promise<ChannelName> {
    const { clock, inbox, log } = this.#options;
    const known = this.#channels.get(channel);
    if (known !== undefined && clock.monotonic() - known.learntAt < KNOWN_FOR_MS)
      return { name: known.name ?? channel, keep: {} };
    const before = inbox.kept(keyOf(channel));
    try {
      const answer: unknown = await this.#options.web.conversations.info({ channel });
      const name = named(textIn(own(answer, "channel"), "name"));
      this.#learn(this.#channels, channel, name ?? before);
      return { name: name ?? before ?? channel, keep: this.#change(channel, name) };
    } catch (error) {
      const failure = callFailure(error);
      const isFinal = failure.kind === "refused" || failure.kind === "unauthorised";
      if (before === undefined && !isFinal && !isLast) throw error;
      log.info("slack does not tell a channel's name", { channel, why: failure.words });
      if (isFinal) this.#learn(this.#channels, channel, before);
      return { name: before ?? channel, keep: {} };
    }
  }

  renamed(channel: string, name: string): Kept {
    const usable = named(name);
    this.#learn(this.#channels, channel, usable);
    return this.#change(channel, usable);
  }

  /** What people call them; nobody has to be asked twice, and a bot without the right to know is fine. */
  async personNamed(user: string): Promise<string | undefined> {
    if (!USER_ID.test(user)) return undefined;
    const known = this.#people.get(user);
    const now = this.#options.clock.monotonic();
    if (known !== undefined && now - known.learntAt < PEOPLE_KNOWN_FOR_MS) return known.name;
    let name: string | undefined;
    try {
      const answer: unknown = await this.#options.web.users.info({ user });
      const person = own(answer, "user");
      name = textIn(own(person, "profile"), "display_name", 200) ?? textIn(person, "real_name", 200);
    } catch {
      name = undefined;
    }
    this.#learn(this.#people, user, name);
    return name;
  }

  /** What Slack takes for the place: an id, or a channel's name, which it finds if the bot is in it. */
  addressOf(place: string): string | undefined {
    const word = place.slice(1);
    if (place.startsWith("@")) return USER_ID.test(word) ? word : undefined;
    if (CHANNEL_ID.test(word)) return word;
    if (named(word) === undefined) return undefined;
    for (const [channel, { name }] of this.#channels) if (name === word) return channel;
    return `#${word}`;
  }

  #change(channel: string, name: string | undefined): Kept {
    const isNew = name !== undefined && name !== this.#options.inbox.kept(keyOf(channel));
    return isNew ? { [keyOf(channel)]: name } : {};
  }

  #learn(known: Map<string, Known>, id: string, name: string | undefined): void {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(id, { name, learntAt: this.#options.clock.monotonic() });
  }
}

function named(name: string | undefined): string | undefined {
  return name !== undefined && NAME.test(name) ? name : undefined;
}

function keyOf(channel: string): string {
  return `channel/${channel}`;
}
