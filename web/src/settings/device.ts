/** Whether this device can get notifications, and what is to be done about a subscription. Pure. */
export interface DeviceFacts {
  /** At https, or on this machine. */
  readonly isSecure: boolean;
  /** The browser has what notifications need. */
  readonly canPush: boolean;
  readonly isApplePhone: boolean;
  /** It runs from the Home Screen. */
  readonly isInstalled: boolean;
  readonly permission: "default" | "granted" | "denied" | undefined;
}

export type Ability =
  | { readonly kind: "able" }
  | { readonly kind: "denied" }
  | { readonly kind: "unable"; readonly why: "insecure" | "not-installed" | "browser" };

export function abilityOf(facts: DeviceFacts): Ability {
  const { isSecure, canPush, isApplePhone, isInstalled, permission } = facts;
  if (!isSecure) return { kind: "unable", why: "insecure" };
  if (!canPush || permission === undefined)
    return { kind: "unable", why: isApplePhone && !isInstalled ? "not-installed" : "browser" };
  return permission === "denied" ? { kind: "denied" } : { kind: "able" };
}

export interface Held {
  /** The person wants notifications on this device. */
  readonly isWanted: boolean;
  readonly isAllowed: boolean;
  /** What the browser has: the digest of its endpoint, and the key that it is for. */
  readonly own: { readonly mark: string; readonly key: string } | undefined;
  /** What the daemon has. */
  readonly known: { readonly mark: string } | null;
  readonly publicKey: string;
}

/** `renew`: a new subscription is needed. `tell`: the daemon does not know the one that the browser has. */
export type Remedy = "nothing" | "tell" | "renew";

export function remedyFor({ isWanted, isAllowed, own, known, publicKey }: Held): Remedy {
  if (!isWanted || !isAllowed) return "nothing";
  if (own === undefined || own.key !== publicKey) return "renew";
  return known?.mark === own.mark ? "nothing" : "tell";
}

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bMac OS X\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a person would call it. */
export function deviceIn(userAgent: string): { readonly browser?: string; readonly system?: string } {
  const found = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  return { ...(browser === undefined ? {} : { browser }), ...(system === undefined ? {} : { system }) };
}
