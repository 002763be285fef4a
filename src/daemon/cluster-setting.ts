/** The cluster in the owner's config, as the use-cases see and change it. */
import { resolve } from "node:path";
import { type ClusterDefinition, STANDARD_STREAM } from "../config/cluster.ts";
import {
  admitEdit,
  expelEdit,
  type JoinWish,
  joinEdit,
  LEAVE_EDIT,
  noCluster,
} from "../config/cluster-edits.ts";
import { loadConfig } from "../config/config.ts";
import { type ConfigEdit, editedConfig, replaceConfig } from "../config/writing.ts";
import { BellhopError } from "../core/errors.ts";
import { present } from "../core/present.ts";
import type { ClusterSetting } from "../office/verbs/parts.ts";
import type { ConfiguredCluster } from "./cluster.ts";
import { readCredentials } from "./cluster-makers.ts";

export interface ClusterSettingParts {
  /** The config file. */
  readonly path: string;
  readonly home: string;
  /** Nobody asks before there is one. */
  cluster(): Pick<ConfiguredCluster, "configured" | "key" | "isKey" | "test" | "obstacleTo"> | undefined;
}

/** The daemon notices by itself that the file has changed. */
export function clusterSetting({ path, home, cluster }: ClusterSettingParts): ClusterSetting {
  const current = (): ClusterDefinition => loadConfig(path).values.cluster ?? absent();
  const running = () => cluster() ?? absent();
  const write = (edit: ConfigEdit | undefined): string => {
    if (edit !== undefined) replaceConfig(path, editedConfig(path, edit));
    return path;
  };
  return {
    configured: () => cluster()?.configured(),
    absent,
    test: () => running().test(),
    join: async (wish) => {
      const edit = joinEdit(loadConfig(path).values.cluster, wish);
      const { credentialsFile, caFile } = wish;
      if (credentialsFile !== undefined) readCredentials(credentialsFile, home);
      if (caFile !== undefined) await expectTrusted(resolve(home, caFile));
      const key = await running().key();
      if (edit !== undefined) await expectLetIn(running(), wish);
      return { host: wish.host, key, config: write(edit), ...asBefore(edit) };
    },
    admit: async (wish) => {
      const { admitted, edit, before } = admitEdit(current(), await running().key(), wish);
      if (!(await running().isKey(wish.key))) throw noKey(wish.host);
      return { ...admitted, config: write(edit), ...asBefore(edit), ...present({ before }) };
    },
    expel: (host) => write(expelEdit(current(), host)),
    leave: () => {
      current();
      return write(LEAVE_EDIT);
    },
  };
}

/** Nothing is written that only a person can mend: after that, joining again is a first time. */
async function expectLetIn(
  cluster: Pick<ConfiguredCluster, "obstacleTo">,
  { servers, host, stream = STANDARD_STREAM, ...more }: JoinWish,
): Promise<void> {
  const found = await cluster.obstacleTo({ servers, host, stream, hosts: [], ...present(more) });
  if (found === undefined) return;
  throw new BellhopError(found.name === "name" ? "host.taken" : "config.invalid", {
    message: `This host cannot join: ${found.detail}.`,
    next: `${found.name === "nats" ? WHEN_REFUSED : found.next} Nothing was written: then join again.`,
  });
}

/** `cluster test` speaks of a config that is written. */
const WHEN_REFUSED = "Look at --nats, --credentials and --ca-file.";

function noKey(host: string): BellhopError {
  return new BellhopError("usage.invalid", {
    message: "This is not the key of a host: a character of it is wrong.",
    next: `Copy it from what "bellhop cluster status" prints on ${host}.`,
  });
}

async function expectTrusted(path: string): Promise<void> {
  const { trustedIn } = await import("../cluster/trusted.ts");
  await trustedIn(path).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BellhopError("config.invalid", {
      message: `${why[0]?.toUpperCase()}${why.slice(1)}.`,
      next: "Name the file that has the certificate of the authority, as text (PEM).",
    });
  });
}

function asBefore(edit: ConfigEdit | undefined): { readonly already?: true } {
  return edit === undefined ? { already: true } : {};
}

function absent(): never {
  throw noCluster();
}
