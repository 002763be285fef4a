/** `@name` in a text that is being written. Pure. */

export interface Mention {
  /** Where the “@” is. */
  readonly from: number;
  /** Where the caret is. */
  readonly to: number;
  /** What is written between. */
  readonly part: string;
}

const MOST_OFFERED = 6;
const BEFORE_THE_CARET = /(?:^|[\s([{,;:])@([a-z0-9._-]*)$/i;

/** The name that is being written at the caret, if one is. An address of a mail is none. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const part = BEFORE_THE_CARET.exec(text.slice(Math.max(0, caret - 80), caret))?.[1];
  return part === undefined ? undefined : { from: caret - part.length - 1, to: caret, part };
}

/** Those that begin so, then those that have it inside; in order of name. */
export function offered(names: readonly string[], part: string): readonly string[] {
  const wanted = part.toLowerCase();
  const begin = names.filter((name) => name.startsWith(wanted));
  const inside = names.filter((name) => !name.startsWith(wanted) && name.includes(wanted));
  return [...begin, ...inside].slice(0, MOST_OFFERED);
}

/** With a blank behind it: a program would take an unfinished “@word” for the beginning of a file's name. */
export function completed(
  text: string,
  { from, to }: Mention,
  name: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const written = `@${name}${/^\s/.test(rest) ? "" : " "}`;
  const caret = from + name.length + 2;
  return { text: `${text.slice(0, from)}${written}${rest}`, caret };
}
