/** Writes secrets and the config file: all of it, or nothing. Without a pause in between, so that Ctrl+C cannot divide it. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseConfig } from "../../../config/config.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { Home } from "../../../home/home.ts";

export interface Written {
  /** Contents by path in Bellhop's home. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The new text from the old one, as it is now; undefined if the file cannot be changed. */
  edit(text: string): string | undefined;
  /** What its owner can do instead. */
  readonly byHand: string;
}

export function configText({ config }: Pick<Home, "config">): string {
  return existsSync(config) ? readFileSync(config, "utf8") : "";
}

/** Throws `config.invalid` with what to do by hand. */
export function editedConfig(home: Pick<Home, "config">, { edit, byHand }: Written): string {
  const edited = edit(configText(home));
  if (edited === undefined)
    throw new BellhopError("config.invalid", {
      message: `${home.config} is laid out in a way that Bellhop cannot change safely. Nothing was written.`,
      next: byHand,
    });
  parseConfig(edited, home.config);
  return edited;
}

export function writeAll(home: Pick<Home, "root" | "config">, written: Written): void {
  const text = editedConfig(home, written);
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

/** Whoever reads it sees the old text or the new one. */
export function replaceConfig(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
  const fresh = `${target}.${process.pid}.new`;
  writeNew(fresh, text, mode);
  try {
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function writeNew(path: string, text: string, mode: number): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  let file: number;
  try {
    file = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BellhopError("file.unsafe", {
      message: `${path} cannot be made (${code}). Nothing was written.`,
      next: code === "EEXIST" ? `It is there already: move it away, then try again.` : "Then try again.",
    });
  }
  try {
    writeSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
