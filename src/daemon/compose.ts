/** Composition root: the only file that knows every adapter. Nothing imports it but its own start file. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { watchConfig } from "../config/watch.ts";
import { BellhopError, outOfFiles } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import { childEnvironment } from "../core/rights/child-environment.ts";
import { type Trouble, troubleFrom } from "../core/trouble.ts";
import { startHttpDoor } from "../doors/http/door.ts";
import { startUnixDoor } from "../doors/unix/door.ts";
import { startWsDoor } from "../doors/ws/door.ts";
import type { Home } from "../home/home.ts";
import { overruledError } from "../home/stop-mark.ts";
import { agentOfToken, readOrCreateToken } from "../home/token.ts";
import { parseHookEvent } from "../hooks/events.ts";
import { preparedCommand } from "../hooks/per-session.ts";
import { readSpool } from "../hooks/spool.ts";
import type { OfficeContext } from "../office/base/context.ts";
import type { Checkpoint } from "../office/base/steps.ts";
import { Office } from "../office/office.ts";
import type { Log } from "../ports/log.ts";
import type { Processes } from "../ports/processes.ts";
import { processesOn } from "../processes/processes.ts";
import { PROGRAMS } from "../programs/index.ts";
import { ProfileShelf } from "../programs/profile-registry.ts";
import { programRegistry } from "../programs/session-registry.ts";
import { transcripts } from "../programs/transcripts/transcripts.ts";
import { bodyFilesIn } from "../store/body-files.ts";
import { rescuedCopies, warningOf } from "../store/sqlite/files/rescued-copies.ts";
import { openStore } from "../store/sqlite/store.ts";
import { systemClock } from "../system/clock.ts";
import { nextByCron } from "../system/cron.ts";
import { descriptorLimit } from "../system/descriptor-limit.ts";
import { desktopOn } from "../system/desktop.ts";
import { gitBranch } from "../system/git-branch.ts";
import { randomIds, sha256 } from "../system/ids.ts";
import { screenDigest } from "../system/screen-digest.ts";
import { SpareDescriptors } from "../system/spare-descriptors.ts";
import { VERSION } from "../wire/version.ts";
import { doorShares } from "./door-shares.ts";
import { keepSockets } from "./kept-sockets.ts";
import { takeDaemonLock } from "./lock.ts";
import { drainSpool, every, keepScanning } from "./rounds.ts";
import { settingsFrom } from "./settings.ts";
import { Terminals } from "./terminals.ts";

const FORGET_EVERY_MS = 6 * 3_600_000;
const SPOOL_EVERY_MS = 30_000;
const STOP_DEADLINE_MS = 5_000;

export interface DaemonOptions {
  readonly home: Home;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly checkpoint: Checkpoint;
  /** Somebody told us to stop before we had started: asked at every step of the start. */
  isOverruled(): boolean;
  /** Told once, when the daemon has stopped for whatever reason. */
  onStopped(): void;
}

