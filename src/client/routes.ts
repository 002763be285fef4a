/** Every delivery, told to a callback as it happens. It goes on after a restart of the daemon. */
import type { BellhopError } from "../core/errors.ts";
import type { Routed } from "../wire/shapes/broker.ts";
import type { Line, Listening } from "./line.ts";
import { isAbsence, type Patience, patiently } from "./patience.ts";

export interface RouteOptions {
  /** It is told from now on. Called again after every gap. */
  readonly opened?: () => void;
  /** Nothing more is told: the daemon refused, or stayed away for longer than the patience lasts. */
  readonly ended?: (error: unknown) => void;
}

/** A daemon that ends every connection at once is not asked without a pause. */
const AGAIN_MS = 100;

export function hearRoutes(
  line: Line,
  hear: (routed: Routed) => void,
  options: RouteOptions,
  patience: Patience,
  closed: AbortSignal,
): { close(): void } {
  let listening: Listening | undefined;
  let isOver = closed.aborted;
  const close = (): void => {
    isOver = true;
    listening?.close();
    closed.removeEventListener("abort", close);
  };
  const told = (routed: Routed): void => {
    if (!isOver) hear(routed);
  };
  const goOn = async (): Promise<void> => {
    while (!isOver) {
      let lost: (error: BellhopError) => void = () => {};
      const gap = new Promise<BellhopError>((resolve) => {
        lost = resolve;
      });
      listening = await patiently(() => line.routes({ hear: told, over: lost }), isAbsence, patience);
      if (isOver) listening.close();
      else options.opened?.();
      const error = await gap;
      if (!isAbsence(error)) throw error;
      await patience.pause(AGAIN_MS);
    }
  };
  closed.addEventListener("abort", close, { once: true });
  goOn().catch((error: unknown) => {
    if (isOver) return;
    close();
    options.ended?.(error);
  });
  return { close };
}
