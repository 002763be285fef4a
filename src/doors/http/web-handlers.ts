/** What a page asks about its own browser. Which one that is, its login says, never the request. */
import { BellhopError } from "../../core/errors.ts";
import { toSnake } from "../../wire/casing.ts";
import type { HandledName, InputOf } from "../../wire/http/operations.ts";
import type { HttpCaller } from "./caller.ts";

type Names = Extract<
  HandledName,
  "logins" | "notifications" | "notify" | "stopNotifying" | "testNotifications"
>;

export const webHandlers: {
  readonly [Name in Names]: (input: InputOf<Name>, caller: HttpCaller) => Promise<unknown>;
} = {
  logins: async (_, caller) => {
    const { sessions } = await caller.ask("web_sessions", {});
    return toSnake({ sessions: sessions.map((one) => ({ ...one, current: one.id === caller.browser })) });
  },
  notifications: async (_, caller) => toSnake(await caller.ask("push_show", { browser: browserOf(caller) })),
  notify: async ({ body }, caller) => {
    const { endpoint, public_key: publicKey, secret } = body;
    const browser = browserOf(caller);
    return toSnake(await caller.ask("push_subscribe", { browser, endpoint, publicKey, secret }));
  },
  stopNotifying: async (_, caller) =>
    toSnake(await caller.ask("push_remove", { browser: browserOf(caller) })),
  testNotifications: async (_, caller) =>
    toSnake(await caller.ask("push_test", { browser: browserOf(caller) })),
};

function browserOf({ browser }: HttpCaller): string {
  if (browser !== undefined) return browser;
  throw new BellhopError("request.forbidden", {
    message: "Only a browser that is logged in can ask this, about itself.",
    next: 'Open the dashboard with "bellhop open".',
  });
}
