/** Webhooks with an inbox that keeps what comes in; at its end no secret was seen anywhere. */
import { expect } from "vitest";
import type { Bridge } from "../../../src/ports/bridge.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { githubHeaders, SECRETS, SERVICES, WebhookStage } from "./webhook-stage.ts";

export class WebhookScene {
  readonly stage: WebhookStage;
  readonly inbox = new KeptInbox();
  readonly #bridges: Bridge[] = [];

  private constructor(stage: WebhookStage) {
    this.stage = stage;
  }

  static async open(): Promise<WebhookScene> {
    return new WebhookScene(await WebhookStage.open());
  }

  async bridge(services = SERVICES): Promise<Bridge> {
    const bridge = this.stage.bridge(services);
    this.#bridges.push(bridge);
    await bridge.open(this.inbox);
    return bridge;
  }

  async statusOf(...call: Parameters<WebhookStage["post"]>) {
    return (await this.stage.post(...call)).status;
  }

  async github(body: string, event = "issues", more: Readonly<Record<string, string>> = {}) {
    const headers = await githubHeaders(body, event);
    return this.stage.post("/github", body, { ...headers, "x-github-delivery": "1", ...more });
  }

  async close(): Promise<void> {
    await Promise.all(this.#bridges.map((bridge) => bridge.close()));
    await this.stage.close();
    const seen = JSON.stringify([this.stage.lines, this.inbox.taken]);
    for (const secret of SECRETS) expect(seen).not.toContain(secret);
  }
}
