/**
 * Who is there: who runs (roster), whom a name means (recipients), and here who speaks, by token, session or terminal.
 * Every room asks it; only the registrar changes it. It never talks to a terminal.
 */
import { agentAddress, programAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, SessionId, Source } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { runningProgram, sharedConversation } from "../../core/rights/agent-programs.ts";
import { headline } from "../../core/session.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { LiveSession } from "./live-session.ts";
import { Recipients } from "./recipients.ts";

export interface SenderIdentity {
  readonly address: Address;
  readonly sessionId?: SessionId;
  readonly source: Source;
  /** The owner speaks in somebody's name. */
  readonly byOwner?: true;
}

/** The id as given, although nobody has this address. An id that could be read as something else is not repeated. */
export function unknownSessionAddress(id: string): Address {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id) ? sessionAddress(id) : "session/unknown";
}

export class Directory extends Recipients {
  headlineOf(session: StoredSession, titleHeadline?: string): string {
    const agent = this.store.read.agent(session.agent);
    const live = this.get(session.id);
    return headline({
      chosenName: agent?.chosen === true ? session.agent : undefined,
      title: titleHeadline ?? live?.profile.headlineFromTitle(session.title),
      lastPrompt: (live && this.#deliveredLast(session.id)) ?? session.lastPrompt,
      branch: session.branch,
      id: session.id,
    });
  }

  /** What a person typed there is private: it is the headline only if nothing was ever delivered to the session. */
  #deliveredLast(id: SessionId): string | undefined {
    // Notices and keys make no headline.
    return this.store.read
      .arrivedIn(id)
      .find(({ source, form }) => source !== "bellhop" && form.kind === "text")?.body;
  }

  /** Whom a process speaks as: its own session if it has one, else the person at this machine. */
  sender(claims: Claims, from: string | undefined): SenderIdentity {
    return this.#speaking(claims, from, (name) => this.#namedSender(name));
  }

  /** A sender that brings messages from outside, or uses a name that is no agent's: a bridge, a script. */
  bringer(claims: Claims, from: string | undefined, channel: string | undefined): SenderIdentity {
    const sender = this.#speaking(claims, from, (name) =>
      this.isSomebody(name) ? this.#namedSender(name) : { address: programAddress(name), source: "script" },
    );
    if (channel === undefined || channel === "internal") return sender;
    if (sender.source === "agent") {
      throw new BellhopError("request.forbidden", {
        message: "An agent's message is not from outside.",
        next: 'Leave "source" out, or name the bridge that brings it.',
      });
    }
    return { address: sender.address, source: channel === "webhook" ? "webhook" : "bridge" };
  }

  /** `named`: resolves another sender that the person names. */
  #speaking(
    claims: Claims,
    from: string | undefined,
    named: (from: string) => SenderIdentity,
  ): SenderIdentity {
    if (claims.agent !== undefined) return this.#byToken(claims.agent, from);
    const own = this.ownSession(claims);
    if (own !== undefined) {
      if (from !== undefined) throw speaksForItself(`session ${own.id} of "${own.agent}"`);
      return { address: agentAddress(own.agent), sessionId: own.id, source: "agent" };
    }
    const stranger = strangerIn(claims);
    if (stranger !== undefined) {
      if (from !== undefined) throw speaksForItself(stranger);
      return { address: stranger, source: "script" };
    }
    if (from === undefined) return { address: `person/${claims.user}`, source: "person" };
    return { ...named(from), byOwner: true };
  }

  /** With an agent's own token the caller is that agent, whatever it claims. */
  #byToken(agent: AgentName, from: string | undefined): SenderIdentity {
    if (from !== undefined && from !== agent && from !== agentAddress(agent)) {
      throw new BellhopError("request.forbidden", {
        message: `This token speaks for "${agent}" and nobody else.`,
        next: "Send without naming a sender.",
      });
    }
    if (this.store.read.agent(agent) === undefined) {
      throw new BellhopError("agent.unknown", {
        message: `The agent that this token speaks for is gone: "${agent}".`,
        next: `Create it again with "bellhop agent add ${agent}".`,
      });
    }
    return this.#asAgent(agent);
  }

  #asAgent(agent: AgentName): SenderIdentity {
    const sessionId = this.takerOf(agent)?.record.id;
    return { address: agentAddress(agent), source: "agent", ...present({ sessionId }) };
  }

  ownSession(claims: Claims): StoredSession | undefined {
    // A process run by a server that several terminals share has only this of its own in its environment.
    const shared = sharedConversation(claims.programSessions);
    if (shared !== undefined) return this.#byProgramSessions([shared.id]);
    if (claims.session !== undefined) {
      const session = this.recordOf(claims.session);
      if (session !== undefined) return session;
    }
    const { programSessions, tmux, besideAgent } = claims;
    // Most callers say nothing of programs; then not everyone who runs is looked at.
    const byProgram =
      programSessions === undefined ? undefined : this.#byProgramSessions(Object.values(programSessions));
    if (byProgram !== undefined) return byProgram;
    return tmux === undefined || besideAgent === true ? undefined : this.atPane(tmux)?.record;
  }

  atPane({ socket, pane }: NonNullable<Claims["tmux"]>): LiveSession | undefined {
    const there = this.at({ server: socket, pane });
    // Of two in one terminal, only the one in front runs commands.
    return there.find(({ suspension }) => suspension === undefined) ?? there[0];
  }

  #byProgramSessions(ids: readonly string[]): StoredSession | undefined {
    if (ids.length === 0) return undefined;
    return this.all().find(
      ({ record }) => record.programSessionId !== undefined && ids.includes(record.programSessionId),
    )?.record;
  }

  /** The owner may name another sender: an agent by any of its names, or a path such as `person/dev`. */
  #namedSender(from: string): SenderIdentity {
    const address = this.resolve(from);
    if (address.startsWith("bellhop/")) {
      throw new BellhopError("request.forbidden", {
        message: "Only Bellhop itself speaks as bellhop/….",
        next: "Name an agent, a person or a program.",
      });
    }
    const { kind, rest } = splitAddress(address);
    if (kind === "person" && !/^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u.test(rest)) {
      throw new BellhopError("name.invalid", {
        message: "A person's name may hold letters, digits, dot, hyphen, underscore and blanks.",
        next: "Use person/NAME with such a name.",
      });
    }
    if (kind === "session") {
      const session = this.recordOf(rest);
      if (session !== undefined)
        return { address: agentAddress(session.agent), sessionId: session.id, source: "agent" };
    }
    if (kind === "agent") return this.#asAgent(rest);
    return { address, source: kind === "person" ? "person" : "script" };
  }
}

/** A caller that claims a session, or is run by an agent program, but is not known to us: never the person. */
function strangerIn(claims: Claims): Address | undefined {
  if (claims.session !== undefined) return unknownSessionAddress(claims.session);
  const program = runningProgram(claims.programSessions);
  return program === undefined ? undefined : `program/${program}`;
}

function speaksForItself(self: string): BellhopError {
  return new BellhopError("request.forbidden", {
    message: `An agent speaks for itself: this is ${self}.`,
    next: "Send without --from.",
  });
}
