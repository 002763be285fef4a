/** Composition root: the only file that knows every adapter. Only its own start file imports it. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { type UserInfo, userInfo } from "node:os";
import { join } from "node:path";
import { quietEdit } from "../config/quiet.ts";
import { editedConfig, replaceConfig } from "../config/writing.ts";
import { BellhopError, outOfFiles, type Trouble, troubleFrom } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import type { Home } from "../home/home.ts";
import { readOrCreateSecret } from "../home/secret-file.ts";
import { overruledError } from "../home/stop-mark.ts";
import { agentToken, readToken } from "../home/token.ts";
import { parseHookEvent } from "../hooks/events.ts";
import { hookSignIn } from "../hooks/sign.ts";
import { readSpool } from "../hooks/spool.ts";
import type { OfficeContext } from "../office/base/context.ts";
import type { Checkpoint } from "../office/base/steps.ts";
import type { Walking } from "../office/base/walk.ts";
import { Office } from "../office/office.ts";
import type { ClosedBridge } from "../office/outside/bridges.ts";
import type { OfficeParts } from "../office/rooms.ts";
import type { Processes } from "../ports/processes.ts";
import type { PushSender } from "../ports/push-sender.ts";
import type { Store } from "../ports/store.ts";
import { processesOn } from "../processes/processes.ts";
import { HEADLESS_PROGRAMS, HOOKED_PROGRAMS, PROGRAMS } from "../programs/index.ts";
import { preparedCommand } from "../programs/prepared-command.ts";
import { ProfileRegistry } from "../programs/profile-registry.ts";
import { programRegistry } from "../programs/session-registry.ts";
import { transcripts } from "../programs/transcripts/transcripts.ts";
import { bodyFilesIn } from "../store/body-files.ts";
import { rescuedCopies, warningOf } from "../store/sqlite/files/rescued-copies.ts";
import { openStore } from "../store/sqlite/store.ts";
import { freeMemoryWhenCalm } from "../system/calm-memory.ts";
import { systemClock } from "../system/clock.ts";
import { nextByCron } from "../system/cron.ts";
import { descriptorLimit } from "../system/descriptor-limit.ts";
import { desktopOn } from "../system/desktop.ts";
import { gitBranch } from "../system/git-branch.ts";
import { randomIds, screenDigest, sha256 } from "../system/ids.ts";
import { seatOn } from "../system/seat.ts";
import { SpareDescriptors } from "../system/spare-descriptors.ts";
import { needsOf } from "../wire/verbs/index.ts";
import { VERSION } from "../wire/version.ts";
import { ConfiguredBridges } from "./bridges.ts";
import { commandClassifier } from "./classifier.ts";
import { Closers } from "./closers.ts";
import { ConfiguredCluster } from "./cluster.ts";
import { clusterSetting } from "./cluster-setting.ts";
import { ConfigInForce } from "./config-in-force.ts";
import { doorShares } from "./door-shares.ts";
import { openDoors } from "./doors.ts";
import { followConfig } from "./follow-config.ts";
import { type LockOutcome, takeDaemonLock } from "./lock.ts";
import { drainSpool, every, keepScanning } from "./rounds.ts";
import { commandRunner } from "./runner.ts";
import { Terminals, type TerminalsParts } from "./terminals.ts";

const FORGET_EVERY_MS = 6 * 3_600_000;
const SPOOL_EVERY_MS = 30_000;

export interface DaemonOptions extends TerminalsParts {
  /** The variables as they were at the start: only secrets are read from them. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  /** Takes variables out of `environment`, which programs inherit. */
  hide(names: readonly string[]): void;
  readonly checkpoint: Checkpoint;
  /** For the benchmarks: what each step of a message costs. */
  readonly timed?: Walking["timed"];
  /** Whether a stop was requested before the start completed: checked at every step of the start. */
  isOverruled(): boolean;
  /** Called once, when the daemon has stopped for any reason. */
  onStopped(): void;
}

