/** Whether the person is away: as they said, or as the terminals and the desktop show. Asked only when it matters. */
import {
  AWAY_MODES,
  type AwayMode,
  type Presence,
  type PresenceFacts,
  presenceFrom,
} from "../../core/desk/presence.ts";
import { present } from "../../core/present.ts";
import type { Seat } from "../../ports/seat.ts";
import type { TerminalServer } from "../../ports/terminal.ts";
import { within } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";

const MODE = "away";
const LOOK_WITHIN_MS = 3_000;

export interface PersonParts extends Ground {
  servers(): readonly TerminalServer[];
  readonly seat: Seat;
}

export class Person {
  readonly #parts: PersonParts;

  constructor(parts: PersonParts) {
    this.#parts = parts;
  }

  get mode(): AwayMode {
    const kept = this.#parts.context.store.read.bridgeKept("desk", MODE);
    return AWAY_MODES.find((mode) => mode === kept) ?? "auto";
  }

  async set(mode: AwayMode): Promise<void> {
    await this.#parts.context.store.write((tx) => tx.keepForBridge("desk", { [MODE]: mode }));
  }

  async presence(): Promise<Presence> {
    const { mode } = this;
    return presenceFrom(mode, mode === "auto" ? await this.#facts() : {});
  }

  async #facts(): Promise<PresenceFacts> {
    const { context, servers, seat } = this.#parts;
    const [attended, used] = await Promise.all([
      Promise.all(
        servers().map((server) =>
          within(context.clock, LOOK_WITHIN_MS, server.attended(), undefined).catch(() => undefined),
        ),
      ),
      within(context.clock, LOOK_WITHIN_MS, seat.use(), {}).catch(() => ({})),
    ]);
    const known = attended.filter((one) => one !== undefined);
    const people = known.reduce((sum, { people }) => sum + people, 0);
    const idle = known.flatMap(({ idleMs }) => idleMs ?? []);
    // Somebody may look at the one that does not answer.
    const watching = people > 0 || known.length === attended.length ? people : undefined;
    return {
      ...used,
      ...present({ watching, watcherIdleMs: idle.length === 0 ? undefined : Math.min(...idle) }),
    };
  }
}
