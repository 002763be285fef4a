/** Files that go with a message, as the daemon takes them. */
import { ATTACHED_LIMITS } from "../../../src/core/text/attached.ts";
import type { Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";

/** A call takes only so many arguments. */
const AT_ONCE = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

/** The daemon decides; this only saves sending what it will refuse. */
export function faultOf(files: readonly Pick<File, "size">[]): Told | undefined {
  const { tooMany, tooMuch } = TEXT.composer;
  const code = "message.too_large";
  if (files.length > ATTACHED_LIMITS.files) return { code, ...tooMany(ATTACHED_LIMITS.files) };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > ATTACHED_LIMITS.bytes
    ? { code, ...tooMuch(bytesInWords(ATTACHED_LIMITS.bytes)) }
    : undefined;
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
