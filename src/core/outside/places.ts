/** Addresses that lead outside, and the mailboxes from which messages go there. */
import type { Address } from "../message.ts";

export const BRIDGE_NAMES = ["telegram", "slack", "email", "webhook", "imessage"] as const;
export type BridgeName = (typeof BRIDGE_NAMES)[number];

/** Answers of people that the desk relays. */
export const DESK: Address = "desk/answers";

export function bridgeMailbox(name: BridgeName): Address {
  return `bridge/${name}`;
}

/** The bridge whose places begin like this path; a pattern is no place. */
export function bridgeOf(path: Address): BridgeName | undefined {
  const slash = path.indexOf("/");
  // Every message is asked for it: most have no such name, and then nothing else is looked at.
  const name = slash === -1 ? undefined : BRIDGE_NAMES.find((one) => one === path.slice(0, slash));
  return name === undefined || /[*?]/u.test(path) ? undefined : name;
}

/** What a place looks like that a bridge can reach; webhooks only listen. */
const PLACES: Readonly<Partial<Record<BridgeName, { readonly form: RegExp; readonly such: Address }>>> = {
  telegram: { form: /^telegram\/-?[1-9]\d{0,15}$/u, such: "telegram/42" },
  slack: { form: /^slack\/[^/]+\/[#@][^/]+$/u, such: "slack/team/@U0ADA" },
  email: {
    form: /^email\/[^\s/@]+@[^\s/@]+\/[^\s/@]+@[^\s/@]+$/u,
    such: "email/bot@example.com/you@example.com",
  },
  imessage: { form: /^imessage\/(?:\+[1-9]\d{4,14}|[^\s/@]+@[^\s/@]+)$/u, such: "imessage/+15551234567" },
};

/** Undefined if a bridge may reach it; else what to write instead. */
export function insteadOf(path: Address): string | undefined {
  const known = BRIDGE_NAMES.find((one) => one === path.split("/")[0]);
  const own = known === undefined ? undefined : PLACES[known];
  if (own?.form.test(path) === true) return undefined;
  const forms = own === undefined ? Object.values(PLACES) : [own];
  return `a place such as ${forms.map(({ such }) => such).join(", ")}`;
}

/** Whether people there can press a button under a message. */
export function hasButtons(path: Address): boolean {
  const name = bridgeOf(path);
  return name === "telegram" || name === "slack";
}

/** The mailbox of a bridge or of the desk: no program reads it. */
export function isOutlet(mailbox: Address): boolean {
  return mailbox === DESK || mailbox.startsWith("bridge/");
}

/** Who speaks in a place that several people share. */
export function speakerIn(path: Address, from: string): Address {
  const [root = "", ...rest] = path.split("/");
  const name = from.replace(/[\p{C}/]+/gu, "") || "unknown";
  switch (root) {
    case "telegram":
      return `telegram/${name}`;
    case "slack":
      return `slack/${rest[0] ?? "workspace"}/@${name}`;
    default:
      return path;
  }
}
