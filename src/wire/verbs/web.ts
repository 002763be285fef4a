/**
 * Who may use the dashboard, and which browsers get notifications. Only the owner; and links only on the Unix socket: a
 * browser that is logged in cannot let in another.
 */
import { z } from "zod";
import { ATTENTION_KINDS } from "../../core/attention.ts";
import type { Need } from "../../core/rights/needs.ts";
import { PUSH } from "../../core/web/push-service.ts";
import type { PushState, PushTested, ShownQuiet, ShownWebSession, WebLink } from "../shapes/web.ts";
import { id, nothing } from "./fields.ts";
import { typed, verb } from "./verb.ts";

const TO_OPEN: readonly Need[] = [{ right: "admin", what: "open the dashboard", only: "owner" }];

const base64url = (characters: number) =>
  z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${characters}}$`), `must have ${characters} characters of base64url`);

/** As a browser's own subscription has it. */
export const pushTarget = {
  endpoint: z.string().min(1).max(PUSH.endpointCharacters),
  publicKey: base64url(PUSH.keyCharacters),
  secret: base64url(PUSH.secretCharacters),
};

const CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]";

/** The person's quiet hours. From one time to the same one there are none. */
export const quietHours = {
  hours: z
    .string()
    .regex(new RegExp(`^${CLOCK}-${CLOCK}$`), 'must be two times of day, such as "22:00-07:00"'),
  except: z.array(z.enum(ATTENTION_KINDS)).max(ATTENTION_KINDS.length),
};

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
  // `browser`: a login, by its id. A browser that asks over HTTP is always its own.
  push_show: verb(
    () => z.strictObject({ browser: id }),
    typed<PushState>(),
    () => TO_OPEN,
  ),
  quiet_set: verb(
    () => z.strictObject({ ...quietHours, hours: quietHours.hours.exactOptional() }),
    typed<ShownQuiet>(),
    () => TO_OPEN,
  ),
  push_subscribe: verb(
    () => z.strictObject({ browser: id, ...pushTarget }),
    typed<{ readonly subscribed: true }>(),
    () => TO_OPEN,
  ),
  push_remove: verb(
    () => z.strictObject({ browser: id }),
    typed<{ readonly subscribed: false }>(),
    () => TO_OPEN,
  ),
  push_test: verb(
    () => z.strictObject({ browser: id }),
    typed<PushTested>(),
    () => TO_OPEN,
  ),
};
