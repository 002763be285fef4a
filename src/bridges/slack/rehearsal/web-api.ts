/** The methods of the Web API that Bellhop calls, with Slack's checks and its names of errors. */
import { CallRefusal } from "./refusal.ts";
import { APP, BOT, type PostedMessage, TEAM, type Workspace } from "./workspace.ts";

export type CallArguments = Readonly<Record<string, string>>;

export interface WebApiOptions {
  readonly workspace: Workspace;
  readonly appToken: string;
  readonly botToken: string;
  /** The address of a socket that may be used once. */
  ticket(): string;
  /** The bot wrote something: everyone in the channel is told, and so is the bot. */
  posted(message: PostedMessage): void;
}

const LONGEST_TEXT = 40_000;

export class WebApi {
  readonly #options: WebApiOptions;
  /** Bots that may not know people's names. */
  knowsPeople = true;
  knowsChannels = true;

  constructor(options: WebApiOptions) {
    this.#options = options;
  }

  /** Throws a `CallRefusal`. */
  call(method: string, token: string, args: CallArguments): Readonly<Record<string, unknown>> {
    const { appToken, botToken } = this.#options;
    if (token === "") throw new CallRefusal("not_authed");
    if (token !== appToken && token !== botToken) throw new CallRefusal("invalid_auth");
    const isAppMethod = method === "apps.connections.open";
    if (isAppMethod !== (token === appToken)) throw new CallRefusal("not_allowed_token_type");
    switch (method) {
      case "apps.connections.open":
        return { url: this.#options.ticket() };
      case "auth.test":
        return {
          url: "https://rehearsal.slack.com/",
          team: "Rehearsal",
          team_id: TEAM,
          user: BOT.name,
          user_id: BOT.id,
          bot_id: BOT.botId,
          is_enterprise_install: false,
        };
      case "chat.postMessage":
        return this.#post(args);
      case "chat.update":
        return this.#update(args);
      case "conversations.info":
        return this.#channelInfo(args);
      case "conversations.history":
        return this.#history(args);
      case "conversations.replies":
        return this.#replies(args);
      case "users.info":
        return this.#personInfo(args);
      default:
        throw new CallRefusal("unknown_method", { req_method: method });
    }
  }

  #post({
    channel: word = "",
    text = "",
    thread_ts,
    attachments,
  }: CallArguments): Readonly<Record<string, unknown>> {
    const { workspace } = this.#options;
    const channel = workspace.channelFor(word);
    if (!channel.hasBot) throw new CallRefusal("not_in_channel");
    if (channel.isArchived) throw new CallRefusal("is_archived");
    if (text === "") throw new CallRefusal("no_text");
    if (thread_ts !== undefined && !/^\d+\.\d+$/.test(thread_ts)) throw new CallRefusal("invalid_thread_ts");
    const attached = attachmentsOf(attachments);
    const message = workspace.post({
      channel: channel.id,
      user: BOT.id,
      bot_id: BOT.botId,
      app_id: APP,
      text: text.slice(0, LONGEST_TEXT),
      ...(thread_ts === undefined ? {} : { thread_ts }),
      ...(attached.length === 0 ? {} : { attachments: attached }),
    });
    this.#options.posted(message);
    return { channel: channel.id, ts: message.ts, message };
  }

  #update({
    channel = "",
    ts = "",
    text = "",
    attachments,
  }: CallArguments): Readonly<Record<string, unknown>> {
    const { workspace } = this.#options;
    const { attachments: _, ...before } = workspace.message(channel, ts);
    if (before.user !== BOT.id) throw new CallRefusal("cant_update_message");
    const attached = attachmentsOf(attachments);
    const after = { ...before, text, ...(attached.length === 0 ? {} : { attachments: attached }) };
    workspace.replace(after);
    return { channel, ts, text, message: after };
  }

  #channelInfo({ channel: id = "" }: CallArguments): Readonly<Record<string, unknown>> {
    if (!this.knowsChannels)
      throw new CallRefusal("missing_scope", { needed: "channels:read", provided: "chat:write" });
    const { name, hasBot, isArchived, person } = this.#options.workspace.channel(id);
    const kind = person === undefined ? { is_channel: true, name } : { is_im: true, user: person };
    return { channel: { id, ...kind, is_member: hasBot, is_archived: isArchived } };
  }

  /** The newest first; answers in threads are not part of it. */
  #history(args: CallArguments): Readonly<Record<string, unknown>> {
    const messages = this.#said(args).filter(
      ({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts,
    );
    return pageOf(messages.reverse(), args);
  }

  /** The oldest first, and before them always the message that was answered. */
  #replies(args: CallArguments): Readonly<Record<string, unknown>> {
    const { channel = "", ts: root = "" } = args;
    const { channel: _, ...parent } = this.#options.workspace.message(channel, root);
    const replies = this.#said(args).filter(({ ts, thread_ts }) => thread_ts === root && ts !== root);
    return pageOf([parent, ...replies], args);
  }

  #said({ channel: id = "", oldest = "0" }: CallArguments): Omit<PostedMessage, "channel">[] {
    const { workspace } = this.#options;
    if (!workspace.channel(id).hasBot) throw new CallRefusal("not_in_channel");
    return workspace.messages
      .filter((message) => message.channel === id && message.ts > oldest)
      .map(({ channel: _, ...message }) => message);
  }

  #personInfo({ user: id = "" }: CallArguments): Readonly<Record<string, unknown>> {
    if (!this.knowsPeople)
      throw new CallRefusal("missing_scope", { needed: "users:read", provided: "chat:write" });
    const person = this.#options.workspace.person(id);
    if (person === undefined) throw new CallRefusal("user_not_found");
    const { name } = person;
    return { user: { id, name: name.toLowerCase(), real_name: name, profile: { display_name: name } } };
  }
}

function pageOf(
  messages: readonly Omit<PostedMessage, "channel">[],
  { limit = "100", cursor = "0" }: CallArguments,
): Readonly<Record<string, unknown>> {
  const end = Number(cursor) + Number(limit);
  const has_more = end < messages.length;
  const next = has_more ? { response_metadata: { next_cursor: String(end) } } : {};
  return { messages: messages.slice(Number(cursor), end), has_more, ...next };
}

function attachmentsOf(text: string | undefined): readonly unknown[] {
  if (text === undefined) return [];
  try {
    const attachments: unknown = JSON.parse(text);
    if (Array.isArray(attachments)) return attachments;
  } catch {
    // It is refused below.
  }
  throw new CallRefusal("invalid_attachments");
}
