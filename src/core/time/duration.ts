const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

export const LONGEST_DURATION_MS = 10 * 365 * 86_400_000;

const NUMBER = String.raw`(\d{1,15}(?:\.\d{1,9})?)`;
const WITH_UNITS = new RegExp(`^${UNITS.map(([unit]) => `(?:${NUMBER} ?${unit}(?![a-z]) ?)?`).join("")}$`);
const PLAIN_SECONDS = new RegExp(`^${NUMBER}$`);

/** `30s`, `5m`, `1h30m`, `1h 30m`, `250ms`, `2d`, `1.5h`, or seconds as a plain number. Largest unit first, each once. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const seconds = PLAIN_SECONDS.exec(trimmed)?.[1];
  const ms = seconds === undefined ? sumOfUnits(trimmed) : Math.round(Number(seconds) * 1_000);
  return ms === undefined || ms > LONGEST_DURATION_MS ? undefined : ms;
}

function sumOfUnits(text: string): number | undefined {
  const amounts = WITH_UNITS.exec(text)?.slice(1);
  if (amounts === undefined) return undefined;
  return Math.round(UNITS.reduce((sum, [, size], index) => sum + Number(amounts[index] ?? 0) * size, 0));
}

/** The two largest non-zero units: `5m`, `1h 30m`, `250ms`. Rounded down; never negative. */
export function formatDuration(ms: number): string {
  const largest = UNITS.findIndex(([, size]) => ms >= size);
  return formatIn(largest === -1 ? [] : UNITS.slice(largest, largest + 2), ms);
}

/** Every non-zero unit, so that a duration is repeated as it was given: `1h 30m 30s`, `1s 250ms`. */
export function formatExactly(ms: number): string {
  return formatIn(UNITS, ms);
}

function formatIn(units: readonly (typeof UNITS)[number][], ms: number): string {
  let left = Number.isFinite(ms) ? Math.min(Math.max(0, Math.floor(ms)), Number.MAX_SAFE_INTEGER) : 0;
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const amount = Math.floor(left / size);
    left -= amount * size;
    if (amount > 0) parts.push(`${amount}${unit}`);
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}
