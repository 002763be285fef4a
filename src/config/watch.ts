/** Notices that `config.yaml` changed. The system's watch is a hint, a look every two seconds the truth. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { BellhopError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Config, loadConfig } from "./config.ts";

export const CONFIG_POLL_MS = 2_000;

export type ConfigChange =
  | { readonly kind: "changed"; readonly config: Config }
  /** The last good one stays in force. */
  | { readonly kind: "rejected"; readonly error: BellhopError };

export function watchConfig(
  path: string,
  onChange: (change: ConfigChange) => void,
  clock: Clock,
): { close(): void } {
  let seen = fingerprint(path);
  let cancel = () => {};
  let closed = false;

  const look = () => {
    const now = fingerprint(path);
    if (now === seen) return;
    const change = load(path);
    // It says nothing about the file: the next look does.
    if (change.kind === "rejected" && change.error.code === "daemon.out_of_files") return;
    seen = now;
    onChange(change);
  };
  const poll = () => {
    if (closed) return;
    look();
    cancel = clock.after(CONFIG_POLL_MS, poll);
  };
  cancel = clock.after(CONFIG_POLL_MS, poll);

  const watcher = hint(path, () => {
    // An editor that truncates first and then writes: the empty moment is not what the owner wants. The poll decides.
    if (!closed && !isEmpty(path)) look();
  });

  return {
    close() {
      closed = true;
      cancel();
      watcher?.close();
    },
  };
}

function load(path: string): ConfigChange {
  try {
    return { kind: "changed", config: loadConfig(path) };
  } catch (error) {
    if (error instanceof BellhopError) return { kind: "rejected", error };
    throw error;
  }
}

/** The folder, not the file: editors replace the file. */
function hint(path: string, onHint: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onHint();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // No watch to be had (limits, network file systems): the poll alone will do.
    return undefined;
  }
}

function isEmpty(path: string): boolean {
  try {
    return statSync(path).size === 0;
  } catch {
    return false;
  }
}

function fingerprint(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
