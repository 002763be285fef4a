/** What a running daemon does periodically: look for programs, and read the events that hooks left in the spool. */
import { parseHookEvent } from "../hooks/events.ts";
import { readSpool } from "../hooks/spool.ts";
import type { Office } from "../office/office.ts";
import type { Log } from "../ports/log.ts";
import type { ScanHow } from "../ports/terminal.ts";
import { HOOKED_PROGRAMS } from "../programs/index.ts";
import { systemClock } from "../system/clock.ts";

const SCAN_EVERY_MS = 5_000;
const SCAN_SOON_MS = 150;

export async function drainSpool(folder: string, office: Office): Promise<void> {
  const spooled = await readSpool(folder, HOOKED_PROGRAMS);
  for (const event of spooled.events) await office.receiveHook(parseHookEvent(event, HOOKED_PROGRAMS));
  await spooled.forget();
}

export function every(ms: number, work: () => Promise<void>, log: Log): () => void {
  const timer = setInterval(
    () => work().catch((cause) => log.error("timer.failed", { cause: String(cause) })),
    ms,
  );
  return () => clearInterval(timer);
}

/** A program that starts inside a shell causes no tmux notice, so we also ask periodically which windows have drawn. */
export function keepScanning(
  office: Office,
  terminals: { onChange(listener: () => void): void },
  log: Log,
): { soon(how?: ScanHow): void; close(): void } {
  let closed = false;
  let cancelSoon: (() => void) | undefined;
  const scan = (how?: ScanHow): void => {
    if (!closed) office.scan(how).catch((cause) => log.error("scan.failed", { cause: String(cause) }));
  };
  let howSoon: ScanHow | undefined;
  const soon = (how?: ScanHow): void => {
    howSoon ??= how;
    cancelSoon ??= systemClock.after(SCAN_SOON_MS, () => {
      cancelSoon = undefined;
      scan(howSoon);
      howSoon = undefined;
    });
  };
  terminals.onChange(() => soon());
  const timer = setInterval(() => scan(), SCAN_EVERY_MS);
  return {
    soon,
    close: () => {
      closed = true;
      cancelSoon?.();
      clearInterval(timer);
    },
  };
}
