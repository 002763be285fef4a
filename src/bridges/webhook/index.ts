/** The bridge for webhooks: what other systems send, on a port of its own and on the daemon's. It only receives. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { backoffMs } from "../../core/time/backoff.ts";
import type { Bridge, BridgeHealth, OutsideInbox, SayingOutcome } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { rest } from "../../system/resting.ts";
import { own } from "../fields.ts";
import { checkWebhookSettings, faultOf, type WebhookService, type WebhookSettings } from "./config.ts";
import { type Addressed, answer, type Listening, listen } from "./listener.ts";
import { LATER, Reception } from "./reception.ts";

export interface WebhookNeeds {
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface WebhookBridge extends Bridge {
  /** Where it listens, once it does. */
  readonly port: number | undefined;
  /** Answers a request that came in elsewhere, as if it had come in here. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Throws `config.invalid`. */
export function webhookBridge(settings: WebhookSettings, needs: WebhookNeeds): WebhookBridge {
  return new ListeningBridge(checkWebhookSettings(settings), needs);
}

const BACKOFF = { firstMs: 1_000, longestMs: 60_000 };
const UNWRITTEN =
  'Bellhop cannot write down what arrives: see "bellhop doctor". Services are told to send it again.';

class ListeningBridge implements WebhookBridge {
  readonly name = "webhook";
  readonly #settings: Required<WebhookSettings>;
  readonly #needs: WebhookNeeds;
  readonly #closing = new AbortController();
  /** By name, with their secrets. */
  readonly #services = new Map<string, Required<Pick<WebhookService, "kind" | "secret">>>();
  readonly #faults: readonly string[];
  #inbox: OutsideInbox | undefined;
  #reception: Reception | undefined;
  #health: BridgeHealth;
  #listening: Listening | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(settings: Required<WebhookSettings>, needs: WebhookNeeds) {
    this.#settings = settings;
    this.#needs = needs;
    this.#health = { state: "connecting", since: needs.clock.now() };
    const faults: string[] = [];
    for (const [name, service] of Object.entries(settings.services)) {
      const fault = faultOf(name, service);
      if (fault === undefined)
        this.#services.set(name, { kind: service.kind, secret: (service.secret ?? "").trim() });
      else faults.push(fault);
    }
    this.#faults = faults;
  }

  get port(): number | undefined {
    return this.#listening?.port;
  }

  reaches(): boolean {
    return false;
  }

  async open(inbox: OutsideInbox): Promise<void> {
    const { clock, log } = this.#needs;
    this.#inbox = inbox;
    for (const fault of this.#faults) log.warn("a webhook service does not start", { why: fault });
    if (this.#services.size === 0) return this.#become("refused", this.#faults.join(" "));
    const services = this.#services;
    const writes = (canWrite: boolean) => (canWrite ? this.#isUp() : this.#become("down", UNWRITTEN));
    this.#reception = new Reception({ services, inbox, clock, log, writes });
    this.#running = this.#listen();
    await this.#running;
  }

  answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return answer(request, response, this.#addressed());
  }

  async say(): Promise<SayingOutcome> {
    return { kind: "refused", why: "webhooks only receive" };
  }

  health(): BridgeHealth {
    return this.#health;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#listening?.close();
  }

  /** The first try is awaited: after it, it listens or says why not. */
  async #listen(attempt = 0): Promise<void> {
    const { clock, random } = this.#needs;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    try {
      this.#listening = await listen({ port: this.#settings.port, ...this.#addressed() });
      this.#isUp();
    } catch (error) {
      this.#become("down", bindingWords(this.#settings.port, own(error, "code")));
      const pause = rest(clock, backoffMs(BACKOFF, attempt, random()), signal);
      this.#running = pause.then(() => this.#listen(attempt + 1));
    }
  }

  #addressed(): Addressed {
    return {
      knows: (service) => Object.hasOwn(this.#settings.services, service),
      // Without an inbox, or after the end, nothing can be written down.
      handle: async (request) =>
        this.#closing.signal.aborted ? LATER : ((await this.#reception?.handle(request)) ?? LATER),
    };
  }

  /** It works; services that could not start are named nevertheless. */
  #isUp(): void {
    this.#become("connected", this.#faults.length === 0 ? undefined : this.#faults.join(" "));
  }

  #become(state: BridgeHealth["state"], error?: string): void {
    const before = this.#health;
    if (before.state === state && before.error === error) return;
    const since = before.state === state ? before.since : this.#needs.clock.now();
    this.#health = { state, since, ...(error === undefined ? {} : { error }) };
    if (before.state !== state) this.#needs.log.info(`webhooks are ${state}`, { port: this.port });
    this.#inbox?.changed();
  }
}

function bindingWords(port: number, code: unknown): string {
  if (code === "EADDRINUSE")
    return `Another program has the port ${port}. Stop it, or set bridges.webhook.port to another one. Bellhop keeps trying.`;
  if (code === "EACCES")
    return `Bellhop may not use the port ${port}. Set bridges.webhook.port to one above 1023.`;
  return `The port ${port} cannot be opened (${typeof code === "string" ? code : "unknown"}). Bellhop keeps trying.`;
}
