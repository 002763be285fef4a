/** Opens the bridges that the configuration names, each with its library, and closes those that it no longer names. */
import { readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import { madeBridge } from "../bridges/makers.ts";
import type { WebhookBridge } from "../bridges/webhook/index.ts";
import type { BridgeDefinitions, SecretSource } from "../config/bridges.ts";
import type { Config } from "../config/config.ts";
import { BellhopError } from "../core/errors.ts";
import { isAdmitted, isPersons } from "../core/outside/admission.ts";
import { BRIDGE_NAMES, type BridgeName } from "../core/outside/places.ts";
import type { Office } from "../office/office.ts";
import type { ClosedBridge } from "../office/outside/bridges.ts";
import type { Bridge } from "../ports/bridge.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";
import { readSecret, type SecretsFrom } from "./secrets.ts";

export interface ConfiguredBridgesParts extends SecretsFrom {
  readonly office: Pick<Office, "openBridge" | "closeBridge" | "awaitBridge">;
  readonly log: Log;
}

/** A secret that was replaced, or put where it was missing, is used without a restart. */
const SECRETS_EVERY_MS = 2_000;

export class ConfiguredBridges {
  readonly #parts: ConfiguredBridgesParts;
  /** What each bridge was made from, also if it could not be opened. */
  readonly #made = new Map<BridgeName, string>();
  readonly #refused = new Map<BridgeName, ClosedBridge>();
  #applying: Promise<void> = Promise.resolve();
  #looking: (() => void) | undefined;
  #isClosed = false;
  /** Before, any bridge may have been configured: what waits for it was left by an earlier daemon. */
  #hasApplied = false;
  #values: Config["values"] | undefined;
  #channels: readonly string[] = [];
  /** Undefined until the configuration was applied. */
  #webhooks: WebhookBridge | "none" | undefined;
  #definitions: BridgeDefinitions = {};

  constructor(parts: ConfiguredBridgesParts) {
    this.#parts = parts;
  }

  /** Those that are configured and not open, and why. */
  closed(): readonly ClosedBridge[] {
    return [...this.#refused.values()];
  }

  /** A request to `/webhooks/…` at the daemon's own port. It is known by its signature alone, as at the bridge's port. */
  receive(request: IncomingMessage, response: ServerResponse): void {
    if (typeof this.#webhooks === "object") void this.#webhooks.answer(request, response);
    // A service sends again what it was told to send later, and nothing that was not found.
    else response.writeHead(this.#webhooks === "none" ? 404 : 503, { connection: "close" }).end();
  }

  /** One change after the other. */
  apply({ values }: Config): Promise<void> {
    this.#values = values;
    return this.#applied("anew");
  }

  #applied(refused: "anew" | "as-they-are"): Promise<void> {
    this.#applying = this.#applying.then(() => this.#apply(refused));
    return this.#applying;
  }

  close(): void {
    this.#isClosed = true;
    this.#looking?.();
  }

  /** `refused`: whether those that could not be opened are tried again though nothing of theirs has changed. */
  async #apply(refused: "anew" | "as-they-are"): Promise<void> {
    const values = this.#values;
    if (values === undefined || this.#isClosed) return;
    if (values.bridges.webhook === undefined) this.#webhooks = "none";
    this.#channels = channelsOf(values);
    this.#definitions = values.bridges;
    for (const name of BRIDGE_NAMES) {
      const definition = values.bridges[name];
      const wanted = definition === undefined ? undefined : this.#madeFrom(definition);
      const isSame = this.#hasApplied && this.#made.get(name) === wanted;
      if (isSame && !(refused === "anew" && this.#refused.has(name))) continue;
      if (name === "webhook" && definition !== undefined) this.#webhooks = undefined;
      if (this.#made.delete(name)) await this.#closeOne(name);
      this.#refused.delete(name);
      if (definition === undefined || wanted === undefined) {
        this.#parts.office.awaitBridge(name);
        continue;
      }
      this.#made.set(name, wanted);
      await this.#openOne(name, definition);
    }
    this.#hasApplied = true;
    this.#looking?.();
    if (this.#isClosed || this.#made.size === 0) return;
    this.#looking = systemClock.after(SECRETS_EVERY_MS, () => void this.#applied("as-they-are"));
  }

  /** Another text if anything is configured differently, or a file with a secret was written anew. */
  #madeFrom(definition: unknown): string {
    const stamps = filesIn(definition).map((path) => {
      const found = statSync(resolve(this.#parts.home, path), { throwIfNoEntry: false });
      return found === undefined ? null : [found.ino, found.size, found.mtimeMs, found.mode];
    });
    return JSON.stringify([definition, stamps]);
  }

  /** The next one is opened, and the next change is applied, however this ends. */
  async #closeOne(name: BridgeName): Promise<void> {
    const { office, log } = this.#parts;
    await office
      .closeBridge(name)
      .catch((cause: unknown) => log.error("bridge.not_closed", { bridge: name, cause: String(cause) }));
  }

  async #openOne<Name extends BridgeName>(
    name: Name,
    definition: NonNullable<BridgeDefinitions[Name]>,
  ): Promise<void> {
    const { log } = this.#parts;
    try {
      const secret = (source: SecretSource) => readSecret(source, this.#parts);
      const file = (path: string) => readFileSync(resolve(this.#parts.home, path), "utf8");
      const bridge = await madeBridge(name, definition, { clock: systemClock, log, secret, file });
      await this.#parts.office.openBridge(bridge, {
        isOwner: (arrival) => isPersons(arrival, this.#channels, allowedOn(name, this.#definitions)),
        isAllowed: (arrival) => name === "webhook" || isAdmitted(arrival, allowedOn(name, this.#definitions)),
      });
      if (isWebhooks(bridge)) this.#webhooks = bridge;
    } catch (cause) {
      const why = cause instanceof BellhopError ? `${cause.message} ${cause.next}` : String(cause);
      this.#refused.set(name, { name, since: systemClock.now(), why });
      log.warn("bridge.not_open", { bridge: name, why });
      this.#parts.office.awaitBridge(name);
    }
  }
}

/** The files that hold its secrets. */
function filesIn(definition: unknown): readonly string[] {
  if (typeof definition !== "object" || definition === null) return [];
  const { kind, path } = definition as { readonly kind?: unknown; readonly path?: unknown };
  if (kind === "file" && typeof path === "string") return [path];
  return Object.values(definition).flatMap(filesIn);
}

function isWebhooks(bridge: Bridge): bridge is WebhookBridge {
  return bridge.name === "webhook";
}

/** Ids of people, and whole paths. */
export function allowedOn(name: BridgeName, definitions: BridgeDefinitions): readonly string[] {
  if (name === "webhook") return [];
  const { allow = [] } = definitions[name] ?? {};
  return name === "imessage" ? [...allow, ...(definitions.imessage?.handles ?? [])] : allow;
}

/** Where the person can be told something, and what they say there is theirs. */
export function channelsOf({ person, bridges }: Config["values"]): readonly string[] {
  const chat = bridges.telegram?.chat;
  return [...new Set([...person.channels, ...(chat === undefined ? [] : [`telegram/${chat}`])])];
}
