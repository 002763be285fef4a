/**
 * Notifications in the browsers that want them. Owns who wants them, and brings each piece of news to all: several at
 * once as one, again if a service fails, never what was answered meanwhile. Called by the desk and by the dashboard's
 * requests. It never sends a text of an agent, and to no host that is not on the list.
 */
import type { AttentionKind } from "../../core/attention.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { backoffMs } from "../../core/time/backoff.ts";
import { pushServiceOf } from "../../core/web/push-service.ts";
import type { PushSubscription, PushTarget } from "../../core/web/push-subscription.ts";
import type { Push, PushOutcome, PushSender } from "../../ports/push-sender.ts";
import type { LastPush, PushDevice } from "../../wire/shapes/web.ts";
import type { OfficeContext } from "../base/context.ts";
import { within } from "../base/deadline.ts";
import type { PushNews, PushTold } from "../desk/push-told.ts";
import type { Logins } from "./logins.ts";

const GATHER_MS = 500;
/** More at the same time are told as one. */
const MOST_AT_ONCE = 3;
const RETRY = { firstMs: 5_000, longestMs: 300_000, most: 7 } as const;
/** A permission that was asked for half a day ago cannot be answered by an old page either. */
const WORTH_FOR_SECONDS = 12 * 3_600;
const TOPIC_CHARACTERS = 32;
/** A daemon that stops does not wait for a service that does not answer. */
const CLOSES_WITHIN_MS = 1_000;
const URGENT: readonly string[] = ["permission", "question"] satisfies readonly AttentionKind[];
/** Who has no name of their own on the web gives services nobody to write to. */
const NO_CONTACT = "mailto:nobody@example.org";

/** What the page in the browser reads. */
interface Told {
  readonly id: string;
  readonly agent: string | null;
  readonly kind: PushNews["kind"] | "many" | "test";
  readonly count?: number;
}

export interface PushesParts {
  readonly context: OfficeContext;
  readonly logins: Logins;
  readonly sender: PushSender;
}

export class Pushes implements PushTold {
  readonly #parts: PushesParts;
  readonly #sending = new Set<Promise<void>>();
  readonly #waits = new Set<() => void>();
  readonly #last = new Map<string, LastPush>();
  #gathered: PushNews[] = [];
  #isClosed = false;

  constructor(parts: PushesParts) {
    this.#parts = parts;
  }

  since(): Instant | undefined {
    const [first] = this.#wanted();
    return first?.since;
  }

