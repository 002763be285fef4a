/** Notifications on this device: asked for only when the person presses, and renewed when they got lost. */
import { signal } from "@preact/signals";
import type { PushDevice, PushTested } from "../../../src/wire/shapes/web.ts";
import { type Answer, ask, type Told } from "../connection/requests.ts";
import { keepWish, wantsNotifications } from "../connection/wish.ts";
import { TEXT } from "../strings.ts";
import { type Ability, abilityOf, remedyFor } from "./device.ts";

/** As the daemon says it over HTTP. */
export interface PushState {
  readonly public_key: string;
  readonly device: PushDevice | null;
  readonly quiet: string | null;
  readonly quiet_except: readonly string[];
}

export type Notifications =
  | { readonly at: "unknown" }
  | { readonly at: "known"; readonly state: PushState }
  | { readonly at: "refused"; readonly error: Told };

export const notifications = signal<Notifications>({ at: "unknown" });

const PUSH = "/web/push";

export function ability(): Ability {
  const { userAgent, platform, maxTouchPoints } = navigator;
  // An iPad calls itself a Mac.
  const isApplePhone = /iPhone|iPad/.test(userAgent) || (platform === "MacIntel" && maxTouchPoints > 1);
  return abilityOf({
    isSecure: isSecureContext,
    canPush: "serviceWorker" in navigator && "PushManager" in globalThis,
    isApplePhone,
    isInstalled: isInstalled(),
    permission: "Notification" in globalThis ? Notification.permission : undefined,
  });
}

export function isInstalled(): boolean {
  return matchMedia("(display-mode: standalone)").matches;
}

export async function load(): Promise<Answer<PushState>> {
  const answer = await ask<PushState>({ method: "GET", path: PUSH });
  notifications.value =
    answer.kind === "done" ? { at: "known", state: answer.body } : { at: "refused", error: answer.error };
  return answer;
}

/** What became of it, in words; undefined if all is well. */
export async function turnOn(publicKey: string): Promise<string | undefined> {
  // The browser asks the person, and only because they pressed.
  if ((await Notification.requestPermission()) !== "granted") return TEXT.settings.notifications.dismissed;
  try {
    const failure = await tell(await subscribed(publicKey));
    if (failure !== undefined) return failure;
  } catch (cause) {
    return TEXT.settings.notifications.failed(cause instanceof Error ? cause.message : String(cause));
  }
  keepWish(true);
  await load();
  return undefined;
}

export async function turnOff(): Promise<string | undefined> {
  keepWish(false);
  const answer = await ask({ method: "DELETE", path: PUSH });
  await forgetSubscription();
  await load();
  return answer.kind === "done" ? undefined : `${answer.error.message} ${answer.error.next}`;
}

export async function test(): Promise<string> {
  const answer = await ask<PushTested>({ method: "POST", path: `${PUSH}/test` });
  await load();
  if (answer.kind === "refused") return `${answer.error.message} ${answer.error.next}`;
  const { outcome, service, why = "" } = answer.body;
  return TEXT.settings.notifications.outcomes[outcome](service, why);
}

/** The browser and the daemon may have lost each other without a word. */
export async function renewIfLost(): Promise<void> {
  if (ability().kind !== "able") return;
  const answer = await load();
  if (answer.kind === "refused") return;
  const { body: state } = answer;
  const registration = await installed();
  if (registration === undefined) return;
  const own = (await registration.pushManager.getSubscription()) ?? undefined;
  const remedy = remedyFor({
    isWanted: wantsNotifications(),
    isAllowed: Notification.permission === "granted",
    own: own === undefined ? undefined : { mark: await markOf(own), key: keyOf(own) ?? state.public_key },
    known: state.device,
    publicKey: state.public_key,
  });
  if (remedy === "nothing") return;
  try {
    await tell(remedy === "tell" && own !== undefined ? own : await subscribed(state.public_key));
    await load();
  } catch {
    // The settings show that this device gets none; it is tried again with the next start.
  }
}

/** This device is logged out, or wants no more. */
export async function forgetSubscription(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const own = await registration?.pushManager?.getSubscription();
  await own?.unsubscribe();
}

/** `ready` would wait for ever if the browser did not take the worker. */
async function installed(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await navigator.serviceWorker.getRegistration();
  return registration === undefined ? undefined : navigator.serviceWorker.ready;
}

async function subscribed(publicKey: string): Promise<PushSubscription> {
  const registration = await installed();
  if (registration === undefined) throw new Error(TEXT.settings.notifications.noWorker);
  const { pushManager } = registration;
  const before = await pushManager.getSubscription();
  // One for another key cannot be changed, only replaced.
  if (before !== null && (keyOf(before) ?? publicKey) !== publicKey) await before.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesIn(publicKey) });
}

async function tell(subscription: PushSubscription): Promise<string | undefined> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh, auth } = keys;
  const body = { endpoint, public_key: p256dh, secret: auth };
  const answer = await ask({ method: "PUT", path: PUSH, body });
  return answer.kind === "done" ? undefined : `${answer.error.message} ${answer.error.next}`;
}

/** Not every browser takes it as a text. */
function bytesIn(key: string): Uint8Array<ArrayBuffer> {
  const binary = atob(key.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function keyOf({ options }: PushSubscription): string | undefined {
  const key = options?.applicationServerKey;
  if (key === null || key === undefined) return undefined;
  const text = btoa(String.fromCharCode(...new Uint8Array(key)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function markOf({ endpoint }: PushSubscription): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
