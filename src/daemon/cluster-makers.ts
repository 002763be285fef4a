/** Makes what a cluster of the config needs: an engine and keys. Nothing of NATS and libsodium is loaded before. */
import { resolve } from "node:path";
import type { NatsEngineOptions } from "../cluster/engine.ts";
import type { ClusterDefinition } from "../config/cluster.ts";
import type { Clock } from "../ports/clock.ts";
import type { ClusterEngine, Sealer } from "../ports/cluster-engine.ts";
import type { Log } from "../ports/log.ts";
import { readSecret } from "./secrets.ts";

export interface ClusterMakers {
  sealer(keyFile: string): Promise<Sealer>;
  engine(definition: ClusterDefinition): Promise<ClusterEngine>;
}

export interface ClusterMakersParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Relative paths are inside it. */
  readonly home: string;
}

export function builtMakers(parts: ClusterMakersParts): ClusterMakers {
  return {
    sealer: async (keyFile) => {
      const { openSealer } = await import("../cluster/sealer.ts");
      return openSealer(keyFile);
    },
    engine: async (definition) => {
      const { natsEngine } = await import("../cluster/engine.ts");
      return natsEngine(engineOptions(definition, parts));
    },
  };
}

export function engineOptions(
  { servers, host, stream, credentialsFile, caFile, domain }: ClusterDefinition,
  { home, clock, log }: ClusterMakersParts,
): NatsEngineOptions {
  return {
    ...{ servers, host, stream, clock, log, domain },
    credentials: credentialsFile === undefined ? undefined : () => readCredentials(credentialsFile, home),
    tls: caFile === undefined ? undefined : { caFile: resolve(home, caFile) },
  };
}

/** Throws with what is wrong with the file. */
export function readCredentials(path: string, home: string): string {
  return readSecret({ kind: "file", path }, { home, environment: {} });
}
