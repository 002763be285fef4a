/** What Bellhop said in a place may come back as if the person had said it. */

/** How long an echo may take. */
export const ECHO_MS = 24 * 3_600_000;

/** As two copies of one text may differ on a platform: white space, invisible characters, forms of letters. */
export function sameText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Cf}|\u{FE0E}|\u{FE0F}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
