/** What a browser does with a notification that was encrypted for it (RFC 8291). */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto";

export interface BrowserKeys {
  readonly browser: ECDH;
  readonly secret: Buffer;
}

export function browserKeys(): BrowserKeys {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  return { browser, secret: randomBytes(16) };
}

export function decrypted(sealed: Buffer, { browser, secret }: BrowserKeys): string {
  const salt = sealed.subarray(0, 16);
  const theirs = sealed.subarray(21, 21 + sealed.readUInt8(20));
  const text = sealed.subarray(21 + theirs.length, -16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), theirs]);
  const keys = Buffer.from(hkdfSync("sha256", browser.computeSecret(theirs), secret, info, 32));
  const key = Buffer.from(hkdfSync("sha256", keys, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", keys, salt, "Content-Encoding: nonce\0", 12));
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(text), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error("the last record does not end");
  return padded.subarray(0, end).toString();
}
