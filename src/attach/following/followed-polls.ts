/** The screen of a program in a terminal that does not report changes, so it is polled. */

import { BellhopError } from "../../core/errors.ts";
import type { Row } from "../../screens/cells.ts";
import type { ShownEnding } from "../../wire/shapes/sessions.ts";
import { Replica } from "../drawing/replica.ts";
import type { FollowEar, FollowedScreen } from "./followed-screen.ts";

export interface Polled {
  readonly screen: string;
  readonly ending?: ShownEnding;
}

const LOOK_EVERY_MS = 1_000;
/** Error codes of a daemon that does not answer but may come back. */
const ABSENT: readonly string[] = ["daemon.not_running", "daemon.unreachable", "daemon.stopping"];
const LARGEST = { cols: 1_000, rows: 500 } as const;

/** `first` is the screen that was already fetched. */
export function followPolls(ask: () => Promise<Polled>, first: Polled, ear: FollowEar): FollowedScreen {
  let rows: readonly Row[] = [];
  let shown: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let open = true;
  const take = async ({ screen, ending }: Polled): Promise<void> => {
    if (screen !== shown) {
      shown = screen;
      rows = await rowsOf(screen);
      if (open) ear.changed();
    }
    if (ending !== undefined && open) ear.over({ kind: "ended", ending });
    else soon();
  };
  const look = async (): Promise<void> => {
    try {
      await take(await ask());
    } catch (error) {
      const absent = error instanceof Error && "code" in error && ABSENT.includes(String(error.code));
      if (absent) soon();
      else if (open) ear.over({ kind: "failed", error: detailOf(error) });
    }
  };
  const soon = (): void => {
    if (open) timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  void take(first);
  return {
    rows: () => rows,
    isMidway: () => false,
    close() {
      open = false;
      clearTimeout(timer);
    },
  };
}

async function rowsOf(screen: string): Promise<readonly Row[]> {
  const lines = screen.split("\n");
  const cols = Math.min(LARGEST.cols, Math.max(1, ...lines.map((line) => line.length)));
  const rows = Math.min(LARGEST.rows, lines.length);
  return new Promise((resolve) => {
    const replica: Replica = new Replica({ cols, rows }, () => {
      resolve(replica.rows());
      replica.dispose();
    });
    replica.write(Buffer.from(`\x1b[?7l${lines.slice(0, rows).join("\r\n")}`, "utf8"));
  });
}

function detailOf(error: unknown) {
  if (error instanceof BellhopError) return error.toDetail();
  const { code, message, next } = error as Partial<BellhopError>;
  return {
    code: code ?? "internal.bug",
    message: message ?? String(error),
    next: next ?? 'Check with "bellhop ls" whether it is still running.',
  } as const;
}
