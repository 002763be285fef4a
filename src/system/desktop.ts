/** Desktop notifications, through each system's own program. The text is an argument, never a script. */
import { execFile } from "node:child_process";
import type { Desktop } from "../ports/desktop.ts";
import { findOnPath } from "./executables.ts";

const DEADLINE_MS = 5_000;
const TITLE = "Bellhop";
/** Shown for a few seconds, even over a full-screen window. */
const SHOWN_FOR_MS = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

interface Shower {
  readonly program: string;
  readonly missing: string;
  arguments(text: string): readonly string[];
}

export function desktopOn(platform: string, environment: Environment): Desktop {
  const shower = platform === "darwin" ? MACOS : LINUX;
  const found = () => findOnPath(shower.program, environment.PATH ?? "");
  const obstacle = () =>
    found() === undefined ? `${shower.program} is not on the PATH (${shower.missing})` : undefined;
  return {
    obstacle,
    async notify(text) {
      const program = found();
      if (program === undefined) throw new Error(obstacle());
      await run(program, shower.arguments(text), environment);
    },
  };
}

const LINUX: Shower = {
  program: "notify-send",
  missing: "Debian and Ubuntu have it in libnotify-bin",
  arguments: (text) => [
    `--app-name=${TITLE}`,
    `--expire-time=${SHOWN_FOR_MS}`,
    "--",
    TITLE,
    // The notification daemon may interpret a few HTML tags.
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  ],
};

const SHOW = "display notification (item 2 of words) with title (item 1 of words)";

const MACOS: Shower = {
  program: "osascript",
  missing: "every macOS has it in /usr/bin",
  arguments: (text) => ["-e", "on run words", "-e", SHOW, "-e", "end run", "--", TITLE, text],
};

function run(program: string, args: readonly string[], environment: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...args],
      { timeout: DEADLINE_MS, killSignal: "SIGKILL", env: { ...environment }, maxBuffer: 64 * 1024 },
      (error, _stdout, stderr) => {
        if (error === null) return resolve();
        const [said = ""] = stderr.trim().split("\n");
        const late = error.killed === true ? `it did not answer within ${DEADLINE_MS / 1_000} s` : undefined;
        reject(new Error(`${program}: ${late ?? (said === "" ? error.message : said)}`));
      },
    );
  });
}
