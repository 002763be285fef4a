/** Live copies of terminals. They have no other door than the WebSocket. */
import { z } from "zod";
import { NOTHING } from "../../core/rights/needs.ts";
import { address } from "./fields.ts";
import { type Checked, stream } from "./verb.ts";

export const screenStreams = {
  /** As `peek`, which shows the same once. */
  screen: stream(
    () => z.strictObject({ who: address }),
    () => NOTHING,
  ),
  /** As `attach`, which gives access to a keyboard too. */
  screen_keyboard: stream(
    () => z.strictObject({}),
    () => [{ right: "raw" }],
  ),
};

export type ScreenRequest = Checked<typeof screenStreams.screen.request>;
