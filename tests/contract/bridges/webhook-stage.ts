/** A service that calls Bellhop, again and again until it is answered, and everything to call it by hand. */

import { createHmac } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sign as signForGithub } from "@octokit/webhooks-methods";
import type { WebhookService } from "../../../src/bridges/webhook/config.ts";
import { type WebhookBridge, webhookBridge } from "../../../src/bridges/webhook/index.ts";
import type { Log } from "../../../src/ports/log.ts";
import { systemClock } from "../../../src/system/clock.ts";
import type { BridgeStage } from "./contract.ts";

export const TOKEN = "correct-horse-battery-staple";
const RETRY_MS = 30;

export const GITHUB = "github-secret";
export const STRIPE = "whsec_stripe";
export const STANDARD = `whsec_${Buffer.from("twenty-four bytes of key").toString("base64")}`;
const SLACK = "slack-secret";
export const SERVICES: Readonly<Record<string, WebhookService>> = {
  ci: { kind: "token", secret: TOKEN },
  github: { kind: "github", secret: GITHUB },
  gitlab: { kind: "gitlab", secret: TOKEN },
  stripe: { kind: "stripe", secret: STRIPE },
  clerk: { kind: "standard", secret: STANDARD },
  slack: { kind: "slack", secret: SLACK },
};
/** None of them may be seen anywhere. */
export const SECRETS = [GITHUB, STRIPE, STANDARD, SLACK, TOKEN];
export const bearer = { authorization: `Bearer ${TOKEN}` };

export async function githubHeaders(body: string, event: string): Promise<Readonly<Record<string, string>>> {
  return { "x-hub-signature-256": await signForGithub(GITHUB, body), "x-github-event": event };
}

export function slackHeaders(body: string): Readonly<Record<string, string>> {
  const time = String(Math.floor(Date.now() / 1_000));
  const hex = createHmac("sha256", SLACK).update(`v0:${time}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${hex}` };
}

export interface LogLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

export class WebhookStage implements BridgeStage {
  readonly path = "webhook/ci/build";
  readonly person = "ci";
  readonly outageIsUnseen = true;
  readonly lines: LogLine[] = [];
  readonly port: number;
  /** Moved by tests. */
  skewMs = 0;
  #isOut = false;
  #isClosed = false;
  #count = 0;
  #sending: Promise<void> = Promise.resolve();

  private constructor(port: number) {
    this.port = port;
  }

  static async open(): Promise<WebhookStage> {
    return new WebhookStage(await freePort());
  }

  bridge(
    services: Readonly<Record<string, WebhookService>> = { ci: { kind: "token", secret: TOKEN } },
  ): WebhookBridge {
    const write = (event: string, fields?: LogLine["fields"]) => void this.lines.push({ event, fields });
    const log: Log = { info: write, warn: write, error: write };
    const clock = { ...systemClock, now: () => systemClock.now() + this.skewMs };
    return webhookBridge({ port: this.port, services }, { clock, log, random: () => 0 });
  }

  async says(text: string): Promise<string> {
    this.#count += 1;
    const id = `delivery-${this.#count}`;
    this.#sending = this.#sending.then(() => this.#deliver(JSON.stringify({ text }), id));
    return id;
  }

  async outage(isOn: boolean): Promise<void> {
    this.#isOut = isOn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
  }

  post(
    path: string,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: "POST",
      body: new Uint8Array(Buffer.from(body)),
      headers: { "content-type": "application/json", connection: "close", ...headers },
    });
  }

  async #deliver(body: string, id: string): Promise<void> {
    const headers = { authorization: `Bearer ${TOKEN}`, "idempotency-key": id };
    while (!this.#isClosed) {
      const isTaken =
        !this.#isOut &&
        (await this.post("/ci/build", body, headers).then(
          ({ ok }) => ok,
          () => false,
        ));
      if (isTaken) return;
      await sleep(RETRY_MS);
    }
  }
}
