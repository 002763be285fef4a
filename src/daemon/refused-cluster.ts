/** Stands in for an engine and keys that cannot be had until something is mended: what is for other hosts waits, and says so. */
import type { Instant } from "../core/message.ts";
import type { ClusterAdapters } from "../office/cluster/room.ts";
import type { EngineStanding } from "../ports/cluster-engine.ts";

export function refusedCluster(reason: string, since: Instant): Pick<ClusterAdapters, "engine" | "sealer"> {
  const standing: EngineStanding = { state: "down", since, reason, stuck: true };
  const nothing = new Uint8Array();
  return {
    engine: {
      open: (ears) => ears.standing(standing),
      standing: () => standing,
      store: () => Promise.reject(new Error(reason)),
      announce: async () => {},
      depart: async () => {},
      close: async () => {},
    },
    sealer: {
      publicKey: "",
      isKey: () => true,
      seal: () => nothing,
      open: () => undefined,
      sign: () => nothing,
      verified: () => undefined,
    },
  };
}
