/** The office of a desk, with its store, its clock and its programs, for one life of a daemon. */
import type { OfficeContext } from "../../src/office/base/context.ts";
import { pause } from "../../src/office/base/deadline.ts";
import { Office } from "../../src/office/office.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { HookEvent } from "../../src/ports/program.ts";
import type { ScanOutcome, TerminalServer } from "../../src/ports/terminal.ts";
import { bodyFilesIn } from "../../src/store/body-files.ts";
import { sha256 } from "../../src/system/ids.ts";
import { type DeskAgent, SERVER, SERVER_PID } from "./agent.ts";
import type { Desk } from "./desk.ts";
import type { Life } from "./life.ts";
import { OUTSIDE } from "./outside.ts";
import { deskProfile } from "./profiles.ts";

export function composedOffice(desk: Desk, life: Life, ids: Ids): Office {
  const inbox = life.inbox({
    offers: async () => desk.inbox.offer,
    handOver: async (_facts, text) => {
      if (desk.inbox.answer.kind !== "refused") desk.inbox.received.push(text);
      desk.inbox.onReceived(text);
      return desk.inbox.answer;
    },
  });
  const context: OfficeContext = {
    store: life.store(desk.store, desk.disk),
    clock: life.clock(desk.clock, () => desk.skewMs),
    owner: "person/dev",
    ids,
    digest: sha256,
    log: {
      info: (event, facts) => {
        if (!life.over) desk.logged.push({ event, ...facts });
      },
      warn: (event) => {
        if (!life.over) desk.warnings.push(event);
      },
      error: (event) => {
        if (!life.over) desk.failures.push(event);
      },
    },
    files: life.files(bodyFilesIn(desk.folder)),
    processes: {
      tree: async (pid) => desk.tree(pid),
      identify: async (pid) => ({ pid, startedAt: "1" }),
      lineage: async (pid) => desk.lineage(pid),
      alive: async (pid, startedAt) => {
        if (pid === SERVER_PID) return desk.serverProcess;
        const agent = byPid(desk, pid);
        return agent?.sighting.identity.agentStartedAt === startedAt ? agent.process : "gone";
      },
      isInUse: (pid) => byPid(desk, pid) !== undefined,
      standing: async ({ pid }) => {
        const agent = byPid(desk, pid);
        if (agent === undefined) return "gone";
        return agent.process === "alive" ? agent.standing : agent.process;
      },
      workingFolder: async () => undefined,
      environment: async (pid) => {
        const environment = byPid(desk, pid)?.environment ?? {};
        if (environment === "unreadable") throw new Error("permission denied");
        return environment;
      },
    },
    transcripts: {
      ending: async () => "as-told",
      find: async (_program, _facts, { token }) => desk.transcript(token),
      conversation: async (program, path, most) => desk.conversation(program, path, most),
      opened: async (_program, _facts, sought) =>
        new Set(
          sought.filter(({ files }) => files.some((file) => desk.opened.has(file))).map(({ id }) => id),
        ),
    },
    inboxes: { stashing: inbox, unproven: inbox },
    hookSign: {
      wanted: (session, areWanted) => {
        if (areWanted) desk.hooksWanted.add(session);
        else desk.hooksWanted.delete(session);
      },
    },
    checkpoint: life.checkpoint,
    settings: () => desk.settings,
  };
  const server: TerminalServer = {
    name: SERVER,
    scan: async () => {
      if (desk.listingTakesMs > 0) await pause(desk.clock, desk.listingTakesMs);
      return scanned(desk);
    },
    terminal: ({ agentPid }) => {
      const agent = byPid(desk, agentPid);
      if (agent === undefined) throw new Error("no such terminal");
      return life.terminal(agent.program.terminal, agent);
    },
    tell: async (text, how) => {
      if (!life.over) desk.told.push({ text, ...how });
      return { kind: "shown", to: 1 };
    },
    attended: async () => desk.attended,
    onChange: () => () => {},
    close: async () => {},
  };
  return new Office({
    ...OUTSIDE,
    hosts: desk.hosts,
    clusterSetting: desk.clusterSetting,
    context,
    registry: {
      lookUp: async (_program, { pid }) => byPid(desk, pid)?.registry,
      note: async () => undefined,
    },
    servers: () => [server],
    branchOf: async (folder) => desk.branchOf(folder),
    profile: deskProfile,
    desktop: desk.desktop,
    classifier: desk.classifier,
    pushSender: life.pushSender(desk.pushSender),
    runner: desk.runner,
    parseHookEvent: ({ payload }) => payload as unknown as HookEvent,
  });
}

function byPid(desk: Desk, pid: number): DeskAgent | undefined {
  const all = [...desk.agents, ...desk.lingering];
  return all.find(({ sighting }) => sighting.identity.agentPid === pid);
}

function scanned(desk: Desk): ScanOutcome {
  if (desk.scan === "unknown") return { kind: "unknown", cause: "no answer" };
  if (desk.scan === "absent") return { kind: "absent" };
  const there = desk.agents.filter(({ process }) => process !== "gone");
  return { kind: "scanned", sightings: there.map(({ sighting }) => sighting), serverPid: SERVER_PID };
}
