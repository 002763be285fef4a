/** How far this machine's clock is ahead of UTC at a given time. */
export function localOffset(at: number): number {
  return -new Date(at).getTimezoneOffset() * 60_000;
}
