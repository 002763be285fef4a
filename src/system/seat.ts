/** Whether somebody uses this computer: macOS says it in its registry of devices, Linux through logind. */
import { execFile } from "node:child_process";
import { present } from "../core/present.ts";
import type { Seat, SeatUse } from "../ports/seat.ts";

const DEADLINE_MS = 2_000;
const MOST_BYTES = 4 * 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

export function seatOn(platform: string, environment: Environment, now: () => number): Seat {
  const said = (program: string, args: readonly string[]) => answerOf(program, args, environment);
  if (platform === "darwin") return { use: () => useOnMac(said) };
  if (platform === "linux") return { use: () => useOnLinux(said, environment, now) };
  return { use: async () => ({}) };
}

type Said = (program: string, args: readonly string[]) => Promise<string | undefined>;

async function useOnMac(said: Said): Promise<SeatUse> {
  const [devices, root] = await Promise.all([
    said("ioreg", ["-c", "IOHIDSystem", "-d", "4"]),
    said("ioreg", ["-n", "Root", "-d", "1", "-a"]),
  ]);
  return present({ idleMs: idleFromDevices(devices ?? ""), isLocked: lockedFromRegistry(root ?? "") });
}

/** `"HIDIdleTime" = 1234567890`, in nanoseconds. */
export function idleFromDevices(text: string): number | undefined {
  const digits = /"HIDIdleTime"\s*=\s*(\d{1,20})/u.exec(text)?.[1];
  return digits === undefined ? undefined : Math.floor(Number(digits) / 1e6);
}

/** The key is there only while it is locked; without any session of the console nothing is known. */
export function lockedFromRegistry(plist: string): boolean | undefined {
  if (!plist.includes("IOConsoleUsers")) return undefined;
  return /<key>CGSSessionScreenIsLocked<\/key>\s*<true\/>/u.test(plist);
}

async function useOnLinux(said: Said, { XDG_SESSION_ID }: Environment, now: () => number): Promise<SeatUse> {
  const names = ["IdleHint", "IdleSinceHint", "LockedHint", "Type"];
  const shown = await said("loginctl", [
    "show-session",
    XDG_SESSION_ID ?? "self",
    ...names.map((name) => `--property=${name}`),
  ]);
  return useFromLogind(shown ?? "", now());
}

/** Only a graphical session sets the hints; a session of ssh or of a console always says that it is not idle. */
export function useFromLogind(text: string, now: number): SeatUse {
  const values = new Map(
    text.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1).trim()]),
  );
  if (!["x11", "wayland", "mir"].includes(values.get("Type") ?? "")) return {};
  const locked = values.get("LockedHint");
  return present({
    isLocked: locked === undefined ? undefined : locked === "yes",
    idleMs: idleSince(values, now),
  });
}

function idleSince(values: ReadonlyMap<string | undefined, string>, now: number): number | undefined {
  const hint = values.get("IdleHint");
  if (hint === "no") return 0;
  const since = Number(values.get("IdleSinceHint"));
  if (hint !== "yes" || !Number.isFinite(since) || since <= 0) return undefined;
  return Math.max(0, now - Math.floor(since / 1_000));
}

/** Undefined if the program is not there or does not answer. */
function answerOf(
  program: string,
  args: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { timeout: DEADLINE_MS, killSignal: "SIGKILL", env: { ...environment }, maxBuffer: MOST_BYTES },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}
