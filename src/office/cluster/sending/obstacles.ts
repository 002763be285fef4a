/** What keeps letters for one host from going, and what those that wait say of it. Called by dispatch. */
import { type HostName, hostMailbox } from "../../../core/cluster/hosts.ts";
import type { ClusterEngine, Sealer } from "../../../ports/cluster-engine.ts";
import type { Ground } from "../../presence/ground.ts";
import { sayWhy } from "../holding.ts";
import { inTrouble } from "./recording.ts";

const HELD_AT_ONCE = 200;

/** Why nothing can go, in a person's words. `key`: by which that host is admitted. */
export function obstacleTo(
  to: HostName,
  key: string | undefined,
  engine: Pick<ClusterEngine, "standing">,
  sealer: Pick<Sealer, "isKey">,
): string | undefined {
  if (key === undefined) return `when ${to} is admitted here again: bellhop cluster admit ${to} KEY`;
  if (!sealer.isKey(key))
    return `when the right key of ${to} is admitted: what is admitted is none (on ${to}: bellhop cluster status)`;
  const standing = engine.standing();
  if (standing.state === "up") return undefined;
  return standing.state === "down"
    ? `when NATS can be reached: ${standing.reason}`
    : "when NATS is connected";
}

/** What waits says why. False: there may be more. */
export async function holdAll(ground: Ground, to: HostName, release: string): Promise<boolean> {
  const { read } = ground.context.store;
  const waiting = { mailboxes: [hostMailbox(to)], states: ["queued"], limit: HELD_AT_ONCE } as const;
  const items = [
    ...read.deliveries({ ...waiting, unheld: true }),
    ...read.deliveries(waiting).filter(({ delivery }) => delivery.hold?.release !== release),
  ];
  if (items.length > 0) await sayWhy(ground, items, () => release);
  return items.length < HELD_AT_ONCE;
}

/** Nothing goes to that host, for a reason that lies here: what waits says so, and what is marked, if that can be written. */
export async function holdInTrouble(ground: Ground, to: HostName, why: string): Promise<void> {
  const { context, states } = ground;
  const { store, clock, log } = context;
  const release = `when Bellhop can send it: ${why}`;
  try {
    await holdAll(ground, to, release);
    const marked = store.read
      .sentLetters({ host: to, unstored: true, limit: HELD_AT_ONCE })
      .filter(({ delivery }) => store.read.findDelivery(delivery)?.hold?.release !== release);
    if (marked.length === 0) return;
    states.changed(await store.write((tx) => inTrouble(tx, marked, release, clock.now())));
  } catch (cause) {
    log.error("cluster.not_held", { host: to, cause: String(cause) });
  }
}
