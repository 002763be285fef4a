import { describe, expect, it } from "vitest";
import { checkWebhookSettings, faultOf, type WebhookService } from "./config.ts";

const github: WebhookService = { kind: "github", secret: "s" };

describe("the settings of webhooks", () => {
  it("are a port and services", () => {
    const settings = { port: 4_000, services: { github, "my.ci_2": { kind: "token" as const } } };
    expect(checkWebhookSettings(settings)).toEqual(settings);
    expect(checkWebhookSettings({ services: { github } }).port).toBe(2_356);
  });

  it.each([-1, 65_536, 1.5, Number.NaN])("refuse the port %s", (port) => {
    expect(() => checkWebhookSettings({ port, services: { github } })).toThrow(/^bridges\.webhook\.port/);
  });

  it.each(["", "Git", "a/b", "../a", "__proto__x", "webhooks", "a b", "x".repeat(65)])(
    "refuse the name %j",
    (name) => {
      expect(() => checkWebhookSettings({ port: 1, services: { [name]: github } })).toThrow(
        /^The name of a service/,
      );
    },
  );

  it("refuse a kind that is none, and no services at all", () => {
    const odd = { kind: "bitbucket" } as unknown as WebhookService;
    expect(() => checkWebhookSettings({ port: 1, services: { x: odd } })).toThrow(
      /^bridges\.webhook\.x\.kind must be one of/,
    );
    expect(() => checkWebhookSettings({ port: 1, services: {} })).toThrow(/has no service/);
  });

  it.each<WebhookService>([{ kind: "github" }, { kind: "token", secret: " \n" }])(
    "name what has no secret: %j",
    (service) => {
      expect(faultOf("x", service)).toMatch(
        /^The webhook service "x" has no secret and does not start: give bridges\.webhook\.x a secret_file/,
      );
    },
  );

  it.each(["whsec_a", "whsec_a-b_", "no base 64", "whsec_secret?"])(
    "name a secret that is none of Standard Webhooks: %j",
    (secret) => {
      const fault = faultOf("x", { kind: "standard", secret });
      expect(fault).toMatch(/is not one of Standard Webhooks/);
      expect(fault).not.toContain(secret);
    },
  );
});
