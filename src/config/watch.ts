/** Notices changes of `config.yaml`. The file watcher is only a hint; a check every two seconds is authoritative. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { BellhopError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Config, loadConfig } from "./config.ts";

export const CONFIG_POLL_MS = 2_000;

export type ConfigChange =
  | { readonly kind: "changed"; readonly config: Config }
  /** The last valid config stays active. */
  | { readonly kind: "rejected"; readonly error: BellhopError };

/**
 * `since` is the fingerprint from before the config in force was read: what changed between that reading and now, as
 * the daemon started, is told too.
 */
export function watchConfig(
  path: string,
  since: string,
  onChange: (change: ConfigChange) => void,
  clock: Clock,
): { close(): void } {
  let seen = since;
  let cancel = () => {};
  let closed = false;

  const look = () => {
    const now = configFingerprint(path);
    if (now === seen) return;
    const change = load(path);
    // This says nothing about the file; the next check does.
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
    // Some editors truncate first and then write: the empty file is not what the owner wants. The poll decides.
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

/** Watches the folder, because editors replace the file. */
function hint(path: string, onHint: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onHint();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // No watcher available (limits, network file systems): polling is enough.
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

export function configFingerprint(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
