/** Whether each agent's own shell finds `bellhop`: an agent without it gets messages but cannot answer them. */
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { PROGRAMS } from "../../programs/index.ts";
import { findOnPath } from "../../system/executables.ts";
import type { DiagnosedSession } from "../../wire/shapes/daemon.ts";
import { doubtful, type Finding } from "./check.ts";

const PROBE_MS = 5_000;

export interface ShellTools {
  /** Where a shell with this PATH finds it, before and after reading the person's profile. */
  onPath(path: string): string | undefined;
  inLoginShell(path: string): Promise<string | undefined>;
  /** The file that runs this command, for the advice. */
  readonly running: string | undefined;
}

const BY_LOGIN_SHELL = PROGRAMS.filter(({ shell }) => shell === "login").map(({ name }) => name);

export async function agentShellFindings(
  sessions: readonly DiagnosedSession[],
  tools: ShellTools,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(sessions.map((session) => shellFinding(session, tools)));
  return findings.filter((finding) => finding !== undefined);
}

async function shellFinding(
  { agent, program, path }: DiagnosedSession,
  tools: ShellTools,
): Promise<Finding | undefined> {
  if (path === undefined) return undefined;
  const found = tools.onPath(path);
  if (found !== undefined && !BY_LOGIN_SHELL.includes(program)) return undefined;
  if ((await tools.inLoginShell(path)) !== undefined) return undefined;
  const folder = dirname(found ?? tools.running ?? "");
  const where = folder === "" || folder === "." ? "the folder of bellhop" : folder;
  return doubtful(
    `agent ${agent}`,
    found === undefined
      ? 'its own shell does not find "bellhop", so it cannot answer'
      : 'its commands run in a login shell, which does not find "bellhop", so it cannot answer',
    `Put ${where} on the PATH in ~/.profile, or install it with "npm install -g"; then start the agent again.`,
  );
}

export function shellTools(
  env: Readonly<Record<string, string | undefined>>,
  running: string | undefined,
): ShellTools {
  const asked = new Map<string, Promise<string | undefined>>();
  const ask = (path: string) =>
    new Promise<string | undefined>((resolve) => {
      execFile(
        env.SHELL || "/bin/sh",
        ["-lc", "command -v bellhop"],
        { env: { ...env, PATH: path }, timeout: PROBE_MS, killSignal: "SIGKILL" },
        (error, stdout) => resolve(error === null ? stdout.trim() || undefined : undefined),
      );
    });
  return {
    running,
    onPath: (path) => findOnPath("bellhop", path),
    inLoginShell(path) {
      const answer = asked.get(path) ?? ask(path);
      asked.set(path, answer);
      return answer;
    },
  };
}
