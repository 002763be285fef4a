/** When something was: the time of day, and the day if it is another one. */
const TIME = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

export function momentInWords(at: number, now: number): string {
  const time = TIME.format(at);
  return DAY.format(at) === DAY.format(now) && Math.abs(now - at) < 86_400_000
    ? time
    : `${DAY.format(at)}, ${time}`;
}
