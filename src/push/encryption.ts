/** Encrypts a notification for one browser (RFC 8291, in one record of RFC 8188). The service that brings it sees bytes. */
import { createCipheriv, createECDH, hkdfSync } from "node:crypto";
import type { PushTarget } from "../core/web/push-subscription.ts";

export const CURVE = "prime256v1";
const SALT_BYTES = 16;
const TAG = { algorithm: "aes-128-gcm", keyBytes: 16, nonceBytes: 12 } as const;
const RECORD_BYTES = 4_096;
/** All are of this length, whoever asks for what: their length tells nothing. */
export const PADDED_BYTES = 512;
/** After the last byte of the last record. */
const END = 2;

export class PayloadTooLong extends Error {}

export interface EncryptionParts {
  /** As many random bytes. */
  random(bytes: number): Uint8Array;
  /** For tests: instead of a new one each time. */
  readonly privateKey?: Buffer;
  readonly paddedBytes?: number;
}

export function encrypted(text: string, target: PushTarget, parts: EncryptionParts): Buffer {
  const { random, privateKey, paddedBytes = PADDED_BYTES } = parts;
  const browsers = Buffer.from(target.publicKey, "base64url");
  const own = createECDH(CURVE);
  if (privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(privateKey);
  const ours = own.getPublicKey();
  const salt = Buffer.from(random(SALT_BYTES));
  const secret = Buffer.from(target.secret, "base64url");
  const keys = derived(own.computeSecret(browsers), secret, "WebPush: info\0", 32, browsers, ours);
  const key = derived(keys, salt, "Content-Encoding: aes128gcm\0", TAG.keyBytes);
  const nonce = derived(keys, salt, "Content-Encoding: nonce\0", TAG.nonceBytes);
  const cipher = createCipheriv(TAG.algorithm, key, nonce);
  const sealed = [cipher.update(padded(text, paddedBytes)), cipher.final(), cipher.getAuthTag()];
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(ours.length, 4);
  return Buffer.concat([salt, head, ours, ...sealed]);
}

function padded(text: string, length: number): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length >= length) throw new PayloadTooLong(`${bytes.length} bytes`);
  const whole = Buffer.alloc(length);
  bytes.copy(whole);
  whole[bytes.length] = END;
  return whole;
}

function derived(
  from: Buffer,
  salt: Buffer,
  info: string,
  bytes: number,
  ...more: readonly Buffer[]
): Buffer {
  return Buffer.from(hkdfSync("sha256", from, salt, Buffer.concat([Buffer.from(info), ...more]), bytes));
}
