/** What an agent hears about another: when its turn ends, when it waits for its person, when it is gone. */
import { z } from "zod";
import { NOTHING } from "../../core/rights/needs.ts";
import { WATCH_EVENTS } from "../../core/watch.ts";
import type { ShownWatch } from "../shapes/watches.ts";
import { claims } from "./claims.ts";
import { address } from "./fields.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const watches = {
  watch: verb(
    () =>
      z.strictObject({
        who: address,
        /** All events if absent. */
        on: z.array(z.enum(WATCH_EVENTS)).min(1).max(WATCH_EVENTS.length).exactOptional(),
        once: z.boolean().exactOptional(),
        claims,
      }),
    typed<ShownWatch>(),
    // It sends a greeting to the watched agent. What it reports, `ls` and `peek` show to everyone.
    () => [{ right: "send" }],
  ),
  unwatch: verb(
    () => z.strictObject({ who: address, claims }),
    typed<{ readonly ended: readonly ShownWatch[] }>(),
    () => NOTHING,
  ),
  watches: verb(
    () => z.strictObject({ claims }),
    typed<{ readonly watches: readonly ShownWatch[] }>(),
    () => NOTHING,
  ),
};

export type WatchRequest = Checked<typeof watches.watch.request>;
