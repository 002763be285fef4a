/** The active config: the last valid one. Errors in the file since then are a warning in `status`. */
import { type Config, loadConfig } from "../config/config.ts";
import { type ConfigChange, configFingerprint } from "../config/watch.ts";
import type { BellhopError } from "../core/errors.ts";
import type { Log } from "../ports/log.ts";
import type { Settings } from "../ports/settings.ts";
import type { ProfileRegistry } from "../programs/profile-registry.ts";
import { settingsFrom } from "./settings.ts";

export class ConfigInForce {
  /** Of the file as it was before it was read here. */
  readonly readSince: string;
  readonly #log: Log;
  #config: Config;
  #settings: Settings;
  #refused: string | undefined;
  #undeclared: string | undefined;

  constructor(path: string, log: Log) {
    this.#log = log;
    this.readSince = configFingerprint(path);
    this.#config = loadConfig(path);
    this.#settings = settingsFrom(this.#config);
  }

  get config(): Config {
    return this.#config;
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Others' warnings come before agents that could not be declared, which are less urgent. */
  warnings(others: readonly string[]): readonly string[] {
    return [this.#refused, ...others, this.#undeclared].filter((warning) => warning !== undefined);
  }

  apply(change: ConfigChange, profiles: ProfileRegistry): "applied" | "refused" {
    if (change.kind === "rejected") return this.#refuse(change.error);
    const refused = profiles.tryReplace(change.config.values.profiles);
    if (refused !== undefined) return this.#refuse(refused);
    this.#config = change.config;
    this.#settings = settingsFrom(change.config);
    this.#refused = undefined;
    return "applied";
  }

  /** If these agents cannot be declared, those of the last valid file stay. */
  async declare(office: { declare(agents: Config["values"]["agents"]): Promise<void> }): Promise<void> {
    try {
      await office.declare(this.#config.values.agents);
      this.#undeclared = undefined;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#undeclared = `The agents in config.yaml are not in force: ${message}`;
      this.#log.warn("config.agents_rejected", { message });
    }
  }

  #refuse({ message }: BellhopError): "refused" {
    this.#refused = `config.yaml is not in force: ${message}`;
    this.#log.warn("config.rejected", { message });
    return "refused";
  }
}
