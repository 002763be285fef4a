/** Writes secrets and the config file: all of it, or nothing. Without a pause in between, so that Ctrl+C cannot divide it. */
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigEdit, editedConfig, replaceConfig, writeNew } from "../../../config/writing.ts";
import type { Home } from "../../../home/home.ts";

export interface Written extends ConfigEdit {
  /** Contents by path in Bellhop's home. */
  readonly secrets: ReadonlyMap<string, string>;
}

export function writeAll(home: Pick<Home, "root" | "config">, written: Written): void {
  const text = editedConfig(home.config, written);
  const made: string[] = [];
  try {
    for (const [path, secret] of written.secrets) {
      const file = join(home.root, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeNew(file, `${secret}\n`, 0o600);
      made.push(file);
    }
    replaceConfig(home.config, text);
  } catch (error) {
    for (const file of made) rmSync(file, { force: true });
    throw error;
  }
}
