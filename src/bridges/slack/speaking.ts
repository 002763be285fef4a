/** Says messages, part by part, in the thread that they answer. */
import type { WebClient } from "@slack/web-api";
import { splitText } from "../../core/text/split-text.ts";
import type { Button, Saying, SayingContext, SayingOutcome } from "../../ports/bridge.ts";
import { matching } from "../fields.ts";
import { unlessStopped } from "../reconnecting.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import { CHANNEL_ID, TIMESTAMP } from "./events.ts";
import { escaped } from "./markup.ts";
import type { Places } from "./places.ts";
import type { Threads } from "./threads.ts";

/** Slack asks for at most 4,000; what is left is for the mark of a repeat. */
const LONGEST_PART = 3_900;
const REPEAT_MARK = "(perhaps a repeat) ";
const MOST_BUTTONS = 25;
const LONGEST_LABEL = 75;
const PLACE = /^slack\/([^/]+)\/([#@][^/]+)$/u;
/** What it answers was deleted, or cannot have a thread. */
const THREADLESS: ReadonlySet<string> = new Set([
  "thread_not_found",
  "invalid_thread_ts",
  "message_not_found",
  "cannot_reply_to_message",
]);

export interface SlackPlace {
  readonly workspace: string;
  /** `#channel` or `@user`. */
  readonly place: string;
}

export function placeIn(path: string): SlackPlace | undefined {
  const [, workspace, place] = PLACE.exec(path) ?? [];
  return workspace === undefined || place === undefined ? undefined : { workspace, place };
}

interface Target {
  readonly channel: string;
  readonly threadTs?: string;
}

interface Said {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
}

export interface SpeakerOptions {
  readonly web: WebClient;
  readonly places: Places;
  readonly threads: Threads;
}

export class Speaker {
  readonly #options: SpeakerOptions;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  async say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    const target = this.#targetOf(saying);
    if (target === undefined)
      return {
        kind: "refused",
        why: `"${saying.path}" is no place in Slack: write #channel, or @ and a person's member ID (in their profile)`,
      };
    const parts = splitText(saying.text, LONGEST_PART);
    for (const [index, part] of parts.entries()) {
      if (index < saying.partsSaid) continue;
      const isRepeat = saying.perhapsSaid && index === saying.partsSaid;
      const text = isRepeat ? REPEAT_MARK + part : part;
      const buttons = index === parts.length - 1 ? (saying.buttons ?? []) : [];
      await context.saying(text);
      let said: Said;
      try {
        said = await unlessStopped(this.#post(target, text, buttons), context.signal);
      } catch (error) {
        return outcomeOf(callFailure(error));
      }
      await context.said(`${said.channel}/${said.ts}`);
      if (said.threadTs !== undefined) await this.#options.threads.said(said.channel, said.threadTs, said.ts);
    }
    return { kind: "said" };
  }

  #targetOf({ path, answers, thread }: Saying): Target | undefined {
    const found = placeIn(path);
    const channel = found === undefined ? undefined : this.#options.places.addressOf(found.place);
    if (channel === undefined) return undefined;
    const [answeredIn = "", ts = ""] = (answers ?? "").split("/");
    const root = [thread ?? "", ts].find((one) => TIMESTAMP.test(one));
    if (root === undefined) return { channel };
    // The id outlives a rename of the channel, and leads into the same direct conversation.
    return { channel: CHANNEL_ID.test(answeredIn) ? answeredIn : channel, threadTs: root };
  }

  async #post(target: Target, text: string, buttons: readonly Button[]): Promise<Said> {
    try {
      return await this.#postTo(target, text, buttons);
    } catch (error) {
      const failure = callFailure(error);
      const isThreadless = failure.kind === "refused" && THREADLESS.has(failure.code);
      if (target.threadTs === undefined || !isThreadless) throw error;
      return this.#postTo({ channel: target.channel }, text, buttons);
    }
  }

  async #postTo({ channel, threadTs }: Target, text: string, buttons: readonly Button[]): Promise<Said> {
    const answer: unknown = await this.#options.web.chat.postMessage({
      channel,
      text: escaped(text),
      // Every character is meant as it stands: no markup, no names, no links, no previews.
      mrkdwn: false,
      parse: "none",
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      ...attachedButtons(buttons),
    });
    const [inChannel, ts] = [matching(answer, "channel", CHANNEL_ID), matching(answer, "ts", TIMESTAMP)];
    if (inChannel === undefined || ts === undefined) throw new Error("an answer that cannot be read");
    return { channel: inChannel, ts, ...(threadTs === undefined ? {} : { threadTs }) };
  }
}

/** Attached below the text: as a block of its own, a text may have only 3,000 characters. */
function attachedButtons(buttons: readonly Button[]) {
  if (buttons.length === 0) return {};
  const elements = buttons.slice(0, MOST_BUTTONS).map(({ label, nonce }, index) => ({
    type: "button" as const,
    action_id: `button-${index}`,
    text: { type: "plain_text" as const, text: label.slice(0, LONGEST_LABEL).toWellFormed(), emoji: false },
    value: nonce,
  }));
  const fallback = buttons.map(({ label }) => label).join(" / ");
  return { attachments: [{ fallback, blocks: [{ type: "actions" as const, elements }] }] };
}

const HINTS: Readonly<Record<string, string>> = {
  not_in_channel: "invite the bot into the channel (/invite, then its name)",
  channel_not_found: "check the name, and invite the bot into the channel if it is private",
  is_archived: "the channel is archived",
  missing_scope: "add the scope to the app and install it again",
};

function outcomeOf(failure: CallFailure): SayingOutcome {
  const { words: why } = failure;
  switch (failure.kind) {
    case "refused": {
      const hint = Object.hasOwn(HINTS, failure.code) ? HINTS[failure.code] : undefined;
      return { kind: "refused", why: hint === undefined ? why : `${why} (${hint})` };
    }
    case "throttled":
      return { kind: "outage", why, retryAfterMs: failure.afterMs };
    // A person can mend the token, and the message waits until then.
    case "unauthorised":
      return { kind: "outage", why };
    case "unreachable":
      return failure.isUnsent ? { kind: "outage", why } : { kind: "outage", why, perhapsSaid: true };
  }
}
