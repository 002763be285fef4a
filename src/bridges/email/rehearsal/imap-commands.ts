/** The answers of an IMAP server (RFC 3501) with one mailbox that is only read: as much as a reader of mail asks for. */
import type { Mailbox, StoredMail } from "./mailbox.ts";

export interface Account {
  readonly user: string;
  readonly password: string;
  readonly mailbox: Mailbox;
}

export interface Answer {
  readonly untagged: readonly (string | Buffer)[];
  /** `OK`, `NO` or `BAD`, and words. */
  readonly end: string;
}

/** As it was opened, and what needs to be: nothing of a mailbox is told to whom it is not open. */
export type SessionState = "greeted" | "known" | "reading";

export const CAPABILITIES = "IMAP4rev1 IDLE";
const SECTION = /BODY\.PEEK\[(?:HEADER\.FIELDS \(([^)]*)\))?\](?:<(\d+)\.(\d+)>)?/iu;

export function answerTo(command: string, rest: string, state: SessionState, account: Account): Answer {
  switch (command) {
    case "CAPABILITY":
      return ok([`* CAPABILITY ${CAPABILITIES}`]);
    case "NOOP":
      return ok();
    case "LOGIN":
      return login(rest, account);
    case "LOGOUT":
      return ok(["* BYE until next time"]);
  }
  if (state === "greeted") return { untagged: [], end: "NO log in first" };
  switch (command) {
    case "LIST":
    case "LSUB":
      return ok([`* ${command} () "/" ${/""$/u.test(rest) ? '""' : "INBOX"}`]);
    case "SELECT":
    case "EXAMINE":
      return open(rest, account.mailbox);
  }
  if (state !== "reading") return { untagged: [], end: "BAD unknown here" };
  switch (command) {
    case "UID SEARCH":
      return search(rest, account.mailbox);
    case "UID FETCH":
      return fetch(rest, account.mailbox);
    default:
      return { untagged: [], end: "BAD unknown" };
  }
}

function ok(untagged: readonly (string | Buffer)[] = []): Answer {
  return { untagged, end: "OK done" };
}

function login(rest: string, { user, password }: Account): Answer {
  const words = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/gu)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll(/\\(.)/gu, "$1") ?? plain,
  );
  const isRight = words[0] === user && words[1] === password;
  return isRight ? ok() : { untagged: [], end: "NO [AUTHENTICATIONFAILED] wrong user or password" };
}

function open(rest: string, { mails, uidValidity, nextUid }: Mailbox): Answer {
  if (!/^"?INBOX"?$/iu.test(rest)) return { untagged: [], end: "NO [NONEXISTENT] no such mailbox" };
  return {
    untagged: [
      "* FLAGS (\\Seen)",
      `* ${mails.length} EXISTS`,
      "* 0 RECENT",
      `* OK [UIDVALIDITY ${uidValidity}] numbered`,
      `* OK [UIDNEXT ${nextUid}] next`,
    ],
    end: "OK [READ-ONLY] opened",
  };
}

function search(rest: string, mailbox: Mailbox): Answer {
  const set = /^UID (\S+)$/iu.exec(rest)?.[1];
  if (set === undefined) return { untagged: [], end: "BAD only by UID" };
  return ok([["* SEARCH", ...mailbox.byUid(set).map(({ uid }) => uid)].join(" ")]);
}

function fetch(rest: string, mailbox: Mailbox): Answer {
  const [, set, items] = /^(\S+) \((.*)\)$/u.exec(rest) ?? [];
  const section = SECTION.exec(items ?? "");
  if (set === undefined || section === null) return { untagged: [], end: "BAD only the text or its fields" };
  const [, names, start, length] = section;
  return ok(
    mailbox.byUid(set).map((mail) => {
      const label = names === undefined ? "BODY[]" : `BODY[HEADER.FIELDS (${names})]`;
      const whole = names === undefined ? mail.source : fieldsOf(mail, names.toLowerCase().split(" "));
      const from = Number(start ?? 0);
      const part = whole.subarray(from, length === undefined ? undefined : from + Number(length));
      const origin = start === undefined ? "" : `<${start}>`;
      const number = mailbox.mails.indexOf(mail) + 1;
      const head = `* ${number} FETCH (UID ${mail.uid} ${label}${origin} {${part.length}}\r\n`;
      return Buffer.concat([Buffer.from(head), part, Buffer.from(")")]);
    }),
  );
}

function fieldsOf({ source }: StoredMail, names: readonly string[]): Buffer {
  const head = source.toString("latin1").split("\r\n\r\n", 1)[0] ?? "";
  const fields = head.split(/\r\n(?![ \t])/u);
  const wanted = fields.filter((field) => names.includes(field.split(":", 1)[0]?.toLowerCase() ?? ""));
  return Buffer.from(`${wanted.join("\r\n")}\r\n\r\n`, "latin1");
}
