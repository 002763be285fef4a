/** Real servers and engines for one test; all end with it. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type NatsEngineOptions, natsEngine } from "../../src/cluster/engine.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import { readCredentials } from "../../src/daemon/cluster-makers.ts";
import type { ClusterEngine } from "../../src/ports/cluster-engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Nats, type NatsOptions } from "../rig/nats.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { Listening } from "./cluster-listening.ts";

export function engine(
  servers: readonly string[],
  host: HostName,
  ears = new Listening(),
  options: Partial<NatsEngineOptions> = {},
): ClusterEngine {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const made = natsEngine({ servers, host, stream: "bellhop", clock: systemClock, log, ...options });
  onTestFinished(() => made.close());
  made.open(ears);
  return made;
}

/** It ends after the engines that were made later. */
export async function nats(options?: NatsOptions): Promise<Nats> {
  const one = await Nats.start(options);
  onTestFinished(() => one.end());
  return one;
}

/** Written into a file, which is read as the daemon reads it. */
export function credentialsOf(line: string): () => string {
  const folder = mkdtempSync(join(tmpdir(), "bh-credentials-"));
  onTestFinished(() => removeFolder(folder));
  writeFileSync(join(folder, "credentials"), `${line}\n`, { mode: 0o600 });
  return () => readCredentials("credentials", folder);
}
