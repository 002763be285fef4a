/** The page's service worker. Registering one needs a policy, which lets this address through and no other. */
import { goTo } from "./route.ts";

const ADDRESS = "/worker.js";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

export async function registerWorker(): Promise<void> {
  // Only at https, or on this machine.
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener("message", ({ data }) => {
    if (data?.type !== "show-card" || typeof data.card !== "string") return;
    goTo(data.card === "" ? { at: "home" } : { at: "home", card: data.card });
  });
  try {
    await serviceWorker.register(trusted(ADDRESS), { scope: "/", updateViaCache: "none" });
  } catch {
    // The page works without: only not while the daemon is away. The settings say why there are no notifications.
  }
}

function trusted(address: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy("bellhop", {
    createScriptURL: (wanted) => {
      if (wanted !== ADDRESS) throw new TypeError("this script is not ours");
      return wanted;
    },
  });
  return policy === undefined ? address : policy.createScriptURL(address);
}
