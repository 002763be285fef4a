/** True only when both read as numbers with dots; an odd version proves nothing. */
export function isAtLeast(version: string, least: string): boolean {
  const [found, wanted] = [numbersOf(version), numbersOf(least)];
  if (found === undefined || wanted === undefined) return false;
  for (let at = 0; at < wanted.length; at += 1) {
    const difference = (found[at] ?? 0) - (wanted[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): readonly number[] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)$/u.exec(version.trim());
  return match === null ? undefined : match.slice(1).map(Number);
}
