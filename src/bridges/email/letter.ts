/** A mail as it came, read by the library: what is hostile in it stays text. */
import { createHash } from "node:crypto";
import type { Attachment, ParsedMail } from "mailparser";
import type { HeaderField } from "./vouching.ts";
import { htmlText } from "./words/html-text.ts";

export interface Letter {
  /** Topmost first. */
  readonly fields: readonly HeaderField[];
  readonly fromName?: string;
  readonly subject: string;
  /** With everything that is quoted. */
  readonly text: string;
  readonly attachments: readonly NamedAttachment[];
  /** SHA-256 of the mail. */
  readonly digest: string;
}

export interface NamedAttachment {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export const LETTER_LIMITS = {
  /** Of a longer mail only the beginning is fetched: the text stands before the attachments. */
  bytes: 1024 * 1024,
  /** To read longer ones takes seconds, in which nothing else is done. */
  headerBytes: 128 * 1024,
  htmlCharacters: 512 * 1024,
  attachments: 20,
  line: 300,
} as const;

const OPTIONS = {
  skipImageLinks: true,
  keepCidLinks: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  // Its conversion takes ten seconds for some HTML of 256 KiB.
  skipHtmlToText: true,
} as const;

/** Rejects if it cannot be read. */
export async function readLetter(source: Buffer): Promise<Letter> {
  if (headerBytes(source) > LETTER_LIMITS.headerBytes) throw new Error("its fields are too long");
  const { simpleParser } = await import("mailparser");
  const mail = await simpleParser(source, OPTIONS);
  const fields = (mail.headerLines ?? []).map(({ key, line }) => ({ name: key, value: unfolded(line) }));
  const fromName = mail.from?.value[0]?.name;
  return {
    fields,
    ...(typeof fromName === "string" && fromName !== "" ? { fromName: oneLine(fromName) } : {}),
    subject: oneLine(mail.subject ?? ""),
    text: textOf(mail),
    attachments: named(mail.attachments ?? []),
    digest: createHash("sha256").update(source).digest("hex"),
  };
}

function textOf({ text = "", html }: ParsedMail): string {
  if (text.trim() !== "" || typeof html !== "string") return text.toWellFormed();
  return htmlText(html.slice(0, LETTER_LIMITS.htmlCharacters)).toWellFormed();
}

function headerBytes(source: Buffer): number {
  const ends = [source.indexOf("\r\n\r\n"), source.indexOf("\n\n")].filter((at) => at !== -1);
  return Math.min(source.length, ...ends);
}

/** Pictures that belong to the HTML are not what a person attached. */
function named(attachments: readonly Attachment[]): readonly NamedAttachment[] {
  return attachments
    .filter(({ related }) => !related)
    .slice(0, LETTER_LIMITS.attachments)
    .map(({ filename, contentType, size }) => ({
      name: oneLine(filename ?? "") || "without a name",
      type: oneLine(contentType ?? ""),
      bytes: Number.isSafeInteger(size) ? size : 0,
    }));
}

function unfolded(line: string): string {
  return line
    .slice(line.indexOf(":") + 1)
    .replace(/\r?\n(?=[ \t])/gu, "")
    .trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim().slice(0, LETTER_LIMITS.line).toWellFormed();
}
