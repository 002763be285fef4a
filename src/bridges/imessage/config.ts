import { BellhopError } from "../../core/errors.ts";
import { canonicalHandle } from "./handle.ts";

export interface IMessageSettings {
  /**
   * Phone numbers and mail addresses: the only people whose messages are read, and to whom Bellhop writes. What this
   * Mac's owner writes to one of them from any of their devices counts as that person's too: a chat with oneself is the
   * usual way to reach Bellhop.
   */
  readonly handles: readonly string[];
  /** Instead of the database of the Messages app; with it the bridge also runs on other systems. */
  readonly chatDb?: string;
  /** A program that stands in for `osascript`. */
  readonly osascript?: string;
  readonly pollMs?: number;
  /** Whether text messages of the phone network count too: their sender can be forged. */
  readonly sms?: boolean;
}

const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 3_600_000;

/** Throws `config.invalid`. The handles come back as paths spell them. */
export function checkIMessageSettings(settings: IMessageSettings): IMessageSettings {
  const { handles, pollMs } = settings;
  if (handles.length === 0)
    throw new BellhopError("config.invalid", {
      message: "bridges.imessage.handles is empty, so nobody can write to Bellhop.",
      next: "Write your phone number or the mail address of your Apple account into it.",
    });
  if (pollMs !== undefined && !(pollMs >= SHORTEST_POLL_MS && pollMs <= LONGEST_POLL_MS))
    throw new BellhopError("config.invalid", {
      message: "bridges.imessage.poll must be between a tenth of a second and an hour.",
      next: "Leave it out to look every 5 seconds.",
    });
  return { ...settings, handles: [...new Set(handles.map(checkedHandle))] };
}

function checkedHandle(text: string): string {
  const handle = canonicalHandle(text);
  if (handle !== undefined) return handle;
  throw new BellhopError("config.invalid", {
    message: "One of bridges.imessage.handles is neither a phone number nor a mail address.",
    next: `Write numbers with "+" and the country, such as "+1 555 123 4567", and addresses such as "me@icloud.com".`,
  });
}
