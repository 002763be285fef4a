/** The screen of a hosted program for a read-only viewer, drawn from the same bytes as for everyone else. */

import { BellhopError } from "../../core/errors.ts";
import type { Row } from "../../screens/cells.ts";
import type { HostExit, ViewerHears } from "../../wire/host/host.ts";
import { dialHost, type HostConnection, type HostPlace } from "../connection.ts";
import { DISPLAY_LIMITS } from "../drawing/display.ts";
import { Replica } from "../drawing/replica.ts";
import type { FollowEar, FollowedScreen } from "./followed-screen.ts";

const LAST_WORDS_MS = 2_000;

export async function followHost(place: HostPlace, ear: FollowEar): Promise<FollowedScreen> {
  let replica: Replica | undefined;
  let connection: HostConnection | undefined;
  let exit: HostExit | null = null;
  let timer: NodeJS.Timeout | undefined;
  let drawing: "first" | "later" = "first";
  const changed = (): void => {
    if (replica === undefined) return;
    if (replica.unparsedBytes < DISPLAY_LIMITS.resumeBytes) connection?.resume();
    if (replica.unparsedBytes === 0 && drawing === "later") ear.changed();
  };
  const told = (message: ViewerHears): void => {
    if (message.type === "resize") replica?.resize(message);
    if (message.type !== "state" || message.state.exit === null) return;
    exit = message.state.exit;
    const ending = endingOf(exit);
    // The host hangs up by itself once it has sent everything.
    timer ??= setTimeout(() => ear.over({ kind: "ended", ending }), LAST_WORDS_MS);
  };
  await dialHost(
    place,
    { may: "look" },
    {
      welcomed: (opened) => {
        connection = opened;
        replica = new Replica(opened.welcome, changed);
      },
      drawn: (bytes) => {
        drawing = "later";
        replica?.write(bytes);
        if ((replica?.unparsedBytes ?? 0) > DISPLAY_LIMITS.unparsedBytes) connection?.pause();
      },
      told,
      over: (error) =>
        ear.over(
          exit === null
            ? { kind: "failed", error: error.toDetail() }
            : { kind: "ended", ending: endingOf(exit) },
        ),
    },
  ).catch((error: unknown) => {
    if (!(error instanceof BellhopError)) throw error;
    // As data: the caller's bundle has its own error class and would not recognise ours.
    ear.over({ kind: "failed", error: error.toDetail() });
  });
  return {
    rows: (): readonly Row[] => replica?.rows() ?? [],
    isMidway: () => replica?.isDrawing ?? false,
    close() {
      clearTimeout(timer);
      connection?.close();
    },
  };
}

function endingOf({ code, signal, at }: HostExit) {
  if (signal !== null) return { how: "killed", signal, at } as const;
  return { how: "exited", ...(code === null ? {} : { code }), at } as const;
}
