/** What is wrong with a connection, in a person's words: whether they must mend it, and how. */
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { EmailSettings, MailServer } from "./config.ts";

export interface Trouble {
  readonly state: "down" | "refused";
  readonly error: string;
}

const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/u;
const LONGEST = 300;

export function imapTrouble(cause: unknown, imap: EmailSettings["imap"]): Trouble {
  const error = record(cause);
  const words = serverWords(cause, imap);
  if (
    error.authenticationFailed === true &&
    !/UNAVAILABLE|LIMIT|INUSE/iu.test(String(error.serverResponseCode))
  ) {
    return {
      state: "refused",
      error: `${imap.host} does not accept the user or the password in bridges.email.imap (${words}). Correct them; many providers want a password of its own for each app.`,
    };
  }
  if (error.mailboxMissing === true) {
    return {
      state: "refused",
      error: `${imap.host} has no mailbox "${sanitiseLine(imap.mailbox, 80)}" (${words}). Correct bridges.email.imap.mailbox.`,
    };
  }
  if (CERTIFICATE.test(String(error.code)) || error.tlsFailed === true) {
    return {
      state: "refused",
      error: `There is no safe connection to ${imap.host}:${imap.port} (${words}). Check the host, the port and "secure" in bridges.email.imap.`,
    };
  }
  return { state: "down", error: `${imap.host}:${imap.port}: ${words}. Bellhop tries again by itself.` };
}

/** What the server said, or else what went wrong; never the password, whoever repeats it. */
export function serverWords(cause: unknown, server: MailServer): string {
  const { responseText, response, message, code } = record(cause);
  const said = [responseText, response, message, code].find(
    (text) => typeof text === "string" && text !== "",
  );
  const line = sanitiseLine(String(said ?? "it gave no reason"));
  return sanitiseLine(line.replaceAll(server.password, "…"), LONGEST).trim();
}

export function record(cause: unknown): Readonly<Record<string, unknown>> {
  return typeof cause === "object" && cause !== null
    ? (cause as Readonly<Record<string, unknown>>)
    : { message: String(cause) };
}
