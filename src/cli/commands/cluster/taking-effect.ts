/** The daemon reads its config by itself, within two seconds: a command returns when what it wrote is in force. */
import { BellhopError } from "../../../core/errors.ts";
import type { ShownCluster } from "../../../wire/shapes/cluster.ts";
import type { CommandContext } from "../../context.ts";

const LOOK_MS = 100;
const IN_FORCE_WITHIN_MS = 15_000;
/** An engine that cannot be reached is no reason to wait longer: Bellhop keeps trying. */
const CONNECTED_WITHIN_MS = 8_000;

const never = new AbortController().signal;

/** Looks until it is so; returns the last look if the time is over. */
async function looks<Seen>(
  context: CommandContext,
  withinMs: number,
  look: () => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
): Promise<Seen> {
  const deadline = context.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isEnough(seen) || context.now() > deadline) return seen;
    await context.pause(LOOK_MS, never);
  }
}

const shown = async ({ ask }: CommandContext): Promise<ShownCluster | undefined> =>
  (await ask("cluster_status", {})).cluster;

/** As the engine stands once it is connected, or after a while. */
export async function untilConnected(
  context: CommandContext,
  host: string,
): Promise<Pick<ShownCluster, "engine" | "stuck">> {
  context.out.progress("Waiting for NATS…");
  try {
    const opened = await looks(
      context,
      IN_FORCE_WITHIN_MS,
      () => shown(context),
      (seen) => seen?.host === host,
    );
    if (opened === undefined) throw notInForce();
    const isEnough = (seen: ShownCluster | undefined) => seen?.engine.state === "up" || seen?.stuck === true;
    return (await looks(context, CONNECTED_WITHIN_MS, () => shown(context), isEnough)) ?? opened;
  } finally {
    context.out.progress("");
  }
}

export async function untilClosed(context: CommandContext): Promise<void> {
  const seen = await looks(
    context,
    IN_FORCE_WITHIN_MS,
    () => shown(context),
    (one) => one === undefined,
  );
  if (seen !== undefined) throw notInForce();
}

export async function untilInForce(
  context: CommandContext,
  host: string,
  how: "admitted" | "expelled",
): Promise<void> {
  const isAdmitted = async () => {
    const { hosts } = await context.ask("cluster_hosts", {});
    return hosts.some((one) => one.host === host && one.state !== "not-admitted");
  };
  const wanted = how === "admitted";
  if ((await looks(context, IN_FORCE_WITHIN_MS, isAdmitted, (is) => is === wanted)) !== wanted)
    throw notInForce();
}

function notInForce(): BellhopError {
  return new BellhopError("wait.timed_out", {
    message: "It is written to the config, but the daemon has not taken it up yet.",
    next: 'See "bellhop status": it says if the config is not in force. "bellhop logs" says more.',
  });
}
