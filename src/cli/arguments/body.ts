/** The text of a message: an argument, a file or stdin; always valid UTF-8, and limited in length. */
import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { BellhopError } from "../../core/errors.ts";
import { LIMITS } from "../../core/message.ts";
import { type Arguments, usage } from "../command.ts";
import type { CommandContext } from "../context.ts";

/** `at` is the position of TEXT among the words. Raw text is taken to the last byte. */
export async function readBody(context: CommandContext, args: Arguments, at: number): Promise<string> {
  const word = args.words[at];
  const file = args.value("file");
  const raw = args.flag("raw");
  if (file !== undefined && word !== undefined) {
    throw usage("A text and --file cannot both be given.", "Give either the text or --file.");
  }
  if (file === "-") return textFrom(await stdin(context), raw);
  if (file !== undefined) return textFrom(await fromFile(context, file), raw);
  if (word === "-" && !args.isLiteral(at)) return textFrom(await stdin(context), raw);
  if (word === undefined) {
    if (raw ? args.values("key").length > 0 : saysItOtherwise(args)) return "";
    throw new BellhopError("message.empty", {
      message: "There is nothing to send.",
      next: 'Give a text, "-" to read stdin, or --file FILE.',
    });
  }
  // Node replaces invalid UTF-8 in arguments with U+FFFD; the system still has the bytes.
  if (word.includes("\ufffd") && !argumentsAreUtf8()) throw notUtf8();
  return checked(word, raw);
}

/** A command or a payload is a message without text. */
function saysItOtherwise(args: Arguments): boolean {
  return args.value("command") !== undefined || args.value("payload") !== undefined;
}

function textFrom(bytes: Buffer, raw: boolean): string {
  if (bytes.length > LIMITS.bodyBytes + 2) throw tooLarge();
  if (!isUtf8(bytes)) throw notUtf8();
  const text = bytes.toString("utf8");
  // The final newline of a text file is not part of the message.
  return checked(raw ? text : text.replace(/\r?\n$/, ""), raw);
}

function checked(text: string, raw: boolean): string {
  if (Buffer.byteLength(text) > LIMITS.bodyBytes) throw tooLarge();
  if (raw ? text === "" : text.trim() === "") {
    throw new BellhopError("message.empty", {
      message: "The text is empty.",
      next: "Write what you want to say.",
    });
  }
  return text;
}

function stdin(context: CommandContext): Promise<Buffer> {
  return context.readStdin(LIMITS.bodyBytes + 3);
}

async function fromFile(context: CommandContext, path: string): Promise<Buffer> {
  const real = realPath(resolve(context.folder(), path));
  try {
    const stats = statSync(real);
    // A pipe or a device may never end.
    if (!stats.isFile())
      throw new BellhopError("file.missing", {
        message: `${path} is not a file.`,
        next: "Name a file, or pipe the text in with -.",
      });
    if (stats.size > LIMITS.bodyBytes + 2) throw tooLarge();
    if (!isBelow(realPath(context.folder()), real)) await requireOwnerFor(context);
    return readFileSync(real);
  } catch (error) {
    if (error instanceof BellhopError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new BellhopError("file.missing", {
      message: `Cannot read ${path} (${code}).`,
      next: "Check the path and that you may read it.",
    });
  }
}

/** Agents may run this command unasked, so it must not read a file for which the agent would have to ask. */
async function requireOwnerFor(context: CommandContext): Promise<void> {
  // Loaded on demand: a send must be fast.
  const { requireOwner } = await import("../local/owner-only.ts");
  await requireOwner(context, "send a file from outside the folder it works in");
}

/** With links resolved; unchanged if there is no such file. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

export function argumentsAreUtf8(): boolean {
  try {
    return isUtf8(readFileSync("/proc/self/cmdline"));
  } catch {
    // Not every system shows them; then U+FFFD is assumed to be what the person wrote.
    return true;
  }
}

function tooLarge(): BellhopError {
  return new BellhopError("message.too_large", {
    message: `A message can have at most ${LIMITS.bodyBytes / 1_024} KiB.`,
    next: "Put the text in a file that the recipient can read, and send the path. --file does not help: it sends the same text.",
  });
}

export function notUtf8(): BellhopError {
  return new BellhopError("message.invalid_utf8", {
    message: "The text is not valid UTF-8.",
    next: "Convert it to UTF-8 first, for example with iconv.",
  });
}
