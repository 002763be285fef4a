import { BellhopError } from "../../core/errors.ts";
import { isFields } from "../fields.ts";
import { callFailure } from "./call-failure.ts";
import { checkTelegramSettings, type TelegramSettings } from "./config.ts";
import { connect } from "./connection.ts";
import { ailment } from "./health.ts";

/** `@name`; asks Telegram. */
export async function botName(settings: TelegramSettings): Promise<string | undefined> {
  const { talking } = await connect(checkTelegramSettings(settings));
  const me: unknown = await talking.getMe().catch((error: unknown) => {
    throw new BellhopError("bridge.refused", {
      message: ailment(callFailure(error)).error,
      next: "Nothing was written. Then try again.",
    });
  });
  const username = isFields(me) ? me.username : undefined;
  return typeof username === "string" && /^\w{1,64}$/.test(username) ? `@${username}` : undefined;
}
