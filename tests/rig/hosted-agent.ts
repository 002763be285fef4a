import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { HostRecord } from "../../src/wire/host/host.ts";
import type { Bellhop } from "./bellhop.ts";
import { HostViewer } from "./host-viewer.ts";
import { hostRecords } from "./hosts.ts";
import { readScriptedLog, type ScriptedAgent, scriptedCommand, until } from "./scripted-agent.ts";

export interface HostedAgent extends Omit<ScriptedAgent, "pane"> {
  readonly sessionId: string;
  /** As the host last wrote it. */
  record(): HostRecord;
  /** A viewer of this terminal that sends bytes, without a daemon. */
  attach(size: { readonly cols: number; readonly rows: number }): Promise<HostViewer>;
}

/** The scripted agent in a hosted terminal, in the background. Starts the daemon if there is none. */
export async function startHostedAgent(
  bellhop: Bellhop,
  name: string,
  flags: readonly string[] = [],
): Promise<HostedAgent> {
  const folder = join(bellhop.home, "agents", name);
  const logFile = join(bellhop.home, "agents", `${name}.jsonl`);
  mkdirSync(folder, { recursive: true });
  const sessionId = await runDetached(bellhop, name, scriptedCommand(name, logFile, flags));
  await until(() => readScriptedLog(logFile).length > 0, `${name} to start`);
  return {
    name,
    folder,
    logFile,
    ...hostOf(bellhop, sessionId),
    log: () => readScriptedLog(logFile),
    prompts: () => readScriptedLog(logFile).flatMap(({ prompt }) => prompt ?? []),
  };
}

/** Runs any program; resolves with its session. */
export async function runDetached(
  bellhop: Bellhop,
  name: string,
  command: readonly string[],
): Promise<string> {
  const { sessionId } = await bellhop.json<{ readonly sessionId: string }>([
    "run",
    "--detach",
    "--name",
    name,
    "--",
    ...command,
  ]);
  return sessionId;
}

export function hostOf(
  bellhop: Bellhop,
  sessionId: string,
): Pick<HostedAgent, "sessionId" | "record" | "attach"> {
  const record = (): HostRecord => {
    const found = hostRecords(bellhop.home).find((one) => one.sessionId === sessionId);
    if (found === undefined) throw new Error(`no host has written down session ${sessionId}`);
    return found;
  };
  return {
    sessionId,
    record,
    attach: (size) => HostViewer.attach(record().socket, record().token, size),
  };
}
