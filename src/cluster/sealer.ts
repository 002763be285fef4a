/**
 * Seals bags so that only one host can open them, and signs what is said to all. One key for both: Ed25519, converted
 * for boxes. This is the only file that loads libsodium.
 */
import { randomBytes } from "node:crypto";
import { isHostKey } from "../core/cluster/keys.ts";
import { BellhopError } from "../core/errors.ts";
import type { Sealer } from "../ports/cluster-engine.ts";
import { readOrMakeSeed } from "./key-file.ts";

type Sodium = typeof import("libsodium-wrappers").default;

const KEY_PREFIX = "bh1";
const KEY_BYTES = 32;
const VERSION = 1;
/** A config admits fewer hosts. */
const MOST_PEERS = 10_000;
const BAG_CONTEXT = Buffer.from("bellhop bag 1\0");
const SIGNING_CONTEXT = Buffer.from("bellhop announcement 1\0");

/** Makes the key if there is none yet. */
export async function openSealer(keyFile: string): Promise<Sealer> {
  const sodium = await loadSodium();
  const seed = readOrMakeSeed(keyFile, (bytes) => sodium.randombytes_buf(bytes));
  return new SodiumSealer(sodium, seed);
}

async function loadSodium(): Promise<Sodium> {
  // Its functions are there only once it is ready: a copy of its names, made before, would lack them.
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return sodium;
}

/** What two hosts share, and what marks each direction. */
interface Peer {
  readonly secret: Uint8Array;
  readonly toThem: Uint8Array;
  readonly fromThem: Uint8Array;
}

class SodiumSealer implements Sealer {
  readonly publicKey: string;
  readonly #sodium: Sodium;
  readonly #signingKey: Uint8Array;
  readonly #ownKey: Uint8Array;
  readonly #boxKey: Uint8Array;
  readonly #peers = new Map<string, Peer>();

  constructor(sodium: Sodium, seed: Uint8Array) {
    const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed);
    this.#sodium = sodium;
    this.#signingKey = privateKey;
    this.#ownKey = publicKey;
    this.#boxKey = sodium.crypto_sign_ed25519_sk_to_curve25519(privateKey);
    this.publicKey = `${KEY_PREFIX}${Buffer.from(publicKey).toString("base64url")}`;
  }

  isKey(text: string): boolean {
    return this.#peer(text) !== undefined;
  }

  seal(bytes: Uint8Array, recipientKey: string): Uint8Array {
    const sodium = this.#sodium;
    const peer = this.#peer(recipientKey);
    if (peer === undefined)
      throw new BellhopError("config.invalid", {
        message: `"${recipientKey}" is not the key of a host.`,
        next: 'Copy it from "bellhop cluster status" on that host.',
      });
    // libsodium's own way asks the system for each word by itself, which takes ten times as long as the box.
    const nonce = new Uint8Array(randomBytes(sodium.crypto_box_NONCEBYTES));
    const box = sodium.crypto_box_easy_afternm(Buffer.concat([peer.toThem, bytes]), nonce, peer.secret);
    return joined(Uint8Array.of(VERSION), nonce, box);
  }

  open(sealed: Uint8Array, senderKey: string): Uint8Array | undefined {
    const sodium = this.#sodium;
    const peer = this.#peer(senderKey);
    const boxAt = 1 + sodium.crypto_box_NONCEBYTES;
    if (peer === undefined || sealed[0] !== VERSION) return undefined;
    if (sealed.length < boxAt + sodium.crypto_box_MACBYTES) return undefined;
    let opened: Uint8Array;
    try {
      opened = sodium.crypto_box_open_easy_afternm(
        sealed.subarray(boxAt),
        sealed.subarray(1, boxAt),
        peer.secret,
      );
    } catch {
      return undefined;
    }
    // Both directions share a secret: without this, a host would take back what it sent itself.
    const mark = opened.subarray(0, peer.fromThem.length);
    if (mark.length !== peer.fromThem.length || !sodium.memcmp(mark, peer.fromThem)) return undefined;
    return opened.subarray(peer.fromThem.length);
  }

  sign(bytes: Uint8Array): Uint8Array {
    const signed = Buffer.concat([SIGNING_CONTEXT, bytes]);
    return joined(Uint8Array.of(VERSION), this.#sodium.crypto_sign_detached(signed, this.#signingKey), bytes);
  }

  verified(signed: Uint8Array, key: string): Uint8Array | undefined {
    const signer = bytesOf(key);
    const bytesAt = 1 + this.#sodium.crypto_sign_BYTES;
    if (signer === undefined || signed[0] !== VERSION || signed.length < bytesAt) return undefined;
    const bytes = signed.subarray(bytesAt);
    try {
      const message = Buffer.concat([SIGNING_CONTEXT, bytes]);
      const isGenuine = this.#sodium.crypto_sign_verify_detached(
        signed.subarray(1, bytesAt),
        message,
        signer,
      );
      return isGenuine ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /** Undefined if it is no key. */
  #peer(key: string): Peer | undefined {
    const known = this.#peers.get(key);
    if (known !== undefined) return known;
    const theirKey = bytesOf(key);
    if (theirKey === undefined) return undefined;
    const sodium = this.#sodium;
    let secret: Uint8Array;
    try {
      secret = sodium.crypto_box_beforenm(
        sodium.crypto_sign_ed25519_pk_to_curve25519(theirKey),
        this.#boxKey,
      );
    } catch {
      return undefined;
    }
    const mark = (from: Uint8Array, to: Uint8Array): Uint8Array =>
      sodium.crypto_generichash(KEY_BYTES, Buffer.concat([BAG_CONTEXT, from, to]), null);
    const peer = {
      secret,
      toThem: mark(this.#ownKey, theirKey),
      fromThem: mark(theirKey, this.#ownKey),
    };
    if (this.#peers.size >= MOST_PEERS) this.#peers.clear();
    this.#peers.set(key, peer);
    return peer;
  }
}

function bytesOf(key: string): Uint8Array | undefined {
  if (!isHostKey(key)) return undefined;
  const text = key.slice(KEY_PREFIX.length);
  const bytes = Buffer.from(text, "base64url");
  // The last letter has two bits too many: one key is not to have four names.
  return bytes.toString("base64url") === text ? new Uint8Array(bytes) : undefined;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
