/** Who may use the dashboard. Only on the Unix socket: a browser that is logged in cannot let in another. */
import { z } from "zod";
import type { Need } from "../../core/rights/needs.ts";
import type { ShownWebSession, WebLink } from "../shapes/web.ts";
import { id, nothing } from "./fields.ts";
import { typed, verb } from "./verb.ts";

const TO_OPEN: readonly Need[] = [{ right: "admin", what: "open the dashboard", only: "owner" }];

export const web = {
  web_link: verb(
    // `phone`: by the name in the config.
    () => z.strictObject({ phone: z.boolean().exactOptional() }),
    typed<WebLink>(),
    () => TO_OPEN,
  ),
  web_sessions: verb(
    () => nothing,
    typed<{ readonly sessions: readonly ShownWebSession[] }>(),
    () => TO_OPEN,
  ),
  web_revoke: verb(
    // Without an id: all, and the links that were not used yet.
    () => z.strictObject({ id: id.exactOptional() }),
    typed<{ readonly revoked: readonly string[] }>(),
    () => TO_OPEN,
  ),
};
