import { BellhopError } from "../../core/errors.ts";

/** What the bridge needs; who is admitted and which chat is whose are the office's. */
export interface TelegramSettings {
  /** From @BotFather. */
  readonly token: string;
  /** Another server that speaks the Bot API: a rehearsal, or one's own. */
  readonly apiRoot?: string;
}

const TOKEN = /^[1-9]\d{0,15}:[\w-]{1,128}$/;

/** Throws `config.invalid`; never with the token in its words. */
export function checkTelegramSettings({ token, apiRoot }: TelegramSettings): TelegramSettings {
  const trimmed = token.trim();
  if (!TOKEN.test(trimmed))
    throw new BellhopError("config.invalid", {
      message:
        "This is not the token of a Telegram bot: it has a number, a colon and about 35 letters and digits.",
      next: 'Ask @BotFather in Telegram for it ("/mybots", then "API Token").',
    });
  return apiRoot === undefined ? { token: trimmed } : { token: trimmed, apiRoot: checkedRoot(apiRoot) };
}

/** The public part of a token. */
export function botIdOf({ token }: TelegramSettings): string {
  return token.slice(0, token.indexOf(":"));
}

function checkedRoot(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new BellhopError("config.invalid", {
      message: "bridges.telegram.api_root must be the address of a server, such as https://api.telegram.org.",
      next: "Leave it out to use Telegram itself.",
    });
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
