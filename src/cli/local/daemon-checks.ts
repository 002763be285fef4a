/** What `doctor` learns from the daemon, if it runs: versions, servers, and how each session can be reached. */
import { BellhopError } from "../../core/errors.ts";
import { CAREFUL_WAY } from "../../core/releases.ts";
import { HOOKED_PROGRAMS } from "../../programs/index.ts";
import type { ShownClusterBriefly } from "../../wire/shapes/cluster.ts";
import type { DiagnosedSession } from "../../wire/shapes/daemon.ts";
import type { ShownBridge } from "../../wire/shapes/outside.ts";
import { VERSION } from "../../wire/version.ts";
import type { CommandContext } from "../context.ts";
import { agentShellFindings, shellTools } from "./agent-shells.ts";
import { broken, doubtful, type Finding, well } from "./check.ts";
import { fromError } from "./machine-checks.ts";
import { reachIfRunning } from "./unreached-daemon.ts";

/** The daemon's name for its own terminals; a tmux server is named by its socket. */
const HOSTED = "pty";

export async function daemonFindings(context: CommandContext): Promise<readonly Finding[]> {
  try {
    const client = await reachIfRunning(context);
    const status = await client.call("status", {}, { timeoutMs: 4_000 });
    const { sessions, servers } = await client.call("diagnose", {});
    return [
      checkVersion(status.version, status.pid),
      ...(status.trouble ?? []).map(({ message, next }) => broken("daemon", message, next)),
      ...status.warnings.map((warning) => doubtful("daemon", warning, 'See "bellhop logs".')),
      ...(status.bridges ?? []).map(checkBridge),
      ...(status.cluster === undefined ? [] : [checkCluster(status.cluster)]),
      ...servers.map(({ name, state }) => checkServer(name, state)),
      ...sessions.map(checkSession),
      ...(await agentShellFindings(sessions, shellTools(context.env, process.argv[1]))),
    ];
  } catch (error) {
    if (error instanceof BellhopError && error.code === "daemon.not_running") {
      return [
        doubtful(
          "daemon",
          "not running",
          'Start it with "bellhop up" to check tmux servers and sessions too.',
        ),
      ];
    }
    return [fromError("daemon", error)];
  }
}

export function checkVersion(version: string, pid: number): Finding {
  return version === VERSION
    ? well("daemon", `running, process ${pid}, version ${version}`)
    : doubtful(
        "daemon",
        `runs version ${version}, this is ${VERSION}`,
        "Restart it: bellhop down && bellhop up",
      );
}

export function checkServer(name: string, state: string): Finding {
  const hosted = name === HOSTED;
  const what = hosted ? "hosted terminals" : "tmux server";
  const said = hosted ? "" : `${name}: `;
  if (state.startsWith("unknown")) {
    const look = hosted ? 'See "bellhop logs".' : 'Look at it with "tmux ls".';
    return doubtful(what, `${said}${state}`, `${look} Bellhop keeps trying by itself.`);
  }
  if (hosted) return well(what, "ready");
  return well(what, `${said}${state === "absent" ? "not running" : "running"}`);
}

export function checkBridge({ name, state, error, stuck }: ShownBridge): Finding {
  const bridge = `bridge ${name}`;
  if (error !== undefined) {
    const next = 'Then look again: "bellhop bridge status".';
    return stuck === true ? broken(bridge, error, next) : doubtful(bridge, error, next);
  }
  if (state === "up") return well(bridge, "connected");
  return doubtful(bridge, `is ${state}`, 'If it lasts, see "bellhop bridge status".');
}

export function checkCluster(found: ShownClusterBriefly): Finding {
  const { host, engine, hosts, up, waiting, doubts = [], stuck } = found;
  const name = "cluster";
  if (engine.state !== "up") {
    const wait = waiting === 0 ? "" : `; ${waiting} for other hosts wait here`;
    const detail = `${engine.reason ?? `NATS is ${engine.state}`}${wait}`;
    const next = 'See what is in the way: "bellhop cluster test".';
    return stuck === true ? broken(name, detail, next) : doubtful(name, detail, next);
  }
  if (hosts === 0)
    return doubtful(
      name,
      `this is ${host}, and no other host is admitted`,
      'Type "bellhop cluster status" on the others: it prints what to type here.',
    );
  const said = [`this is ${host}; ${up} of ${hosts} other hosts up`, ...doubts].join("; ");
  return up === hosts && doubts.length === 0
    ? well(name, said)
    : doubtful(name, said, 'See which: "bellhop cluster hosts".');
}

export function checkSession(session: DiagnosedSession): Finding {
  const name = `agent ${session.agent}`;
  const closed = session.closed.map(({ transport, why }) => `${transport} closed: ${why}`);
  const program = session.version === undefined ? session.program : `${session.program} ${session.version}`;
  if (session.suspended)
    return doubtful(name, `${program} is ${session.because}`, "Its messages wait until then.");
  const detail = [
    `${program} is ${session.readiness} (${session.because})`,
    `reached by ${session.transports.join(", ") || "nothing"}`,
    ...closed,
    ...(session.unproven === undefined ? [] : [`${session.unproven}, ${CAREFUL_WAY}`]),
  ].join("; ");
  // For taught programs there are no hooks to install.
  const hooks = HOOKED_PROGRAMS.find((program) => program.name === session.program);
  if (session.transports.length === 0 && (session.hooked || hooks === undefined)) {
    return doubtful(name, detail, "Look at its terminal, or allow more transports in config.yaml.");
  }
  if (!session.hooked && hooks !== undefined) {
    const those = `its hooks with "bellhop hooks install ${session.program}" and restart it.`;
    return doubtful(
      name,
      `${detail}; no hook has reported`,
      hooks.silence === undefined ? `Install ${those}` : `${hooks.silence} If it does not: install ${those}`,
    );
  }
  return session.unproven === undefined ? well(name, detail) : doubtful(name, detail, PROVE_IT);
}

const PROVE_IT =
  'Messages get in, more slowly. A newer Bellhop may know this release; if it does not, "bellhop profile learn" captures its screens for a report (docs/new-program.md).';
