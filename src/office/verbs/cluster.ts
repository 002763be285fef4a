import { type HostName, hostMailbox } from "../../core/cluster/hosts.ts";
import { assertNever, BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import type {
  ClusterCheck,
  ClusterReport,
  ShownCluster,
  ShownClusterBriefly,
  ShownEngine,
  ShownHost,
  Unfinished,
} from "../../wire/shapes/cluster.ts";
import type { cluster } from "../../wire/verbs/cluster.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Pinged } from "../cluster/pinging.ts";
import type { ClusterSetting, ConfiguredHost, OpenHosts, UseCaseParts } from "./parts.ts";

export function clusterVerbs(parts: UseCaseParts): UseCasesOf<typeof cluster> {
  const { clusterSetting, context } = parts;
  const configured = (): ConfiguredHost => clusterSetting.configured() ?? clusterSetting.absent();
  return {
    cluster_status: async () => present({ cluster: shownCluster(parts) }),
    cluster_hosts: async () => ({ hosts: shownHosts(parts) }),
    cluster_test: async ({ host }) => {
      const { hosts } = configured();
      if (host !== undefined && !hosts.some((one) => one.host === host)) throw notAdmitted(host, hosts);
      const tried = await clusterSetting.test();
      const isClear = tried.every(({ verdict }) => verdict !== "fail");
      const checks = isClear ? [...tried, ...notIn(parts.openHosts.report())] : tried;
      if (host === undefined || checks.some(({ verdict }) => verdict === "fail")) return { checks };
      return { checks: [...checks, hostCheck(host, await parts.openHosts.ping(host))] };
    },
    cluster_join: (wish) => clusterSetting.join(wish),
    cluster_leave: async ({ force = false }) => {
      const { host: left, hosts } = configured();
      const unfinished = hosts
        .map(({ host }) => unfinishedFor(context, host))
        .filter(({ waiting, underway }) => waiting + underway > 0);
      if (unfinished.length > 0 && !force) throw notOver(unfinished);
      return { left, config: clusterSetting.leave(), unfinished };
    },
    cluster_admit: (wish) => clusterSetting.admit(wish),
    cluster_expel: async ({ host }) => {
      const config = clusterSetting.expel(host);
      const { waiting, underway } = unfinishedFor(context, host);
      return { expelled: host, config, waiting, underway };
    },
  };
}

/** The way is tried by a connection of its own; the daemon may not have got in all the same. */
function notIn(report: ClusterReport | undefined): readonly ClusterCheck[] {
  if (report?.engine.state !== "down") return [];
  const { engine, stuck } = report;
  return [
    {
      name: "cluster",
      verdict: stuck === true ? "fail" : "warn",
      detail: `the daemon is not in: ${engine.reason ?? "NATS is down"}`,
      next: "It tries again by itself, within a minute.",
    },
  ];
}

interface ShownFrom {
  readonly clusterSetting: ClusterSetting;
  readonly openHosts: OpenHosts;
}

function shownCluster({ clusterSetting, openHosts }: ShownFrom): ShownCluster | undefined {
  const configured = clusterSetting.configured();
  if (configured === undefined) return undefined;
  const { host, servers, stream, key, trouble, since } = configured;
  const report = openHosts.report();
  const unopened: ShownEngine =
    trouble === undefined ? { state: "starting", since } : { state: "down", since, reason: trouble };
  return {
    host,
    ...present({ key }),
    engine: report?.engine ?? unopened,
    servers,
    stream,
    hosts: shownHosts({ clusterSetting, openHosts }),
    traffic: report?.traffic ?? [],
    strangers: report?.strangers ?? 0,
    ...(trouble === undefined && report?.stuck === undefined ? {} : { stuck: true as const }),
  };
}

/** This host first. Those that are admitted are shown also while nothing is open. */
function shownHosts({ clusterSetting, openHosts }: ShownFrom): readonly ShownHost[] {
  const configured = clusterSetting.configured();
  if (configured === undefined) return [];
  const { host, hosts } = configured;
  return (
    openHosts.hosts() ?? [
      { host, state: "here", agents: [] },
      ...hosts.map((one) => ({ host: one.host, state: "silent" as const, agents: [], rights: one.rights })),
    ]
  );
}

export function shownBriefly(parts: ShownFrom): ShownClusterBriefly | undefined {
  const shown = shownCluster(parts);
  if (shown === undefined) return undefined;
  const { host, engine, hosts, traffic, stuck } = shown;
  const admitted = hosts.filter(({ state }) => state !== "here" && state !== "not-admitted");
  const doubts = hosts.flatMap((one) => (one.doubt === undefined ? [] : `${one.host}: ${one.doubt}`));
  return {
    host,
    engine,
    hosts: admitted.length,
    up: admitted.filter(({ state }) => state === "up").length,
    waiting: traffic.reduce((sum, { waiting }) => sum + waiting, 0),
    ...present({ doubts: doubts.length === 0 ? undefined : doubts, stuck }),
  };
}

function unfinishedFor({ store }: OfficeContext, host: HostName): Unfinished {
  const mailbox = hostMailbox(host);
  const { read } = store;
  return { host, waiting: read.countQueued([mailbox]), underway: read.countDelivering(mailbox) };
}

function notOver(unfinished: readonly Unfinished[]): BellhopError {
  return new BellhopError("cluster.waiting", {
    message: "Messages for other hosts are not delivered yet.",
    next: 'Wait, or see them with "bellhop queue". To leave nevertheless: bellhop cluster leave --force. What waits goes out, and what is under way is heard of, when this host joins again.',
    candidates: unfinished.map(
      ({ host, waiting, underway }) => `${host}: ${waiting} waiting, ${underway} under way`,
    ),
  });
}

export function hostCheck(host: HostName, pinged: Pinged | undefined): ClusterCheck {
  const name = `host ${host}`;
  switch (pinged?.kind) {
    case "answered":
      return { name, verdict: "ok", detail: `it answered in ${pinged.tookMs.toFixed(1)} ms, there and back` };
    case "silent":
      return {
        name,
        verdict: "fail",
        detail: `it did not answer within ${pinged.afterMs / 1_000} s`,
        next: `Look on ${host}: does its daemon run (bellhop up), can it reach NATS (bellhop cluster test), and does it admit this host, by the key that "bellhop cluster status" prints here?`,
      };
    case "not-stored":
    case undefined:
      return {
        name,
        verdict: "fail",
        detail: pinged?.why ?? "the daemon is not connected yet",
        next: "Try again in a moment; if it lasts, see bellhop cluster status.",
      };
    default:
      return assertNever(pinged);
  }
}

function notAdmitted(host: string, hosts: readonly { readonly host: HostName }[]): BellhopError {
  return new BellhopError("host.unknown", {
    message: `No host called "${host}" is admitted here.`,
    next: `Admit it with its key: bellhop cluster admit ${host} KEY`,
    candidates: hosts.map((one) => one.host),
  });
}
