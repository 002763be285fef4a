/** What follows from the release of an agent program: whether Bellhop was proven on it. Pure. */

/** Why a release counts as unproven, as a clause; undefined if it is proven, or if nothing is known of the program. */
export function whyUnproven(
  version: string | undefined,
  proven: readonly string[] | undefined,
): string | undefined {
  if (proven === undefined || (version !== undefined && proven.includes(version))) return undefined;
  const [oldest, newest] = [proven[0], proven.at(-1)];
  if (oldest === undefined || newest === undefined) return "no release of it was ever proven";
  const range = oldest === newest ? oldest : `${oldest} to ${newest}`;
  if (version === undefined) return `its release is not known (proven: ${range})`;
  if (isOlder(newest, version)) return `${version} is newer than the releases proven here (${range})`;
  if (isOlder(version, oldest)) return `${version} is older than the releases proven here (${range})`;
  return `${version} is not one of the releases proven here (${proven.join(", ")})`;
}

function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) < 0;
}

/** What Bellhop does differently there. */
export const CAREFUL_WAY =
  "so Bellhop goes the careful way: it types only into a screen that stands still, sees its text before it submits it, unless a shell is under the program, moves no text of a person, and closes no dialog";
