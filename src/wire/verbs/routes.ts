/** Every message that found a recipient, told as it comes. */
import { z } from "zod";
import { mail, NOTHING } from "../../core/rights/needs.ts";
import { nothing, reqId } from "./fields.ts";
import { stream } from "./verb.ts";

export const routeStreams = {
  /** It says who writes to whom: only for who may read the mail of all. */
  routes: stream(
    () => nothing,
    () => mail(),
  ),
  unroutes: stream(
    () => z.strictObject({ routes: reqId }),
    () => NOTHING,
  ),
};