export interface Daemon {
  readonly port: number;
  stop(): Promise<void>;
}

type OwnLock = Extract<LockOutcome, { kind: "held" }>;

/** What every part of the start needs. */
interface Start extends DaemonOptions {
  readonly processes: Processes;
  readonly lock: OwnLock;
  readonly closers: Closers;
  readonly owner: UserInfo<string>;
  stop(): Promise<void>;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { log } = options;
  // Asked once, because it needs a file descriptor.
  const owner = userInfo();
  const processes = processesOn(process.platform);
  goOn(options);
  // Nothing is opened, moved or written before the lock is held: two daemons on one home would deliver twice.
  const lock = await takeLock(options.home, processes);
  const closers = new Closers(log);
  closers.add("lock", lock.release);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= closers.closeAll().finally(() => options.onStopped());
    return stopping;
  };
  try {
    // Checked again now that we hold the lock: a "bellhop down" meanwhile found no daemon and left stopping to us.
    goOn(options);
    const port = await start({ ...options, processes, lock, closers, owner, stop });
    log.info("daemon.started", { pid: process.pid, version: VERSION, port });
    return { port, stop };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

function goOn({ isOverruled }: DaemonOptions): void {
  if (isOverruled()) throw overruledError();
}

async function takeLock(home: Home, processes: Processes): Promise<OwnLock> {
  const lock = await takeDaemonLock(home.lock, process.pid, await startOf(process.pid, processes));
  if (lock.kind === "held") return lock;
  throw new BellhopError("daemon.already_running", {
    message: `A daemon${lock.pid === undefined ? "" : ` (process ${lock.pid})`} already serves ${home.root}.`,
    next: `See it with "bellhop status", or end it with "bellhop down".`,
  });
}

/** Resolves with the port of the loopback door, once everything is ready. */
async function start(starting: Start): Promise<number> {
  const { home, log, closers } = starting;
  const inForce = new ConfigInForce(home.config, log);
  starting.hide(inForce.settings.secretVariables);
  makeFolders(home);
  const store = await openData(starting);
  const doors: { letIdleGo(): void }[] = [];
  let spare: SpareDescriptors | undefined;
  closers.add("spare", () => spare?.close());
  const shares = doorShares(descriptorLimit());
  goOn(starting);
  const profiles = new ProfileRegistry(PROGRAMS, inForce.config.values.profiles);
  const terminals = new Terminals(starting, starting.processes, profiles);
  closers.add("terminals", () => terminals.close());
  terminals.configure(inForce.config);
  const http = { host: "127.0.0.1", port: 0 };
  const needs: OfficeNeeds = {
    ...{ inForce, store, profiles, terminals, http },
    shortSince: () => spare?.shortSince,
    closedBridges: () => [],
  };
  const office = composeOffice(starting, needs);
  closers.add("office", () => office.close());
  const cluster = clusterOf(starting, office);
  closers.add("cluster", () => cluster.close());
  needs.cluster = cluster;

  const spooled = await readSpool(home.spool, HOOKED_PROGRAMS);
  await office.open(spooled.events.map((event) => parseHookEvent(event, HOOKED_PROGRAMS)));
  await spooled.forget();
  goOn(starting);
  await inForce.declare(office);
  // A hook that found us too slow writes to the spool even while we run.
  closers.add(
    "spool",
    every(SPOOL_EVERY_MS, () => drainSpool(home.spool, office), log),
  );
  const scans = keepScanning(office, terminals, log);
  closers.add("scans", () => scans.close());
  const bridges = new ConfiguredBridges({
    office,
    log,
    home: home.root,
    environment: starting.secrets,
  });
  closers.add("bridges", () => bridges.close());
  needs.closedBridges = () => bridges.closed();
  // Before the doors: a message for another host is not to find that there is none. It does not wait for the engine.
  if (inForce.config.values.cluster !== undefined) await cluster.apply(inForce.config);
  await openDoors({
    ...starting,
    user: starting.owner.username,
    config: inForce.config,
    office,
    shares,
    opened: (door) => doors.push(door),
    homeStands: () => starting.lock.stands(),
    makeFolders: () => makeFolders(home),
    webhooks: (request, response) => bridges.receive(request, response),
    webName: () => inForce.settings.webName,
    portKnown: (port) => {
      http.port = port;
    },
  });
  // Not before the doors: the descriptor that Node itself keeps back, to turn callers away, is to be among the first.
  spare = new SpareDescriptors({
    clock: systemClock,
    log,
    onShort: () => {
      for (const door of doors) door.letIdleGo();
    },
  });
  // Hook events that arrived before the doors were open.
  await drainSpool(home.spool, office);
  const { hide } = starting;
  const followers = {
    path: home.config,
    log,
    inForce,
    profiles,
    terminals,
    office,
    scans,
    bridges,
    cluster,
    hide,
  };
  const watching = followConfig(followers);
  closers.add("config", () => watching.close());
  // Not awaited: a platform that does not answer must not keep the daemon from being ready.
  void bridges.apply(inForce.config);
  void cluster.apply(inForce.config);
  closers.add(
    "forgetting",
    every(FORGET_EVERY_MS, () => office.forget(), log),
  );
  closers.add("memory", freeMemoryWhenCalm({ clock: systemClock }));
  // Checked last, when we can be reached: an earlier stop could not tell us.
  goOn(starting);
  return http.port;
}

function scratchOf(home: Home): string {
  return join(home.runFolder, "scratch");
}

function makeFolders(home: Home): void {
  for (const folder of [home.messages, home.spool, scratchOf(home)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
}

async function openData({ home, log, lock, closers, stop }: Start): Promise<Store> {
  const store = await openStore({
    path: home.database,
    onPoison: (row) => log.error("store.poison", { row }),
    clock: systemClock,
    onTrouble: (trouble) => {
      if (trouble === undefined) return log.info("store.back");
      log.error(trouble.code, { message: trouble.message, next: trouble.next });
      // If the home itself is gone, nobody can reach us, and there is nothing to clean up.
      if (!lock.stands()) void stop();
    },
  });
  closers.add("store", () => store.close());
  return store;
}

interface OfficeNeeds {
  readonly inForce: ConfigInForce;
  readonly store: Store;
  /** Since when there have been too few file descriptors. */
  shortSince(): Instant | undefined;
  readonly profiles: ProfileRegistry;
  readonly terminals: Terminals;
  /** The port is known once the door is open. */
  readonly http: { readonly host: string; readonly port: number };
  /** Known once the bridges are. */
  closedBridges: () => readonly ClosedBridge[];
  /** Known once the office is. */
  cluster?: ConfiguredCluster;
}

function clusterOf({ home, log }: Start, office: Office): ConfiguredCluster {
  return new ConfiguredCluster({
    office,
    clock: systemClock,
    log,
    home: home.root,
    keyFile: home.clusterKey,
  });
}

function composeOffice(starting: Start, needs: OfficeNeeds): Office {
  const { home, environment, processes, owner, stop } = starting;
  const { profiles, terminals } = needs;
  return new Office({
    context: contextOf(starting, needs),
    registry: programRegistry(PROGRAMS, { clock: systemClock, processes, home: home.root }),
    digest: screenDigest,
    servers: () => terminals.servers(),
    branchOf: gitBranch,
    profile: (program, editing) => profiles.byName(program, editing),
    parseHookEvent: (request) => parseHookEvent(request, HOOKED_PROGRAMS),
    writeQuietHours: (hours, except) =>
      replaceConfig(home.config, editedConfig(home.config, quietEdit({ hours, except }))),
    needs: needsOf,
    nextByCron,
    hosts: terminals.ownTerminals(),
    desktop: desktopOn(process.platform, environment),
    seat: seatOn(process.platform, environment, () => systemClock.now()),
    classifier: commandClassifier({
      settings: () => needs.inForce.config.values.desk.classifier,
      scratch: scratchOf(home),
      environment,
    }),
    pushSender: lazySender(async () => {
      const { pushSender } = await import("../push/sender.ts");
      return pushSender({
        privateKey: () => readOrCreateSecret({ path: home.pushKey, what: "push key" }, randomBytes),
        random: randomBytes,
        now: systemClock.now,
      });
    }),
    runner: commandRunner({
      programs: HEADLESS_PROGRAMS,
      processes,
      clock: systemClock,
      home: home.root,
      scratch: scratchOf(home),
      environment,
      secretVariables: () => needs.inForce.settings.secretVariables,
      tokenOf: (agent) => {
        const owners = readToken(home.token);
        return owners === undefined ? undefined : agentToken(owners, agent);
      },
    }),
    programOf: (command) => profiles.programOf(command),
    prepareCommand: async (order) =>
      preparedCommand(order, PROGRAMS, {
        bellhopHome: home.root,
        userHome: owner.homedir,
        programs: HOOKED_PROGRAMS,
      }),
    hostedEnvironment: { BELLHOP_HOME: home.root },
    closedBridges: () => needs.closedBridges(),
    clusterSetting: clusterSetting({ path: home.config, home: home.root, cluster: () => needs.cluster }),
    status: statusOf(home, needs),
    stop: () => void stop(),
  });
}

/** Loaded when a browser first wants notifications. */
function lazySender(load: () => Promise<PushSender>): PushSender {
  let loading: Promise<PushSender> | undefined;
  const sender = (): Promise<PushSender> => {
    loading ??= load();
    return loading;
  };
  return {
    publicKey: async () => (await sender()).publicKey(),
    send: async (target, push) => (await sender()).send(target, push),
  };
}

function contextOf(
  { home, log, processes, owner, checkpoint, timed }: Start,
  { store, inForce }: OfficeNeeds,
): OfficeContext {
  return {
    store,
    clock: systemClock,
    log,
    processes,
    ids: randomIds,
    digest: sha256,
    files: bodyFilesIn(home.messages),
    transcripts: transcripts(PROGRAMS),
    inboxes: Object.fromEntries(
      PROGRAMS.flatMap(({ name, inbox }) =>
        inbox === undefined
          ? []
          : [[name, inbox({ clock: systemClock, processes, home: home.root })] as const],
      ),
    ),
    hookSign: hookSignIn(home.runFolder),
    owner: `person/${owner.username}`,
    checkpoint,
    timed,
    settings: () => inForce.settings,
  };
}

function statusOf(home: Home, needs: OfficeNeeds): OfficeParts["status"] {
  const { inForce, store, shortSince, http } = needs;
  const startedAt = systemClock.now();
  const rescued = rescuedCopies(home.database).map((copy) => warningOf(copy, home.database));
  return ({ warnings, ...counts }) => ({
    running: true,
    pid: process.pid,
    version: VERSION,
    home: home.root,
    socket: home.socket,
    http,
    tokenFile: home.token,
    ...counts,
    startedAt,
    warnings: [...inForce.warnings(warnings), ...rescued],
    trouble: [store.trouble(), descriptorTrouble(shortSince())].filter((trouble) => trouble !== undefined),
  });
}

async function startOf(pid: number, processes: Processes): Promise<string | undefined> {
  const found = await processes.identify(pid).catch(() => "gone" as const);
  return found === "gone" ? undefined : found.startedAt;
}

function descriptorTrouble(shortSince: Instant | undefined): Trouble | undefined {
  if (shortSince === undefined) return undefined;
  return troubleFrom(outOfFiles("New connections and terminals may fail", undefined), shortSince);
}
