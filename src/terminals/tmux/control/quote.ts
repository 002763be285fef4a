/** Quotes text for tmux: one layer for its command line, another for its formats. */

// Letters, digits and the few marks that mean nothing inside tmux's double quotes; all other ASCII is written in
// octal. A raw newline would end the command, and `~` is expanded even right after an opening quote.
const PLAIN = /[^A-Za-z0-9 .,_/:@%+=#{}?&|<>()[\]*!^-]/g;

/** One argument of a tmux command line. The text must not contain NUL: see `isQuotable`. */
export function quote(text: string): string {
  return `"${text.replace(PLAIN, octal)}"`;
}

/** tmux keeps arguments as C strings. */
export function isQuotable(text: string): boolean {
  return !text.includes("\0");
}

function octal(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0x7f ? character : `\\${code.toString(8).padStart(3, "0")}`;
}

/** A literal inside `#{==:…,…}`, so that no text can close the comparison or start a format. */
export function comparedLiteral(text: string): string {
  return text.replace(/[#,}]/g, "#$&");
}

/** A literal inside `#{C/r:…}`: an extended regular expression that matches it and nothing else. */
export function searchedLiteral(text: string): string {
  return comparedLiteral(text.replace(/[\\^.[$()|*+?{]/g, "\\$&"));
}

/** A literal for a command that expands formats in its argument (such as `load-buffer`). */
export function formatLiteral(text: string): string {
  return text.replaceAll("#", "##");
}

/** A literal for `display-message`, which also reads `%` as a time and control characters as themselves. */
export function messageLiteral(text: string): string {
  return formatLiteral(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")).replaceAll("%", "%%");
}
