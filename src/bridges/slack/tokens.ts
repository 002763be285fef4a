import { BellhopError } from "../../core/errors.ts";
import { callFailure } from "./call-failure.ts";
import { checkSlackSettings, type SlackSettings } from "./config.ts";
import { connect } from "./connection.ts";
import { ailment } from "./health.ts";

/** Asks Slack whether it knows both tokens. Opens no connection: that would get messages. */
export async function checkTokens(settings: SlackSettings): Promise<void> {
  const checked = checkSlackSettings(settings);
  const { web } = await connect(checked, new AbortController().signal);
  await web.auth.test().catch(refused("bot"));
  await web.apiCall("apps.connections.open", { token: checked.appToken }).catch(refused("app"));
}

function refused(token: "app" | "bot") {
  return (error: unknown): never => {
    throw new BellhopError("bridge.refused", {
      message: ailment(callFailure(error), token).error,
      next: "Nothing was written. Then try again.",
    });
  };
}
