import { describe, expect, it } from "vitest";
import type { SecretSource } from "../config/bridges.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";
import { madeBridge } from "./makers.ts";

describe("the bridge for webhooks", () => {
  it("starts the services whose secrets are there, and says which have none", async () => {
    const lines: unknown[] = [];
    const write = (event: string, fields?: object) => void lines.push([event, fields]);
    const log: Log = { info: write, warn: write, error: write };
    const known: SecretSource = { kind: "environment", name: "KNOWN" };
    const secret = (source: SecretSource) => {
      if (source === known) return "hidden";
      throw new Error("UNKNOWN is not set");
    };
    const services = [
      { name: "github", kind: "github", secret: known },
      { name: "stripe", kind: "stripe", secret: { kind: "environment", name: "UNKNOWN" } },
    ] as const;
    const parts = { clock: systemClock, log, secret, file: () => "" };
    const bridge = await madeBridge("webhook", { port: 0, services }, parts);
    await bridge.open({
      take: async () => "accepted",
      keep: async () => {},
      kept: () => undefined,
      changed: () => {},
    });
    expect(bridge.health()).toMatchObject({
      state: "connected",
      error: expect.stringContaining(
        'The webhook service "stripe" has no secret and does not start: the variable UNKNOWN is missing or empty.',
      ),
    });
    expect(lines).toContainEqual([
      "a webhook service has no secret",
      { service: "stripe", why: "UNKNOWN is not set" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("hidden");
    await bridge.close();
  });
});
