/** Bridges to the outside, and the desk. */
import { z } from "zod";
import { AWAY_MODES } from "../../core/desk/presence.ts";
import { LIMITS } from "../../core/message.ts";
import { NOTHING } from "../../core/rights/needs.ts";
import type { DeskTried, ShownBridge, ShownPresence } from "../shapes/outside.ts";
import { nothing } from "./fields.ts";
import { typed, verb } from "./verb.ts";

export const outside = {
  bridges: verb(
    () => nothing,
    typed<{ readonly bridges: readonly ShownBridge[] }>(),
    () => NOTHING,
  ),
  /** What the desk would do with this text from the person; nothing is sent. */
  desk_try: verb(
    () => z.strictObject({ text: z.string().max(LIMITS.bodyBytes) }),
    typed<DeskTried>(),
    () => [{ right: "admin", what: "ask the desk" }],
  ),
  /** Says whether the person is away, if there is a mode; shows it. */
  away: verb(
    () => z.strictObject({ mode: z.enum(AWAY_MODES).exactOptional() }),
    typed<ShownPresence>(),
    () => [{ right: "admin", what: "say whether the person is away" }],
  ),
};
