import { createHmac, timingSafeEqual } from "node:crypto";
import { isAgentName } from "../core/address.ts";
import type { AgentName } from "../core/message.ts";
import { readOrCreateSecret, readSecret } from "./secret-file.ts";

const what = "token";

/** `undefined`: there is none yet. */
export function readToken(path: string): string | undefined {
  return readSecret({ path, what });
}

/** `random` returns that many random bytes. */
export function readOrCreateToken(path: string, random: (bytes: number) => Uint8Array): string {
  return readOrCreateSecret({ path, what }, random);
}

/**
 * What an agent shows in place of the owner's token: its name, and a seal that only the holder of the owner's token can
 * make. Nothing is stored, and a new owner's token invalidates every agent's.
 */
export function agentToken(ownerToken: string, name: AgentName): string {
  return `${name}.${sealOf(ownerToken, name).toString("hex")}`;
}

/** Whose token this is; `undefined` for anything else, or if there is no owner's token. */
export function agentOfToken(ownerToken: string, text: string): AgentName | undefined {
  // A name may contain dots, the seal does not.
  const dot = text.lastIndexOf(".");
  const name = text.slice(0, Math.max(0, dot));
  const seal = text.slice(dot + 1);
  if (ownerToken === "" || !isAgentName(name) || !SEAL.test(seal)) return undefined;
  return timingSafeEqual(Buffer.from(seal, "hex"), sealOf(ownerToken, name)) ? name : undefined;
}

/** SHA-256 in hex, the same length as the seal it is compared with. */
const SEAL = /^[0-9a-f]{64}$/;

function sealOf(ownerToken: string, name: AgentName): Buffer {
  return createHmac("sha256", ownerToken).update(`agent:${name}`).digest();
}
