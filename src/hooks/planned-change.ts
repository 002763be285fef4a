/** Changes to settings files before they are made. */
import { type FileChange, isLink, readSettings } from "./settings-file.ts";

/** A file of our own, in a folder that is there for it. */
export function ownFile(
  path: string,
  make: (text: string | undefined) => string | undefined,
  mode: number,
): FileChange {
  const before = readSettings(path);
  return { path, before, after: make(before), mode, folder: "goes-too" };
}

/** A JSON file; an empty one counts as an empty object, and one that becomes empty goes. */
export function jsonFile(path: string, make: (text: string) => string): FileChange {
  const before = readSettings(path);
  return andThen({ path, before, after: before, mode: 0o600, folder: "stays" }, make);
}

export function andThen(change: FileChange, make: (text: string) => string): FileChange {
  const text = jsonIn(change.after);
  const made = make(text);
  if (made === text) return change;
  const mark = change.after?.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { ...change, after: made.trim() === "{}" && !isLink(change.path) ? undefined : mark + made };
}

/** No file and an empty one are an empty object. Some editors begin a file with a mark of their own. */
export function jsonIn(text: string | undefined): string {
  const plain = text?.replace(/^\uFEFF/, "") ?? "";
  return plain.trim() === "" ? "{}\n" : plain;
}
