/**
 * The cluster while it is open: a dispatch for each host to which something goes, the intake of what comes, the news that
 * are owed, and what the hosts say of themselves. The cluster room opens and closes it. Everything heavy is loaded with
 * this file, and only then.
 */
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import { type HostName, hostMailbox, hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Address, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { ClusterEngine, EngineEars, EngineStanding, Sealer } from "../../ports/cluster-engine.ts";
import type { ClusterReport, HostTraffic, ShownEngine, ShownHost } from "../../wire/shapes/cluster.ts";
import type { Accept } from "../accept/accept.ts";
import { within } from "../base/deadline.ts";
import type { Touches } from "../base/touches.ts";
import type { Ground } from "../presence/ground.ts";
import type { NewHome } from "./moving/moving-in.ts";
import type { KnownHosts } from "./neighbours.ts";
import { type Pinged, Pinging } from "./pinging.ts";
import { Dispatch } from "./sending/dispatch.ts";
import { Overstaying, type OverstayingParts } from "./sending/overstaying.ts";
import { Intake } from "./taking/intake.ts";
import { Telling } from "./taking/telling.ts";

export interface OpenClusterParts extends Ground {
  readonly accept: Accept;
  readonly touches: Touches;
  /** This host. */
  readonly host: HostName;
  admitted(): readonly AdmittedHost[];
  readonly engine: ClusterEngine;
  readonly sealer: Sealer;
  readonly hosts: KnownHosts;
  readonly home: NewHome;
  readonly timekeeper: OverstayingParts["timekeeper"];
}

/** A daemon that stops does not wait longer for an engine that does not answer: neither for a bag nor for its goodbye. */
const GOODBYE_WITHIN_MS = 1_000;

interface Traffic {
  lastIn?: Instant;
  lastOut?: Instant;
}

export class OpenCluster {
  readonly #parts: OpenClusterParts;
  readonly #telling: Telling;
  readonly #pinging: Pinging;
  readonly #intake: Intake;
  readonly #overstaying: Overstaying;
  readonly #dispatches = new Map<HostName, Dispatch>();
  readonly #traffic = new Map<HostName, Traffic>();
  #isStopped = false;

  constructor(parts: OpenClusterParts) {
    this.#parts = parts;
    this.#pinging = new Pinging(parts);
    this.#telling = new Telling({ ...parts, owed: (host) => this.#dispatchTo(host).wake() });
    this.#overstaying = new Overstaying({ ...parts, wake: (mailbox) => this.wake(mailbox) });
    this.#intake = new Intake({
      ...parts,
      telling: this.#telling,
      admitted: (host) => this.#admitted(host),
      formerNames: (key) => parts.hosts.formerNames(key),
      dispatchTo: (host) => this.#dispatchTo(host),
      onBag: (host) => this.#note(host, "lastIn"),
      onMissing: (deliveries) => this.#pinging.missing(deliveries),
    });
  }

  start(): void {
    const { engine, hosts } = this.#parts;
    this.#telling.start();
    for (const host of this.#withMail()) this.#dispatchTo(host);
    this.#expectNews();
    engine.open(this.#ears());
    hosts.start();
    this.#overstaying.start();
  }

  /** Finishes the bags under way, and says goodbye. What waits stays here; what is cut off goes again the next time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#telling.stop();
    const { engine, context, hosts } = this.#parts;
    await this.#stopped(hosts.stop());
    await this.#stopped(this.#overstaying.stop());
    const stopping = [...this.#dispatches.values()].map((dispatch) => this.#stopped(dispatch.stop()));
    const dispatched = Promise.all(stopping);
    const isAnswered = dispatched.then(() => true as const);
    if (await within(context.clock, GOODBYE_WITHIN_MS, isAnswered, false)) await this.#sayGoodbye();
    await engine.close();
    await dispatched;
  }

  /** Whatever cannot be written keeps nothing else from stopping, least of all the engine: another may be opened. */
  async #stopped(stopping: Promise<void>): Promise<void> {
    await stopping.catch((cause: unknown) => {
      this.#parts.context.log.error("cluster.not_stopped", { cause: String(cause) });
    });
  }

  /** The others need not wait until its lease ends. */
  async #sayGoodbye(): Promise<void> {
    const { engine, context } = this.#parts;
    if (engine.standing().state !== "up") return;
    const departed = engine.depart().catch((cause: unknown) => {
      context.log.info("cluster.departed_in_silence", { cause: String(cause) });
    });
    await within(context.clock, GOODBYE_WITHIN_MS, departed, undefined);
  }

  wake(mailbox: Address): void {
    const host = hostOfMailbox(mailbox);
    if (host !== undefined && !this.#isStopped) this.#dispatchTo(host).wake();
  }

  /** Who is admitted, or how the engine stands, has changed: what waited may go, and the other way round. */
  reconsider(): void {
    this.#expectNews();
    for (const dispatch of this.#dispatches.values()) dispatch.reconsider();
  }

  /** Undefined if it is not admitted. */
  async ping(host: HostName): Promise<Pinged | undefined> {
    const admitted = this.#admitted(host);
    return admitted && this.#pinging.ping(host, admitted.key);
  }

  report(): ClusterReport {
    const { host, engine } = this.#parts;
    const standing = engine.standing();
    const isStuck = standing.state === "down" && standing.stuck === true;
    const hosts = new Set([...this.#parts.admitted().map((one) => one.host), ...this.#dispatches.keys()]);
    return {
      host,
      engine: shownEngine(standing),
      traffic: [...hosts].toSorted().map((one) => this.#trafficOf(one)),
      strangers: this.#intake.strangers,
      ...(isStuck ? { stuck: true as const } : {}),
    };
  }

  /** As they say of themselves, and with what is odd about them. */
  list(): readonly ShownHost[] {
    return this.#parts.hosts.list().map((one) => {
      const isUnanswered = one.state === "up" && this.#dispatches.get(one.host)?.isUnanswered === true;
      return isUnanswered ? { ...one, doubt: unanswered(one.host) } : one;
    });
  }

  #ears(): EngineEars {
    const { hosts } = this.#parts;
    return {
      bag: (bag) => this.#intake.take(bag),
      announced: (host, bytes) => {
        hosts.announced(host, bytes);
        if (bytes !== undefined) this.#dispatches.get(host)?.announced();
      },
      isOwn: (bytes) => hosts.checkOwn(bytes),
      standing: (standing) => {
        this.#parts.context.log.info("cluster.engine", { ...standing });
        if (standing.state === "up") hosts.connected();
        this.reconsider();
        if (standing.state === "up") for (const dispatch of this.#dispatches.values()) dispatch.connected();
      },
    };
  }

  /** Those for which something waits or is on its way. */
  #withMail(): ReadonlySet<HostName> {
    const { read } = this.#parts.context.store;
    const mailboxes = [...read.mailboxesWithQueued(), ...read.mailboxesWithDelivering()];
    return new Set(mailboxes.flatMap((mailbox) => hostOfMailbox(mailbox) ?? []));
  }

  /** Also of what is delivered: such news may be lost, and are asked for. */
  #expectNews(): void {
    if (this.#isStopped) return;
    for (const { host } of this.#parts.admitted())
      if (!this.#dispatches.has(host) && this.#mayHaveNews(host)) this.#dispatchTo(host);
  }

  /** While that cannot be read, whoever asks tries again: the others are not to wait for it. */
  #mayHaveNews(host: HostName): boolean {
    const { store, log } = this.#parts.context;
    try {
      return store.read.sentLetters({ host, limit: 1 }).length > 0;
    } catch (cause) {
      log.warn("cluster.letters_unread", { host, cause: String(cause) });
      return true;
    }
  }

  #dispatchTo(host: HostName): Dispatch {
    const known = this.#dispatches.get(host);
    if (known !== undefined) return known;
    const dispatch = new Dispatch({
      ...this.#parts,
      telling: this.#telling,
      to: host,
      admitted: () => this.#admitted(host),
      onStored: () => this.#note(host, "lastOut"),
    });
    this.#dispatches.set(host, dispatch);
    if (!this.#isStopped) dispatch.start();
    return dispatch;
  }

  #admitted(host: HostName): AdmittedHost | undefined {
    return this.#parts.admitted().find((one) => one.host === host);
  }

  #note(host: HostName, what: keyof Traffic): void {
    const traffic = this.#traffic.get(host) ?? {};
    traffic[what] = this.#parts.context.clock.now();
    this.#traffic.set(host, traffic);
  }

  #trafficOf(host: HostName): HostTraffic {
    const { read } = this.#parts.context.store;
    const mailbox = hostMailbox(host);
    const { lastIn, lastOut } = this.#traffic.get(host) ?? {};
    return {
      ...{ host, waiting: read.countQueued([mailbox]), underway: read.countDelivering(mailbox) },
      ...present({ lastIn, lastOut, trouble: this.#dispatches.get(host)?.trouble }),
    };
  }
}

function unanswered(host: HostName): string {
  return `it has said nothing of what went there: does it admit this host? (on ${host}: bellhop cluster hosts)`;
}

function shownEngine(standing: EngineStanding): ShownEngine {
  if (standing.state !== "down") return standing;
  const { stuck: _, ...shown } = standing;
  return shown;
}
