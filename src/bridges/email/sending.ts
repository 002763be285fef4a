/** Gives a mail to the server that sends it. */
import type { SayingOutcome } from "../../ports/bridge.ts";
import { abortable } from "./abortable.ts";
import type { MailServer } from "./config.ts";
import type { OutgoingMail } from "./outgoing.ts";
import { record, serverWords } from "./trouble.ts";

const CONNECT_MS = 30_000;
const SILENCE_MS = 60_000;
/** Where a refusal is about this mail: elsewhere it is about the connection or the account, which can be mended. */
const ABOUT_THE_MAIL = /^(?:MAIL|RCPT|DATA|BDAT)/iu;

export async function sendMail(
  mail: OutgoingMail,
  smtp: MailServer,
  options: { readonly signal: AbortSignal; readonly now: number },
): Promise<SayingOutcome> {
  const { createTransport } = await import("nodemailer");
  if (options.signal.aborted) return { kind: "outage", why: "Bellhop ended before the mail was sent" };
  let isWhole = false;
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === "tls",
    requireTLS: smtp.security === "starttls",
    ignoreTLS: smtp.security === "plain",
    ...(smtp.ca === undefined ? {} : { tls: { ca: smtp.ca } }),
    auth: { user: smtp.user, pass: smtp.password },
    logger: listener(() => {
      isWhole = true;
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { references, ...fields } = mail;
  const sending = transport.sendMail({
    ...fields,
    ...(references === undefined ? {} : { references: [...references] }),
    date: new Date(options.now),
    envelope: { from: mail.from.address, to: [mail.to] },
    // So that no program answers it (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
  });
  try {
    await abortable(options.signal, sending);
    return { kind: "said" };
  } catch (error) {
    // What is under way cannot be called back: it may still be sent before this process ends.
    if (options.signal.aborted)
      return { kind: "outage", why: "Bellhop ended while the mail was sent", perhapsSaid: true };
    return outcomeOf(error, smtp, isWhole);
  } finally {
    transport.close();
  }
}

/** The library reports only here that a mail has gone to the server whole, so that its answer decides. */
function listener(whole: () => void) {
  const note = (entry: unknown): void => {
    const { tnx, outByteCount } = record(entry);
    if (tnx === "message" && typeof outByteCount === "number") whole();
  };
  const ignore = (): void => {};
  return {
    trace: ignore,
    debug: ignore,
    info: note,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  };
}

export function outcomeOf(cause: unknown, smtp: MailServer, isWhole: boolean): SayingOutcome {
  const { responseCode, command } = record(cause);
  const words = serverWords(cause, smtp);
  const why = `${smtp.host}:${smtp.port}: ${words}`;
  if (typeof responseCode !== "number")
    return isWhole ? { kind: "outage", why, perhapsSaid: true } : { kind: "outage", why };
  const isPermanent = responseCode >= 500 && responseCode < 600;
  if (isPermanent && ABOUT_THE_MAIL.test(String(command)))
    return { kind: "refused", why: `${smtp.host}: ${words}` };
  if (isPermanent && /^AUTH/iu.test(String(command))) {
    const login = `${smtp.host} does not accept the user or the password in bridges.email.smtp: ${words}`;
    return { kind: "outage", why: login };
  }
  return { kind: "outage", why };
}
