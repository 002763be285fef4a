/**
 * Whether the caller may do this: sits between every door and every use-case. It settles who asks, checks what the
 * request needs against their rights, and knows what belongs to whom. It changes nothing.
 */
import { agentAddress, splitAddress } from "../../core/address.ts";
import { assertNever } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { sharesServer } from "../../core/rights/agent-programs.ts";
import type { Need, Report, Thing } from "../../core/rights/needs.ts";
import { ownerOnly, rightMissing, rightsOf, type Speaker } from "../../core/rights/rights.ts";
import { isNobodys } from "../../core/routing/private-paths.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type {
  AnyRequestOf,
  AnyVerb,
  AskedUseCases,
  NeedsOf,
  RequestOf,
  UseCases,
  Verb,
} from "../../wire/verbs/index.ts";
import { standsForSomebody } from "../arrivals/agent-names.ts";
import { unknownSessionAddress } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { Reminders } from "../time/reminders.ts";
import type { Queries } from "../views/queries.ts";
import { Speakers, type TurnProcesses } from "./speakers.ts";

const MOST_GENERATIONS = 64;

export interface PermissionsParts extends Ground {
  readonly queries: Queries;
  readonly reminders: Reminders;
  readonly underway: TurnProcesses;
  /** What each verb needs, from the table of verbs. */
  readonly needs: NeedsOf;
  /** The sessions that a report is about. */
  reported(report: Report): readonly StoredSession[];
}

export class Permissions {
  readonly #parts: PermissionsParts;
  readonly #speakers: Speakers;

  constructor(parts: PermissionsParts) {
    this.#parts = parts;
    this.#speakers = new Speakers(parts.directory, parts.underway, parts.context);
  }

