/** Decides what becomes of a request: who sent it, whether it can be read, and whether it is on disk. */
import type { OutsideInbox, Taken } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { textIn } from "../fields.ts";
import { arrivalOf } from "./arrivals.ts";
import { parseBody } from "./body.ts";
import type { WebhookService } from "./config.ts";
import type { Answer, WebhookRequest } from "./listener.ts";
import { RecentBodies } from "./recent-bodies.ts";
import { verify } from "./signatures.ts";

export interface ReceptionOptions {
  readonly services: ReadonlyMap<string, Required<Pick<WebhookService, "kind" | "secret">>>;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the store can write. */
  writes(canWrite: boolean): void;
}

const ACCEPTED: Answer = { status: 200 };
/** Services send it again. */
export const LATER: Answer = { status: 503 };
/** They wait about ten seconds for an answer. */
const WRITE_DEADLINE_MS = 8_000;
const LONGEST_CHALLENGE = 500;

export class Reception {
  readonly #options: ReceptionOptions;
  readonly #recent: RecentBodies;
  readonly #refused = new Map<string, number>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
    this.#recent = new RecentBodies(options.inbox);
  }

  async handle(request: WebhookRequest): Promise<Answer> {
    const { services, clock } = this.#options;
    const service = services.get(request.service);
    if (service === undefined) return LATER;
    const { kind, secret } = service;
    if (request.type === "form" && kind !== "slack") return { status: 415 };
    const verdict = verify(kind, secret, request, clock.now());
    if (verdict.kind === "forged") return this.#refuse(request.service, verdict.why, 401);
    const payload = parseBody(request.body, request.type);
    if (payload === undefined) return this.#refuse(request.service, "unreadable", 400);
    const challenge = kind === "slack" ? challengeIn(payload) : undefined;
    if (challenge !== undefined) return { status: 200, text: challenge };
    const { arrival, keep } = arrivalOf({ ...request, kind }, payload, this.#recent, clock.now());
    return this.#written(() => this.#options.inbox.take(arrival, keep));
  }

  async #written(take: () => Promise<Taken>): Promise<Answer> {
    const { clock, log, writes } = this.#options;
    let isLate = (): void => {};
    const late = new Promise<Answer>((resolve) => {
      isLate = clock.after(WRITE_DEADLINE_MS, () => resolve(LATER));
    });
    try {
      const taken = take().then((became) => {
        writes(true);
        return became === "left" ? LATER : ACCEPTED;
      });
      return await Promise.race([taken, late]);
    } catch (cause) {
      log.warn("a webhook cannot be written", { why: String(cause) });
      writes(false);
      return LATER;
    } finally {
      isLate();
    }
  }

  /** The first says enough; a flood must not fill the log. The sender is not told why. */
  #refuse(service: string, why: string, status: number): Answer {
    const count = (this.#refused.get(`${service} ${why}`) ?? 0) + 1;
    this.#refused.set(`${service} ${why}`, count);
    if (/^10*$/.test(String(count))) this.#options.log.warn("a webhook is refused", { service, why, count });
    return { status };
  }
}

/** Slack asks once whether the address is ours. */
function challengeIn(payload: unknown): string | undefined {
  return textIn(payload, "type") === "url_verification"
    ? textIn(payload, "challenge", LONGEST_CHALLENGE)
    : undefined;
}
