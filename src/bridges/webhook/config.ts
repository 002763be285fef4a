import { BellhopError } from "../../core/errors.ts";

export const WEBHOOK_KINDS = ["github", "gitlab", "stripe", "slack", "standard", "token"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export interface WebhookService {
  readonly kind: WebhookKind;
  /** Without one the service does not start. */
  readonly secret?: string;
  /** Where it should be, such as `the variable GITHUB_SECRET`. */
  readonly source?: string;
}

export interface WebhookSettings {
  /** On 127.0.0.1; 2356 unless it is given. Nothing else is there: a tunnel to it exposes only this. */
  readonly port?: number;
  /** By the name that is in their paths. */
  readonly services: Readonly<Record<string, WebhookService>>;
}

const DEFAULT_PORT = 2_356;
/** Addresses may begin with it: `/webhooks/github` is `/github`. */
export const PREFIX = "webhooks";
const SERVICE = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Throws `config.invalid`; never with a secret in its words. */
export function checkWebhookSettings({
  port = DEFAULT_PORT,
  services,
}: WebhookSettings): Required<WebhookSettings> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid("bridges.webhook.port must be a number from 1 to 65535.", "Leave it out to use 2356.");
  const names = Object.keys(services);
  if (names.length === 0)
    throw invalid(
      "bridges.webhook has no service.",
      'Name one, such as "github: { secret_env: GITHUB_WEBHOOK_SECRET }".',
    );
  for (const name of names) checkService(name, services[name]);
  return { port, services };
}

function checkService(name: string, service: WebhookService | undefined): void {
  if (!SERVICE.test(name) || name === PREFIX)
    throw invalid(
      "The name of a service in bridges.webhook has only a-z, 0-9, dots, hyphens and underscores, and is not webhooks.",
      "Give it a name such as github.",
    );
  if (service === undefined || !WEBHOOK_KINDS.includes(service.kind))
    throw invalid(
      `bridges.webhook.${name}.kind must be one of ${WEBHOOK_KINDS.join(", ")}.`,
      'If the service only sends a secret in "Authorization: Bearer", use token.',
    );
}

/** Why the service cannot start, if so. */
export function faultOf(name: string, { kind, secret = "", source }: WebhookService): string | undefined {
  if (secret.trim() === "") {
    const what =
      source === undefined
        ? `give bridges.webhook.${name} a secret_file or secret_env`
        : `${source} is missing or empty`;
    return `The webhook service "${name}" has no secret and does not start: ${what}. Put the secret there; for a variable, start the daemon again.`;
  }
  const isUsable = kind !== "standard" || standardKey(secret.trim()) !== undefined;
  return isUsable
    ? undefined
    : `The secret of the webhook service "${name}" is not one of Standard Webhooks and it does not start: those are "whsec_" and base64.`;
}

export function standardKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, "");
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, "base64") : undefined;
}

function invalid(message: string, next: string): BellhopError {
  return new BellhopError("config.invalid", { message, next });
}