  /**
   * Calls `work` with corrected claims or rejects with `rights.missing`. Waits only if it must: requests stay in order.
   * Not async: each promise between a request and its commit lives as long as that takes.
   */
  admit<V extends AnyVerb, T>(
    claims: Claims,
    verb: V,
    request: AnyRequestOf<V>,
    work: (corrected: Claims) => Promise<T>,
  ): Promise<T> {
    const needs = () => this.#parts.needs(verb, request);
    try {
      const corrected = this.#speakers.correct(claims);
      if (corrected instanceof Promise) return corrected.then((then) => work(this.#admitted(then, needs)));
      return work(this.#admitted(corrected, needs));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #admitted(corrected: Claims, needs: () => readonly Need[]): Claims {
    const speaker = this.#speakers.speaker(corrected);
    if (speaker.kind === "owner") return corrected;
    const rights = rightsOf(speaker, this.#parts.context.settings().rights);
    for (const { right, what, unlessOwn, only } of needs()) {
      if (only === "owner") throw ownerOnly(speaker, what ?? "do this");
      if (rights.includes(right)) continue;
      if (unlessOwn === undefined || !this.#isOwn(speaker, unlessOwn))
        throw rightMissing(speaker, right, what);
    }
    return corrected;
  }

  #isOwn(speaker: Exclude<Speaker, { kind: "owner" }>, thing: Thing): boolean {
    const { directory, queries, context, reminders } = this.#parts;
    const own = this.#mailboxesOf(speaker);
    switch (thing.kind) {
      case "mailbox":
        return own.includes(directory.resolve(thing.who));
      case "agent":
        return speaker.kind === "agent" && thing.name.replace(/^agent\//, "") === speaker.agent;
      case "message": {
        const { id, from, to } = queries.message(thing.id);
        const touched = [from, to, ...context.store.read.deliveriesOf(id).map((delivery) => delivery.to)];
        return touched.some((address) => own.includes(address));
      }
      case "delivery":
        return own.includes(queries.delivery(thing.id).delivery.to);
      case "release": {
        const { delivery } = queries.delivery(thing.id);
        const isOwners = delivery.release === "withheld" || delivery.hold?.reason === "turn";
        return own.includes(delivery.to) && !isOwners;
      }
      case "sent": {
        const { message, delivery } = queries.delivery(thing.id);
        return own.includes(message.from) || own.includes(delivery.to);
      }
      case "terminal":
        return this.#isTerminalOf(speaker, directory.resolve(thing.who), own);
      case "reminder":
        return reminders.parties(thing.id).some((address) => own.includes(address));
      case "name":
        return this.#mayBeCalled(speaker, thing.name);
      case "pattern":
        return isNobodys(thing.pattern, own, context.settings().desk.channels);
      case "report":
        return this.#mayReport(speaker, this.#parts.reported(thing.report));
      default:
        return assertNever(thing);
    }
  }

  /**
   * A report about no known session comes from a program that has just started, or from one that an agent runs and that
   * is not a session. A token does not identify a program.
   */
  #mayReport(speaker: Exclude<Speaker, { kind: "owner" }>, about: readonly StoredSession[]): boolean {
    if (speaker.kind !== "agent") return about.length === 0;
    if (about.length === 0) return speaker.by === "program";
    return about.every(
      ({ agent, program }) => agent === speaker.agent || this.#runsHooksOf(speaker, program),
    );
  }

  /** A server that runs the hooks of several windows does not tell each which window it belongs to. */
  #runsHooksOf({ by, sessionId }: Extract<Speaker, { kind: "agent" }>, program: string): boolean {
    if (by !== "program" || !sharesServer(program) || sessionId === undefined) return false;
    return this.#parts.context.store.read.session(sessionId)?.program === program;
  }

  #mailboxesOf(speaker: Exclude<Speaker, { kind: "owner" }>): readonly Address[] {
    switch (speaker.kind) {
      case "agent":
        return this.#parts.directory.aliases(agentAddress(speaker.agent));
      case "unknown-session":
        return [unknownSessionAddress(speaker.id)];
      case "unknown-program":
        return [`program/${speaker.program}`];
      default:
        return assertNever(speaker);
    }
  }

  #isTerminalOf(speaker: Speaker, address: Address, own: readonly Address[]): boolean {
    if (own.includes(address)) return true;
    if (speaker.kind !== "agent") return false;
    const { kind, rest } = splitAddress(address);
    if (kind === "agent") return this.#isChild(rest, speaker.agent);
    const session = kind === "session" ? this.#parts.context.store.read.session(rest) : undefined;
    return session !== undefined && this.#descends(session, speaker.agent);
  }

  /** True if all its running sessions descend from `parent`; if none runs, all its past ones. */
  #isChild(agent: AgentName, parent: AgentName): boolean {
    const { directory, context } = this.#parts;
    const all = context.store.read.sessionsOf(agent);
    const live = all.filter(({ id }) => directory.get(id) !== undefined);
    const meant = live.length > 0 ? live : all;
    return meant.length > 0 && meant.every((session) => this.#descends(session, parent));
  }

  #descends(session: StoredSession, ancestor: AgentName): boolean {
    const { read } = this.#parts.context.store;
    let at: StoredSession | undefined = session;
    for (let generation = 0; at?.parent !== undefined && generation < MOST_GENERATIONS; generation += 1) {
      at = read.session(at.parent);
      if (at?.agent === ancestor) return true;
    }
    return false;
  }

  /** With a name come its mailbox and the rights granted to it. */
  #mayBeCalled(speaker: Speaker, name: AgentName): boolean {
    const { context } = this.#parts;
    if (speaker.kind === "agent" && (speaker.agent === name || this.#isChild(name, speaker.agent)))
      return true;
    return !standsForSomebody(name, context.store.read, context.settings().rights);
  }
}

/** Puts the permission check before every use-case; requests with `claims` get the corrected ones. */
export function askedUseCases(useCases: UseCases, permissions: Permissions): AskedUseCases {
  const asked = <V extends Verb>(verb: V): AskedUseCases[V] => {
    const useCase: (request: RequestOf<V>) => ReturnType<UseCases[V]> = useCases[verb] as never;
    const ask = (request: RequestOf<V>, claims: Claims) =>
      permissions.admit(
        claims,
        verb,
        request as AnyRequestOf<V>,
        (corrected): Promise<unknown> =>
          useCase(
            "claims" in request && request.claims !== corrected ? { ...request, claims: corrected } : request,
          ),
      );
    return ask as AskedUseCases[V];
  };
  return Object.fromEntries(
    (Object.keys(useCases) as Verb[]).map((verb) => [verb, asked(verb)]),
  ) as unknown as AskedUseCases;
}
