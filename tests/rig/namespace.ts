import { networkInterfaces } from "node:os";

/** Fails a suite that was started without `in-namespace.mjs`: its agents could reach the real services. */
export function assertInNamespace(): void {
  const reachable = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
  if (process.env.BELLHOP_RIG_NAMESPACE === "1" && reachable.length === 0) return;
  const why =
    reachable.length > 0 ? `it can reach ${reachable.join(", ")}` : "BELLHOP_RIG_NAMESPACE is not set";
  throw new Error(
    `This suite runs real agent programs and must see nothing but loopback, but ${why}. Start it with "node tests/rig/in-namespace.mjs -- CMD…".`,
  );
}
