/** Puts each new `config.yaml` in force: what reads its settings is told of it. */
import { watchConfig } from "../config/watch.ts";
import type { Office } from "../office/office.ts";
import type { Log } from "../ports/log.ts";
import type { ProfileRegistry } from "../programs/profile-registry.ts";
import { systemClock } from "../system/clock.ts";
import type { ConfiguredBridges } from "./bridges.ts";
import type { ConfiguredCluster } from "./cluster.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import type { keepScanning } from "./rounds.ts";
import type { Terminals } from "./terminals.ts";

export interface Followers {
  readonly path: string;
  readonly log: Log;
  readonly inForce: ConfigInForce;
  readonly profiles: ProfileRegistry;
  readonly terminals: Terminals;
  readonly office: Office;
  readonly scans: ReturnType<typeof keepScanning>;
  readonly bridges: ConfiguredBridges;
  readonly cluster: ConfiguredCluster;
  /** The environment no longer has these. */
  hide(variables: readonly string[]): void;
}

export function followConfig(followers: Followers): { close(): void } {
  const { path, log, inForce, profiles, terminals, office, scans, bridges, cluster, hide } = followers;
  return watchConfig(
    path,
    inForce.readSince,
    (change) => {
      if (inForce.apply(change, profiles) === "refused") return;
      hide(inForce.settings.secretVariables);
      terminals.configure(inForce.config);
      log.info("config.applied");
      // What is a program may be told otherwise now.
      scans.soon("thoroughly");
      office.reconsider();
      void inForce.declare(office);
      void bridges.apply(inForce.config);
      void cluster.apply(inForce.config);
    },
    systemClock,
  );
}
