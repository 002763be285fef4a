/** What happens in this process of OpenCode, according to its events. */
import { aboutConversation, mannerOf } from "./conversation.mjs";

const MOST_ANCESTORS = 20;
/** How often a message that got no turn is brought up again. */
const MOST_ATTEMPTS = 3;

/** Every conversation of this process: what it does, what it asks, and which prompts no turn has read yet. */
export class Watch {
  #sessions = new Map();
  #parents = new Map();
  #opened = new Set();
  #stops = [];
  #shown;

  constructor(api, reporter, graceMs) {
    this.api = api;
    this.reporter = reporter;
    this.graceMs = graceMs;
    for (const [type, handle] of Object.entries(this.#handlers())) {
      this.#stops.push(api.event.on(type, ({ properties }) => quietly(() => handle(properties))));
    }
  }

  session(id) {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const type = this.api.state.session.status(id)?.type ?? "idle";
    const session = {
      is: type === "idle" ? "idle" : "busy",
      since: Date.now(),
      failed: false,
      /** Bellhop knows of a prompt in it, and waits for the end of its turn. */
      prompted: false,
      asks: new Set(),
      /** Ids grow with time. */
      readUpTo: "",
      unread: new Map(),
      /** Texts from Bellhop that OpenCode has not told of yet. */
      handed: [],
      bringingUp: undefined,
    };
    this.#sessions.set(id, session);
    return session;
  }

  /** The conversation that the window shows; a sub-agent's belongs to the one above it. */
  shown() {
    const { name, params } = this.api.route.current;
    return name === "session" ? this.#rootOf(params.sessionID) : undefined;
  }

  /** A sub-agent's questions are asked in the same window. */
  asks(root) {
    const { permission, question } = this.api.state.session;
    if (permission(root).length > 0 || question(root).length > 0) return true;
    return [...this.#sessions].some(([id, { asks }]) => asks.size > 0 && this.#rootOf(id) === root);
  }

  look() {
    const shown = this.shown() ?? "none";
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (shown === "none") return this.#report("SessionStart", { source: "startup" });
    const session = this.session(shown);
    session.since = Date.now();
    this.#report("SessionStart", {
      ...aboutConversation(shown),
      source: session.is === "idle" ? "resume" : "busy",
    });
  }

  stop() {
    for (const off of this.#stops) off();
  }

  #handlers() {
    return {
      "session.created": ({ info }) => {
        if (info.parentID) this.#parents.set(info.id, info.parentID);
      },
      "session.status": ({ sessionID, status }) =>
        status.type === "idle" ? this.#ended(sessionID) : this.#began(sessionID),
      "session.error": ({ sessionID }) => {
        if (sessionID) this.session(sessionID).failed = true;
      },
      "message.updated": ({ info }) => this.#message(info),
      "message.removed": ({ sessionID, messageID }) => this.session(sessionID).unread.delete(messageID),
      "message.part.updated": ({ part }) => this.#part(part),
      "permission.asked": ({ sessionID, id, permission }) => this.#asked(sessionID, id, permission),
      "permission.replied": ({ sessionID, requestID, reply }) => this.#replied(sessionID, requestID, reply),
      "question.asked": ({ sessionID, id }) => this.#asked(sessionID, id, "question"),
      "question.replied": ({ sessionID, requestID }) => this.#replied(sessionID, requestID),
      "question.rejected": ({ sessionID, requestID }) => this.#replied(sessionID, requestID, "reject"),
    };
  }

  #began(id) {
    if (this.#changed(id, "busy") && this.#isBelowShown(id))
      this.#report("SubagentStart", this.#subAgent(id));
  }

  #ended(id) {
    const session = this.session(id);
    if (!this.#changed(id, "idle")) return;
    const event = session.failed ? "StopFailure" : "Stop";
    session.failed = false;
    if (this.#parentOf(id) !== undefined) {
      if (this.#isBelowShown(id)) this.#report("SubagentStop", this.#subAgent(id));
      return;
    }
    if (id === this.shown() || session.prompted) this.#report(event, this.#about(id));
    this.#bringUpLater(id);
  }

  #changed(id, is) {
    const session = this.session(id);
    if (session.is === is) return false;
    session.is = is;
    session.since = Date.now();
    return true;
  }

