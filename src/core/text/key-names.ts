/** Names that a terminal presses as a key. tmux would type any other name letter by letter. */
const NAMED = new Set(
  [
    "Enter Escape Tab BTab Space BSpace Up Down Left Right Home End IC Insert DC Delete",
    "NPage PageDown PgDn PPage PageUp PgUp F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12",
  ]
    .join(" ")
    .split(" "),
);

/** In one message. */
export const MOST_KEYS = 32;

export function isKeyName(name: string): boolean {
  if (NAMED.has(name)) return true;
  const key = name.replace(/^(?:[CMS]-){1,3}(?=.)/, "");
  return NAMED.has(key) || /^[\x21-\x7e]$/.test(key);
}
