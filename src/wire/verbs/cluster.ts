/** Other hosts. Everybody may see them; only the owner says which there are, and what they may do here. */
import { z } from "zod";
import { HOST_RIGHTS } from "../../core/cluster/admission.ts";
import { type Need, NOTHING } from "../../core/rights/needs.ts";
import type {
  Admitted,
  ClusterCheck,
  ClusterJoined,
  ClusterLeft,
  Expelled,
  ShownCluster,
  ShownHost,
} from "../shapes/cluster.ts";
import { line, nothing, REQUEST_LIMITS } from "./fields.ts";
import { typed, verb } from "./verb.ts";

const MOST_SERVERS = 16;

const onlyOwner = (what: string): readonly Need[] => [{ right: "admin", what, only: "owner" }];

/** What is wrong with it is said by whoever writes the config, in a person's words. */
const host = line(REQUEST_LIMITS.nameCharacters);
const path = line(REQUEST_LIMITS.addressCharacters);

export const cluster = {
  cluster_status: verb(
    () => nothing,
    // Without one, this host stands alone.
    typed<{ readonly cluster?: ShownCluster }>(),
    () => NOTHING,
  ),
  cluster_hosts: verb(
    () => nothing,
    typed<{ readonly hosts: readonly ShownHost[] }>(),
    () => NOTHING,
  ),
  /** The engine, or the way to this host and back. */
  cluster_test: verb(
    () => z.strictObject({ host: host.exactOptional() }),
    typed<{ readonly checks: readonly ClusterCheck[] }>(),
    () => NOTHING,
  ),
  /** Paths begin with `/`. */
  cluster_join: verb(
    () =>
      z.strictObject({
        servers: z.array(path).min(1).max(MOST_SERVERS),
        host,
        credentialsFile: path.exactOptional(),
        caFile: path.exactOptional(),
        stream: host.exactOptional(),
        /** Of JetStream, if the servers are leaf nodes. */
        domain: host.exactOptional(),
      }),
    typed<ClusterJoined>(),
    () => onlyOwner("let this host join a cluster"),
  ),
  /** `force`: also if messages still wait to go to other hosts. */
  cluster_leave: verb(
    () => z.strictObject({ force: z.boolean().exactOptional() }),
    typed<ClusterLeft>(),
    () => onlyOwner("let this host leave its cluster"),
  ),
  cluster_admit: verb(
    () =>
      z.strictObject({
        host,
        key: path,
        rights: z.array(z.enum(HOST_RIGHTS)).max(HOST_RIGHTS.length).exactOptional(),
      }),
    typed<Admitted>(),
    () => onlyOwner("admit a host"),
  ),
  cluster_expel: verb(
    () => z.strictObject({ host }),
    typed<Expelled>(),
    () => onlyOwner("expel a host"),
  ),
};
