import { rm, writeFile } from "node:fs/promises";
import { BellhopError } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";

interface ScratchFile {
  readonly path: string;
  readonly text: string;
}

/** For text too large for a command line: tmux reads it from here. */
export async function writeScratch(files: readonly ScratchFile[]): Promise<void> {
  try {
    // "wx": never follow a file or link that is already there.
    await Promise.all(files.map(({ path, text }) => writeFile(path, text, { mode: 0o600, flag: "wx" })));
  } catch (error) {
    await removeScratch(files);
    throw scratchFailed(error instanceof Error ? error.message : String(error), error);
  }
}

export async function removeScratch(files: readonly ScratchFile[]): Promise<void> {
  await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}

export function scratchFailed(why: string, cause?: unknown): BellhopError {
  return new BellhopError("tmux.command_failed", {
    message: `The text could not be handed to tmux, nothing was typed: ${why}.`,
    next: `Check free space and rights with "bellhop doctor"; the message stays queued.`,
    ...present({ cause }),
  });
}
