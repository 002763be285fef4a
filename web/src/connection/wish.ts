/** Whether the person wants notifications on this device. The browser forgets subscriptions, so the wish is kept apart. */
const WISH = "bellhop-notify";

export function wantsNotifications(): boolean {
  return localStorage.getItem(WISH) === "yes";
}

export function keepWish(wants: boolean): void {
  if (wants) localStorage.setItem(WISH, "yes");
  else localStorage.removeItem(WISH);
}
