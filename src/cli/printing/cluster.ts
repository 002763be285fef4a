/** The cluster, as `cluster status`, `cluster hosts`, `cluster test` and `status` show it. */
import type { Instant } from "../../core/message.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";
import type {
  ClusterCheck,
  HostTraffic,
  ShownCluster,
  ShownClusterBriefly,
  ShownEngine,
  ShownHost,
} from "../../wire/shapes/cluster.ts";
import { age } from "./moments.ts";
import type { Output, Style } from "./output.ts";
import { type Columns, printPairs, printTable } from "./table.ts";

export const NO_CLUSTER =
  "This host is in no cluster. To reach agents on other machines: bellhop cluster join --help";

const SHOWN_AGENTS = 8;

export function printCluster(out: Output, cluster: ShownCluster, now: Instant): void {
  const { host, key, engine, servers, stream, hosts, traffic, strangers } = cluster;
  printPairs(out, [
    ["host", host],
    ["key", key ?? "cannot be read"],
    ["nats", `${engine.server ?? servers.join(", ")}, ${engine.state} for ${age(engine.since, now)}`],
    ["stream", stream],
  ]);
  if (engine.reason !== undefined) out.line(out.paint(styleOf(cluster), `! ${sanitiseText(engine.reason)}`));
  const others = hosts.filter(({ state }) => state !== "here");
  if (others.length > 0) printTable(out, others, columnsOf(traffic, now), nextFor);
  for (const one of traffic)
    if (one.trouble !== undefined)
      out.line(out.paint("red", `! Nothing goes to ${sanitiseLine(one.host)}: ${sanitiseText(one.trouble)}`));
  if (strangers > 0) {
    const what = strangers === 1 ? "1 bag was" : `${strangers} bags were`;
    out.line(
      out.paint(
        "yellow",
        `! ${what} dropped since the start: their senders are not admitted, or had another key.`,
      ),
    );
  }
  if (key !== undefined) out.line(`For the other hosts: ${admitLine(host, key)}`);
}

/** To type on the others. */
export function admitLine(host: string, key: string): string {
  return `bellhop cluster admit ${sanitiseLine(host)} ${sanitiseLine(key)}`;
}

function columnsOf(traffic: readonly HostTraffic[], now: Instant): Columns<ShownHost> {
  const of = ({ host }: ShownHost) => traffic.find((one) => one.host === host);
  const count = (many: number | undefined) => (many === undefined || many === 0 ? "" : String(many));
  const ago = (at: Instant | undefined) => (at === undefined ? "" : `${age(at, now)} ago`);
  return {
    HOST: ({ host }) => host,
    STATE: ({ state }) => state,
    AGENTS: ({ agents }) => count(agents.length),
    WAITING: (one) => count(of(one)?.waiting),
    "UNDER WAY": (one) => count(of(one)?.underway),
    "LAST OUT": (one) => ago(of(one)?.lastOut),
    "LAST IN": (one) => ago(of(one)?.lastIn),
    RIGHTS: ({ rights }) => rights?.join(", ") ?? "",
  };
}

function nextFor({ host, state, doubt }: ShownHost): string {
  if (doubt !== undefined) return `↳ ${doubt}`;
  if (state !== "not-admitted") return "";
  return `↳ to admit it: bellhop cluster admit ${host} KEY, with the key that "bellhop cluster status" prints there`;
}

export function printHosts(out: Output, hosts: readonly ShownHost[], now: Instant): void {
  const columns: Columns<ShownHost> = {
    HOST: ({ host }) => host,
    STATE: ({ state }) => state,
    HEARD: ({ heardAt }) => (heardAt === undefined ? "" : `${age(heardAt, now)} ago`),
    VERSION: ({ version }) => version ?? "",
    AGENTS: ({ agents }) => agentsInWords(agents.map(({ name }) => name)),
  };
  printTable(out, hosts, columns, nextFor);
}

function agentsInWords(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_AGENTS).join(", ");
  const more = names.length - SHOWN_AGENTS;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** One line of `status`; nothing without a cluster. */
export function printClusterBriefly(out: Output, found: ShownClusterBriefly | undefined, now: Instant): void {
  if (found === undefined) return;
  const { host, engine, hosts, up, waiting, doubts = [] } = found;
  const others = hosts === 0 ? "no other host is admitted" : `${up} of ${hosts} other hosts up`;
  const wait = waiting === 0 ? "" : `, ${waiting} waiting`;
  const line = `cluster: this is ${sanitiseLine(host)}, NATS ${engine.state} for ${age(engine.since, now)}, ${others}${wait}`;
  for (const doubt of doubts) out.line(out.paint("yellow", `! ${sanitiseText(doubt)}`));
  if (engine.reason === undefined) out.line(line);
  else out.line(out.paint(styleOf(found), `! ${line}: ${sanitiseText(engine.reason)}`));
}

function styleOf({ stuck }: { readonly engine: ShownEngine; readonly stuck?: true }): Style {
  return stuck === true ? "red" : "yellow";
}

const MARKS: Readonly<Record<ClusterCheck["verdict"], readonly [string, Style]>> = {
  ok: ["ok  ", "green"],
  warn: ["warn", "yellow"],
  fail: ["FAIL", "red"],
};

export function printChecks(out: Output, checks: readonly ClusterCheck[]): void {
  for (const { name, verdict, detail, next } of checks) {
    const [mark, style] = MARKS[verdict];
    out.line(`${out.paint(style, mark)}  ${sanitiseLine(name)}: ${sanitiseText(detail)}`);
    if (next !== undefined) out.line(`      ${sanitiseText(next)}`);
  }
}
