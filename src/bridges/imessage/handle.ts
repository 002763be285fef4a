/** Who somebody is to Messages: a phone number or a mail address. */
import { sanitiseLine } from "../../core/text/sanitise.ts";

const LONGEST_ADDRESS = 128;

/** One spelling for each, fit for a path; nothing if it is neither. */
export function canonicalHandle(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.includes("@")) {
    const address = trimmed.toLowerCase();
    const isOne = /^[^\s/@]+@[^\s/@]+$/u.test(address) && address.length <= LONGEST_ADDRESS;
    return isOne && sanitiseLine(address) === address ? address : undefined;
  }
  const number = trimmed.replace(/[\s().-]/gu, "");
  return /^\+\d{5,15}$/u.test(number) ? number : undefined;
}

const ROOT = "imessage/";

export function pathOf(handle: string): string {
  return ROOT + handle;
}

export function handleIn(path: string): string | undefined {
  return path.startsWith(ROOT) ? canonicalHandle(path.slice(ROOT.length)) : undefined;
}
