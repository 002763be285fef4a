/** Replaces the config file: whoever reads it sees the old text or the new one, and the new one is valid. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { BellhopError } from "../core/errors.ts";
import { parseConfig } from "./config.ts";

export interface ConfigEdit {
  /** The new text from the old one, as it is now; undefined if the file cannot be changed. */
  edit(text: string): string | undefined;
  /** What its owner can do instead. */
  readonly byHand: string;
}

/** Throws `config.invalid` with what to do by hand. */
export function editedConfig(path: string, { edit, byHand }: ConfigEdit): string {
  const edited = edit(existsSync(path) ? readFileSync(path, "utf8") : "");
  if (edited === undefined)
    throw new BellhopError("config.invalid", {
      message: `${path} is laid out in a way that Bellhop cannot change safely. Nothing was written.`,
      next: byHand,
    });
  parseConfig(edited, path);
  return edited;
}

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

export function writeNew(path: string, text: string, mode: number): void {
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
