/** Makes each bridge from its configuration. Its library is loaded here, and nowhere else. */
import { randomBytes } from "node:crypto";
import type { BridgeDefinitions, MailServerDefinition, SecretSource } from "../config/bridges.ts";
import type { BridgeName } from "../core/outside/places.ts";
import { present } from "../core/present.ts";
import type { Bridge } from "../ports/bridge.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

export interface MakersParts {
  readonly clock: Clock;
  readonly log: Log;
  secret(source: SecretSource): string;
  /** What a file contains; relative paths are inside Bellhop's home. */
  file(path: string): string;
}

type Maker<Name extends BridgeName> = (
  definition: NonNullable<BridgeDefinitions[Name]>,
  parts: MakersParts,
) => Promise<Bridge>;

const MAKERS: { readonly [Name in BridgeName]?: Maker<Name> } = {
  telegram: async ({ token, apiRoot }, { secret, clock, log }) => {
    const { telegramBridge } = await import("./telegram/index.ts");
    const settings = { token: secret(token), ...present({ apiRoot }) };
    return telegramBridge(settings, { clock, log, random: Math.random });
  },
  slack: async ({ appToken, botToken, workspace, apiUrl }, { secret, clock, log }) => {
    const { slackBridge } = await import("./slack/index.ts");
    const tokens = { appToken: secret(appToken), botToken: secret(botToken) };
    return slackBridge({ ...tokens, ...present({ workspace, apiUrl }) }, { clock, log, random: Math.random });
  },
  email: async (definition, { secret, file, clock, log }) => {
    const { emailBridge } = await import("./email/index.ts");
    const { emailSettings } = await import("./email/config.ts");
    const { address, authservId, imap, smtp } = definition;
    const server = ({ host, port, secure, user, password, caFile }: MailServerDefinition) => ({
      host,
      ...present({
        port,
        user,
        secure,
        password: password && secret(password),
        ca: caFile === undefined ? undefined : file(caFile),
      }),
    });
    const reading = { user: "", password: "", ...server(imap), ...present({ mailbox: imap.mailbox }) };
    const settings = emailSettings({
      address,
      imap: reading,
      smtp: server(smtp),
      ...present({ authservId }),
    });
    return emailBridge(settings, { clock, log, randomKey: () => randomBytes(24).toString("base64url") });
  },
  webhook: async ({ port, services }, { secret, clock, log }) => {
    const { webhookBridge } = await import("./webhook/index.ts");
    // A secret that is missing stops its own service, not the others.
    const known = services.map(({ name, kind, secret: source }) => {
      try {
        return [name, { kind, secret: secret(source), source: placeOf(source) }] as const;
      } catch (error) {
        log.warn("a webhook service has no secret", { service: name, why: messageOf(error) });
        return [name, { kind, source: placeOf(source) }] as const;
      }
    });
    return webhookBridge({ port, services: Object.fromEntries(known) }, { clock, log, random: Math.random });
  },
  imessage: async ({ handles, chatDb, osascript, pollSeconds, sms }, { clock, log }) => {
    const { imessageBridge } = await import("./imessage/index.ts");
    const pollMs = pollSeconds === undefined ? undefined : pollSeconds * 1_000;
    return imessageBridge({ handles, sms, ...present({ chatDb, osascript, pollMs }) }, { clock, log });
  },
};

/** Throws what a person must mend. */
export async function madeBridge<Name extends BridgeName>(
  name: Name,
  definition: NonNullable<BridgeDefinitions[Name]>,
  parts: MakersParts,
): Promise<Bridge> {
  const make = MAKERS[name];
  if (make === undefined) throw new Error(`there is no bridge called ${name}`);
  return make(definition, parts);
}

/**
 * Asks the platform whether it accepts the secret, without looking at any message, and for the name under which people
 * find it: `@bot`. Undefined if that cannot be asked without opening the bridge. Throws what a person must mend.
 */
export async function introducedAs<Name extends BridgeName>(
  name: Name,
  definition: NonNullable<BridgeDefinitions[Name]>,
  { secret }: Pick<MakersParts, "secret">,
): Promise<{ readonly bot?: string } | undefined> {
  if (name === "slack") {
    const { appToken, botToken, apiUrl } = definition as NonNullable<BridgeDefinitions["slack"]>;
    const { checkTokens } = await import("./slack/tokens.ts");
    await checkTokens({ appToken: secret(appToken), botToken: secret(botToken), ...present({ apiUrl }) });
    return {};
  }
  if (name !== "telegram") return undefined;
  const { token, apiRoot } = definition as NonNullable<BridgeDefinitions["telegram"]>;
  const { botName } = await import("./telegram/bot-name.ts");
  return present({ bot: await botName({ token: secret(token), ...present({ apiRoot }) }) });
}

function placeOf(source: SecretSource): string {
  return source.kind === "file" ? `the file ${source.path}` : `the variable ${source.name}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
