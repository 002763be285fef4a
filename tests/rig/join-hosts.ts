/** Makes hosts one cluster, as a person would do it: each joins, and each admits all others. */
import type { Bellhop } from "./bellhop.ts";
import { until } from "./scripted-agent.ts";

const PATIENCE_MS = 180_000;

export interface JoiningHost {
  readonly name: string;
  /** Its daemon runs. */
  readonly bellhop: Bellhop;
}

export interface JoinOptions {
  /** What each may do on every other; by default what a host may do unless somebody says otherwise. */
  readonly rights?: readonly string[] | undefined;
  /** More options for `cluster join`. */
  readonly more?: readonly string[];
}

/** Resolves when each has heard of all others. */
export async function joinHosts(
  hosts: readonly JoiningHost[],
  servers: readonly string[],
  { rights, more = [] }: JoinOptions = {},
): Promise<void> {
  const keys = new Map<string, string>();
  const named = servers.flatMap((url) => ["--nats", url]);
  for (const host of hosts) keys.set(host.name, await joinHost(host, [...named, ...more]));
  await admitEachOther(hosts, keys, rights);
}

/** `options`: of `cluster join`, besides its name. Resolves with its key. */
export async function joinHost({ name, bellhop }: JoiningHost, options: readonly string[]): Promise<string> {
  return (await bellhop.json<{ key: string }>(["cluster", "join", ...options, "--host", name])).key;
}

/** `keys`: as each printed it when it joined. */
export async function admitEachOther(
  hosts: readonly JoiningHost[],
  keys: ReadonlyMap<string, string>,
  rights?: readonly string[],
): Promise<void> {
  const given = rights === undefined ? [] : ["--rights", rights.join(",")];
  for (const { name, bellhop } of hosts)
    for (const [other, key] of keys)
      if (other !== name) await bellhop.json(["cluster", "admit", other, key, ...given]);
  for (const { name, bellhop } of hosts) {
    const areUp = async (): Promise<boolean> => {
      const shown = (await bellhop.ask("cluster_hosts", {})).hosts;
      return shown.length === hosts.length && shown.every(({ state }) => state === "up" || state === "here");
    };
    await until(areUp, () => `the others on ${name}\n${bellhop.log().slice(-2_000)}`, PATIENCE_MS);
  }
}
