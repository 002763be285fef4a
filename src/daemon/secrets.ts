/** Reads secrets from files that only their owner may read, or from the environment. Never shown, never logged. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SecretSource } from "../config/bridges.ts";
import { BellhopError } from "../core/errors.ts";

const MOST_BYTES = 64 * 1024;

export interface SecretsFrom {
  /** Relative paths are inside it. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function readSecret(source: SecretSource, { home, environment }: SecretsFrom): string {
  const secret =
    source.kind === "file" ? readSecretFile(resolve(home, source.path)) : (environment[source.name] ?? "");
  const trimmed = secret.trim();
  if (trimmed !== "") return trimmed;
  throw new BellhopError("config.invalid", {
    message:
      source.kind === "file"
        ? `${source.path} is empty.`
        : `The variable ${source.name} is not set for the daemon.`,
    next:
      source.kind === "file"
        ? "Write the secret into it."
        : `Set it and start the daemon again, or use a file.`,
  });
}

function readSecretFile(path: string): string {
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new BellhopError("config.invalid", {
      message: `The secret in ${path} cannot be read (${codeOf(cause)}).`,
      next: "Write it there with mode 600; the path may not be a symbolic link.",
    });
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile())
      throw new BellhopError("config.invalid", {
        message: `${path} is not a plain file${found.isDirectory() ? ", but a folder" : ""}.`,
        next: "Name the file that holds the secret.",
      });
    if (found.size > MOST_BYTES)
      throw new BellhopError("config.invalid", {
        message: `${path} is too large to hold a secret.`,
        next: "Name the file that holds the secret, and nothing else.",
      });
    const isOurs = process.getuid === undefined || found.uid === process.getuid();
    if (!isOurs || (found.mode & 0o077) !== 0)
      throw new BellhopError("config.invalid", {
        message: `${path} must be a file of yours that nobody else may read.`,
        next: `Run: chmod 600 ${path}`,
      });
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
}