export interface Daemon {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { home, log } = options;
  const clock = systemClock;
  // Once: to ask for it takes a file descriptor.
  const owner = userInfo();
  // Nothing is opened, moved or written before the lock: two daemons on one home would deliver twice.
  const processes = processesOn(process.platform);
  const goOn = (): void => {
    if (options.isOverruled()) throw overruledError();
  };
  goOn();
  const lock = await takeDaemonLock(home.lock, process.pid, await startOf(process.pid, processes));
  if (lock.kind === "taken") {
    throw new BellhopError("daemon.already_running", {
      message: `A daemon${lock.pid === undefined ? "" : ` (process ${lock.pid})`} already serves ${home.root}.`,
      next: `See it with "bellhop status", or end it with "bellhop down".`,
    });
  }
  const closers: (() => unknown)[] = [lock.release];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= closeAll(closers, log).finally(() => options.onStopped());
    return stopping;
  };
  try {
    // Again, now that we hold it: whoever stopped Bellhop meanwhile has seen nobody, and left it to us.
    goOn();
    const current = {
      config: loadConfig(home.config),
      warning: undefined as string | undefined,
      undeclared: undefined as string | undefined,
    };
    const settings = { now: settingsFrom(current.config) };
    const makeFolders = (): void => {
      for (const folder of [home.messages, home.spool, join(home.runFolder, "scratch")])
        mkdirSync(folder, { recursive: true, mode: 0o700 });
    };
    makeFolders();
    const store = await openStore({
      path: home.database,
      onPoison: (row) => log.error("store.poison", { row }),
      clock,
      onTrouble: (trouble) => {
        if (trouble === undefined) return log.info("store.back");
        log.error(trouble.code, { message: trouble.message, next: trouble.next });
        // With the home itself gone, nobody can reach us, nor can we leave anything behind.
        if (!lock.stands()) void stop();
      },
    });
    closers.push(() => store.close());
    const rescued = rescuedCopies(home.database);
    const doors: { letIdleGo(): void }[] = [];
    const spare = new SpareDescriptors({
      clock,
      log,
      onShort: () => {
        for (const door of doors) door.letIdleGo();
      },
    });
    closers.push(() => spare.close());
    const shares = doorShares(descriptorLimit());
    goOn();
    const profiles = new ProfileShelf(PROGRAMS, current.config.values.profiles);
    const terminals = new Terminals(options, processes, profiles);
    closers.push(() => terminals.close());
    terminals.configure(current.config);
    const context: OfficeContext = {
      store,
      clock,
      log,
      processes,
      ids: randomIds,
      digest: sha256,
      files: bodyFilesIn(home.messages),
      transcripts: transcripts(PROGRAMS),
      inboxes: Object.fromEntries(
        PROGRAMS.flatMap(({ name, inbox }) =>
          inbox === undefined ? [] : [[name, inbox({ clock, processes })] as const],
        ),
      ),
      owner: `person/${owner.username}`,
      checkpoint: options.checkpoint,
      settings: () => settings.now,
    };
    const startedAt = clock.now();
    const http = { host: "127.0.0.1", port: 0 };
    const office = new Office({
      context,
      registry: programRegistry(PROGRAMS, { clock, processes }),
      digest: screenDigest,
      servers: () => terminals.servers(),
      branchOf: gitBranch,
      profile: (program, editing) => profiles.byName(program, editing),
      parseHookEvent,
      nextByCron,
      hosts: terminals.ownTerminals(),
      desktop: desktopOn(process.platform, options.environment),
      programOf: (command) => profiles.programOf(command),
      prepareCommand: async (order) =>
        preparedCommand(order, { bellhopHome: home.root, userHome: owner.homedir }),
      hostedEnvironment: { BELLHOP_HOME: home.root },
      status: ({ warnings, ...counts }) => ({
        running: true,
        pid: process.pid,
        version: VERSION,
        home: home.root,
        socket: home.socket,
        http,
        tokenFile: home.token,
        ...counts,
        startedAt,
        warnings: [
          ...current.config.warnings,
          current.warning,
          ...warnings,
          current.undeclared,
          ...rescued.map((copy) => warningOf(copy, home.database)),
        ].filter((warning) => warning !== undefined),
        trouble: [store.trouble(), descriptorTrouble(spare.shortSince)].filter(
          (trouble) => trouble !== undefined,
        ),
      }),
      stop: () => void stop(),
    });
    closers.push(() => office.close());

    const spooled = await readSpool(home.spool);
    await office.open(spooled.events.map(parseHookEvent));
    await spooled.forget();
    goOn();
    const declareAgents = async (): Promise<void> => {
      try {
        await office.declare(current.config.values.agents);
        current.undeclared = undefined;
      } catch (cause) {
        // Those of the last good file stay as they are.
        const message = cause instanceof Error ? cause.message : String(cause);
        current.undeclared = `The agents in config.yaml are not in force: ${message}`;
        log.warn("config.agents_rejected", { message });
      }
    };
    await declareAgents();
    // A hook that found us too slow has written to the spool while we run.
    closers.push(every(SPOOL_EVERY_MS, () => drainSpool(home.spool, office), log));
    const scans = keepScanning(office, terminals, log);
    closers.push(() => scans.close());

    readOrCreateToken(home.token, randomBytes);
    const user = owner.username;
    const explicitPort = current.config.origins["http.port"]?.kind === "file";
    const httpDoor = await startHttpDoor({
      port: { kind: explicitPort ? "explicit" : "default", port: current.config.values.http.port },
      socketPath: home.httpSocket,
      readToken: async () => readOrCreateToken(home.token, randomBytes),
      agentOfToken,
      useCases: office.useCases,
      log,
      user,
      environment: childEnvironment(options.environment, {}),
      now: clock.now,
      limits: shares.http,
    });
    closers.push(() => httpDoor.close());
    doors.push(httpDoor);
    http.port = httpDoor.port;
    const wsDoor = startWsDoor({
      loopback: httpDoor.loopback,
      useCases: office.useCases,
      streams: office.streams,
      log,
      user,
      limits: shares.ws,
    });
    closers.push(() => wsDoor.close());
    const unixDoor = await startUnixDoor({
      path: home.socket,
      useCases: office.useCases,
      streams: office.streams,
      log,
      version: VERSION,
      user,
      now: clock.now,
      limits: shares.unix,
    });
    closers.push(() => unixDoor.close());
    doors.push(unixDoor);
    const sockets = keepSockets({
      folder: home.runFolder,
      putBack: async () => {
        // A home that was removed is not ours any more, nor are the paths in it.
        if (!lock.stands()) return "were-there";
        makeFolders();
        const doors = await Promise.all([unixDoor.listenAgain(), httpDoor.listenAgain()]);
        return doors.includes("again") ? "put-back" : "were-there";
      },
      clock,
      log,
    });
    closers.push(() => sockets.close());
    // Hooks that came while the doors were still shut.
    await drainSpool(home.spool, office);

    const watching = watchConfig(
      home.config,
      (change) => {
        const refused =
          change.kind === "rejected" ? change.error : profiles.tryReplace(change.config.values.profiles);
        if (change.kind === "rejected" || refused !== undefined) {
          current.warning = `config.yaml is not in force: ${refused?.message}`;
          log.warn("config.rejected", { message: refused?.message });
          return;
        }
        current.config = change.config;
        current.warning = undefined;
        settings.now = settingsFrom(change.config);
        terminals.configure(change.config);
        log.info("config.applied");
        scans.soon();
        office.reconsider();
        void declareAgents();
      },
      clock,
    );
    closers.push(() => watching.close());
    const forgetting = every(FORGET_EVERY_MS, () => office.forget(), log);
    closers.push(forgetting);

    // Last, when we can be reached: a stop that came before that could not tell us.
    goOn();
    log.info("daemon.started", { pid: process.pid, version: VERSION, port: http.port });
    return { port: http.port, stop };
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}

async function startOf(pid: number, processes: Processes): Promise<string | undefined> {
  const found = await processes.identify(pid).catch(() => "gone" as const);
  return found === "gone" ? undefined : found.startedAt;
}

function descriptorTrouble(shortSince: Instant | undefined): Trouble | undefined {
  if (shortSince === undefined) return undefined;
  return troubleFrom(outOfFiles("New connections and terminals may fail", undefined), shortSince);
}

/** Newest first, each with what is left of the time; a stuck one does not keep the rest from closing. */
async function closeAll(closers: readonly (() => unknown)[], log: Log): Promise<void> {
  log.info("daemon.stopping");
  for (const close of closers.toReversed()) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_DEADLINE_MS / 2);
    });
    try {
      await Promise.race([close(), late]);
    } catch (cause) {
      log.error("daemon.close_failed", { cause: String(cause) });
    } finally {
      clearTimeout(timer);
    }
  }
  log.info("daemon.stopped");
}