  #message({ id, sessionID, role, parentID, summary }) {
    const session = this.session(sessionID);
    if (role === "user" && id > session.readUpTo && !session.unread.has(id))
      session.unread.set(id, { text: undefined, ours: false, attempts: 0 });
    // A summary is made of what came before: what waits behind it is still unread.
    if (role === "assistant" && parentID && summary !== true) this.#taken(sessionID, parentID);
  }

  /** A turn reads every prompt up to the one that it names. */
  #taken(sessionID, upTo) {
    const session = this.session(sessionID);
    if (upTo > session.readUpTo) session.readUpTo = upTo;
    const read = [...session.unread]
      .filter(([id]) => id <= upTo)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [id, { text }] of read) {
      session.unread.delete(id);
      const isOwn = this.#parentOf(sessionID) === undefined;
      if (!isOwn || text === undefined) continue;
      session.prompted = true;
      this.#report("UserPromptSubmit", { ...this.#about(sessionID), prompt: text });
    }
  }

  #part({ type, id, sessionID, messageID, text, synthetic, tool, state }) {
    const session = this.session(sessionID);
    const prompt = session.unread.get(messageID);
    if (type === "text" && prompt !== undefined && synthetic !== true) {
      prompt.text = text;
      const at = session.handed.indexOf(text);
      if (at !== -1) session.handed.splice(at, 1);
      prompt.ours ||= at !== -1;
      if (at !== -1) this.#bringUpLater(sessionID);
    }
    if (type !== "tool" || tool !== "read" || state.status !== "completed" || this.#opened.has(id)) return;
    this.#opened.add(id);
    const whose =
      this.#parentOf(sessionID) === undefined ? this.#about(sessionID) : this.#subAgent(sessionID);
    this.#report("PostToolUse", {
      ...whose,
      tool_name: "Read",
      tool_input: { file_path: state.input?.filePath ?? "" },
    });
  }

  #asked(sessionID, id, what) {
    this.session(sessionID).asks.add(id);
    const root = this.#rootOf(sessionID);
    if (root === this.shown())
      this.#report("PermissionRequest", { ...aboutConversation(root), tool_name: what });
  }

  #replied(sessionID, requestID, reply) {
    const session = this.session(sessionID);
    session.asks.delete(requestID);
    this.session(this.#rootOf(sessionID)).since = Date.now();
    // It ends the turn, as Escape does.
    if (reply === "reject") session.failed = true;
  }

  /** Counted from the last time that something happened: whoever stopped a turn has the whole grace. */
  #bringUpLater(sessionID) {
    const session = this.session(sessionID);
    clearTimeout(session.bringingUp);
    session.bringingUp = setTimeout(() => this.#bringUp(sessionID).catch(() => "tried again"), this.graceMs);
    session.bringingUp.unref?.();
  }

  /**
   * What Bellhop handed over and no turn will read: the turn before it was rejected or stopped, or ended in the very
   * moment in which it came.
   */
  async #bringUp(sessionID) {
    const session = this.session(sessionID);
    const [messageID, prompt] = [...session.unread].filter(([, { ours }]) => ours).at(-1) ?? [];
    if (session.is !== "idle" || prompt === undefined || prompt.attempts >= MOST_ATTEMPTS) return;
    prompt.attempts += 1;
    this.#bringUpLater(sessionID);
    // The same message: OpenCode keeps it once, and begins a turn.
    const manner = mannerOf(this.api, sessionID);
    await this.api.client.session.promptAsync({ sessionID, messageID, parts: [], ...manner });
  }

  /** What happens in a conversation that the window does not show says nothing about the window. */
  #about(root) {
    return { ...aboutConversation(root), ...(root === this.shown() ? {} : { hidden: true }) };
  }

  #isBelowShown(id) {
    return this.#parentOf(id) !== undefined && this.#rootOf(id) === this.shown();
  }

  #subAgent(id) {
    return { ...aboutConversation(this.#rootOf(id)), agent_id: id, agent_type: "task" };
  }

  #parentOf(id) {
    return this.#parents.get(id) ?? (this.api.state.session.get(id)?.parentID || undefined);
  }

  #rootOf(id) {
    let root = id;
    for (let steps = 0; steps < MOST_ANCESTORS; steps += 1) {
      const parent = this.#parentOf(root);
      if (parent === undefined) break;
      root = parent;
    }
    return root;
  }

  #report(event, payload) {
    this.reporter.report(event, { cwd: this.api.state.path.directory, ...payload });
  }
}

/** Whatever goes wrong here, OpenCode goes on. */
function quietly(act) {
  try {
    act();
  } catch {
    // Nothing of OpenCode's depends on it.
  }
}