  tell(news: PushNews): void {
    if (this.#isClosed) return;
    this.#gathered.push(news);
    if (this.#gathered.length === 1) this.#after(GATHER_MS, () => this.#flush());
  }

  publicKey(): Promise<string> {
    return this.#parts.sender.publicKey();
  }

  /** What a browser that is logged in has. */
  device(webSession: string): PushDevice | null {
    const found = this.#of(webSession);
    if (found === undefined) return null;
    const { endpoint, since } = found;
    const { digest, settings } = this.#parts.context;
    return {
      since,
      service: pushServiceOf(endpoint, settings().pushServices) ?? new URL(endpoint).host,
      mark: digest(endpoint),
      ...present({ last: this.#last.get(webSession) }),
    };
  }

  async subscribe(webSession: string, target: PushTarget): Promise<void> {
    const { store, clock, settings, log } = this.#parts.context;
    const { endpoint, publicKey, secret } = target;
    if (pushServiceOf(endpoint, settings().pushServices) === undefined) throw unknownService(endpoint);
    await store.write((tx) => {
      if (!tx.webSessions().some(({ id }) => id === webSession)) throw notLoggedIn();
      const known = tx.pushSubscriptions().find((one) => one.webSession === webSession);
      const since = known?.endpoint === endpoint ? known.since : clock.now();
      tx.putPushSubscription({ webSession, endpoint, publicKey, secret, since });
    });
    log.info("push.wanted", { id: webSession });
  }

  async unsubscribe(webSession: string): Promise<void> {
    const { store, log } = this.#parts.context;
    await store.write((tx) => tx.removePushSubscription(webSession));
    this.#last.delete(webSession);
    log.info("push.unwanted", { id: webSession });
  }

  /** To this browser at once, whatever the hour. */
  async test(webSession: string): Promise<PushOutcome & { readonly service: string }> {
    const found = this.#of(webSession);
    if (found === undefined) throw notWanted();
    const outcome = await this.#send(found, { id: "", agent: null, kind: "test" });
    return { ...outcome, service: new URL(found.endpoint).host };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#waits) cancel();
    this.#waits.clear();
    await within(this.#parts.context.clock, CLOSES_WITHIN_MS, Promise.all(this.#sending), undefined);
  }

  #wanted(): readonly PushSubscription[] {
    const all = this.#parts.context.store.read.pushSubscriptions();
    if (all.length === 0) return all;
    const alive = new Set(this.#parts.logins.list().map(({ id }) => id));
    return all.filter(({ webSession }) => alive.has(webSession));
  }

  #of(webSession: string): PushSubscription | undefined {
    return this.#wanted().find((one) => one.webSession === webSession);
  }

  #flush(): void {
    const all = this.#gathered;
    this.#gathered = [];
    const news = all.filter((one) => one.isWanted());
    if (news.length > MOST_AT_ONCE) {
      const isWanted = () => news.some((one) => one.isWanted());
      this.#toAll({ id: "", agent: null, kind: "many", count: news.length }, isWanted);
      return;
    }
    for (const { id, agent, kind, isWanted } of news) this.#toAll({ id, agent, kind }, isWanted);
  }

  #toAll(told: Told, isWanted: () => boolean): void {
    for (const { webSession } of this.#wanted()) this.#begin(webSession, told, isWanted, 0);
  }

  #begin(webSession: string, told: Told, isWanted: () => boolean, attempt: number): void {
    const { log } = this.#parts.context;
    const sending = this.#attempt(webSession, told, isWanted, attempt)
      .catch((cause) => log.error("push.failed", { cause: String(cause) }))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #attempt(webSession: string, told: Told, isWanted: () => boolean, attempt: number): Promise<void> {
    const subscription = this.#of(webSession);
    if (subscription === undefined || !isWanted()) return;
    const outcome = await this.#send(subscription, told);
    if (outcome.kind !== "later" || attempt + 1 >= RETRY.most) return;
    const waitMs = Math.max(outcome.afterMs ?? 0, backoffMs(RETRY, attempt));
    this.#after(waitMs, () => this.#begin(webSession, told, isWanted, attempt + 1));
  }

  async #send(subscription: PushSubscription, told: Told): Promise<PushOutcome> {
    const { context, sender } = this.#parts;
    const { webSession, endpoint } = subscription;
    // The list of services may have changed since.
    const outcome: PushOutcome =
      pushServiceOf(endpoint, context.settings().pushServices) === undefined
        ? { kind: "refused", why: "it is no longer among web.push_services" }
        : await sender.send(subscription, this.#push(told));
    const why = "why" in outcome ? outcome.why : undefined;
    this.#last.set(webSession, { at: context.clock.now(), outcome: outcome.kind, ...present({ why }) });
    if (outcome.kind === "gone" && this.#of(webSession)?.endpoint === endpoint)
      await this.unsubscribe(webSession);
    const facts = { id: webSession, outcome: outcome.kind, ...present({ why }) };
    if (outcome.kind === "accepted") context.log.info("push.sent", facts);
    else context.log.warn("push.unsent", facts);
    return outcome;
  }

  #push(told: Told): Push {
    const { digest, settings } = this.#parts.context;
    const { webName } = settings();
    return {
      payload: JSON.stringify(told),
      topic: digest(`${told.kind} ${told.id}`).slice(0, TOPIC_CHARACTERS),
      urgency: URGENT.includes(told.kind) || told.kind === "many" ? "high" : "normal",
      worthForSeconds: WORTH_FOR_SECONDS,
      contact: webName === undefined ? NO_CONTACT : `https://${webName}`,
    };
  }

  #after(ms: number, act: () => void): void {
    if (this.#isClosed) return;
    const cancel = this.#parts.context.clock.after(ms, () => {
      this.#waits.delete(cancel);
      act();
    });
    this.#waits.add(cancel);
  }
}

function unknownService(endpoint: string): BellhopError {
  const host = URL.canParse(endpoint) ? new URL(endpoint).host : "this address";
  return new BellhopError("push.unknown_service", {
    message: `Bellhop sends no notifications to ${host.slice(0, 100)}.`,
    next: "If it is a push service that you trust, name its host in config.yaml: web: { push_services: [push.example.org] }.",
  });
}

function notWanted(): BellhopError {
  return new BellhopError("push.off", {
    message: "This browser gets no notifications.",
    next: 'Press "Notify this device" in the settings of the dashboard.',
  });
}

function notLoggedIn(): BellhopError {
  return new BellhopError("web.unknown", {
    message: "This browser is not logged in.",
    next: 'Open the link that "bellhop open" prints.',
  });
}
