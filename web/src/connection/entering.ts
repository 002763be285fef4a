/** What becomes of a page whose link did not log it in. Pure. */
import type { Link } from "./link.ts";

/** Whether the login that this browser already has works. `unknown`: the daemon did not say. */
export type Admission = "admitted" | "refused" | "unknown";

/** Only a daemon that knows the login shows anything to who was logged out; only one that refuses it takes anything away. */
export function afterVainLink(admission: Admission, at: Link["at"]): "stay" | "out" {
  if (admission === "unknown") return at === "logged-out" ? "out" : "stay";
  return admission === "admitted" ? "stay" : "out";
}
