/** What `doctor` can see without the daemon: the machine, the home, the config. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { BellhopError } from "../../core/errors.ts";
import { findOnPath } from "../../system/executables.ts";
import { realPath } from "../arguments/body.ts";
import type { CommandContext } from "../context.ts";
import { broken, doubtful, type Finding, well } from "./check.ts";

const PROBE_MS = 5_000;
const OLDEST_NODE = [20, 19] as const;
/** The first version with the formats and the control mode that the gate needs. */
const OLDEST_TMUX = [3, 2] as const;
/** The releases on which every suite ran. Not 3.6: its races ran only on a machine too busy for keys to meet. */
const PROVEN_TMUX: readonly string[] = ["3.3a"];

type Environment = Readonly<Record<string, string | undefined>>;

export async function machineFindings(context: CommandContext): Promise<readonly Finding[]> {
  return [
    checkNode(process.versions.node),
    checkTmux(await probe("tmux", ["-V"])),
    checkCommand(context.env, process.argv[1]),
    checkCurl(await probe("curl", ["--version"])),
    checkHome(context),
    await checkConfig(context),
  ];
}

export function checkNode(version: string): Finding {
  return isAtLeast(version, OLDEST_NODE)
    ? well("node", version)
    : broken("node", `${version} is too old`, `Install Node ${OLDEST_NODE.join(".")} or newer.`);
}

/** `output` is undefined if tmux could not be run. */
export function checkTmux(output: string | undefined): Finding {
  if (output === undefined)
    return broken("tmux", "not found", "Install tmux, so that Bellhop can reach agents that run in it.");
  const version = /(\d+\.\d+\S*)/.exec(output)?.[1];
  if (version === undefined)
    return doubtful("tmux", output.trim(), `Bellhop is tested with tmux ${OLDEST_TMUX.join(".")} and newer.`);
  if (!isAtLeast(version, OLDEST_TMUX))
    return broken("tmux", `${version} is too old`, `Install tmux ${OLDEST_TMUX.join(".")} or newer.`);
  const isProven = PROVEN_TMUX.includes(version.replace(/^next-/, ""));
  return isProven
    ? well("tmux", version)
    : doubtful(
        "tmux",
        `${version} is not proven with Bellhop (proven: ${PROVEN_TMUX.join(", ")})`,
        'It should work; if messages wait for no reason, report it. Programs in "bellhop run" need no tmux.',
      );
}

/** Agents answer by running `bellhop`, so it must be found under that name. */
export function checkCommand(env: Environment, running: string | undefined): Finding {
  const found = findOnPath("bellhop", env.PATH ?? "");
  if (found === undefined) {
    return doubtful(
      "command",
      '"bellhop" is not on the PATH',
      'Install it with "npm install -g", or "npm link" in a clone.',
    );
  }
  if (running !== undefined && realPath(found) !== realPath(running)) {
    return doubtful(
      "command",
      `${found} is a different bellhop from this one`,
      "Remove one of them, or change the PATH.",
    );
  }
  return well("command", found);
}

function checkCurl(output: string | undefined): Finding {
  return output === undefined
    ? doubtful("curl", "not found", "Install curl: the hooks report through it.")
    : well("curl", output.split(" ").slice(0, 2).join(" "));
}

function checkHome({ home }: CommandContext): Finding {
  try {
    const { root, state } = home();
    return well("home", state === "ready" ? root : `${root} (created on first use)`);
  } catch (error) {
    return fromError("home", error);
  }
}

async function checkConfig({ home }: CommandContext): Promise<Finding> {
  try {
    const { loadConfig } = await import("../../config/config.ts");
    const { path } = loadConfig(home().config);
    return well("config", existsSync(path) ? path : "no file: the defaults are in force");
  } catch (error) {
    return fromError("config", error);
  }
}

export function fromError(name: string, error: unknown): Finding {
  if (error instanceof BellhopError) return broken(name, error.message, error.next);
  throw error;
}

function probe(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: PROBE_MS, killSignal: "SIGKILL" }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
