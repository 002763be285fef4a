/** Says to a push service who sends (RFC 8292): a browser takes notifications only from who it gave its consent to. */
import { createECDH, createPrivateKey, sign } from "node:crypto";
import { CURVE } from "./encryption.ts";

/** A day is the most that services accept. */
const GOOD_FOR_SECONDS = 12 * 3_600;
const FIELD_BYTES = 32;

export interface Claim {
  /** The service that it is meant for. */
  readonly audience: string;
  readonly contact: string;
  readonly nowMs: number;
}

/** In base64url, as browsers take it. `privateKey`: 32 bytes. */
export function publicKeyOf(privateKey: Buffer): string {
  const own = createECDH(CURVE);
  own.setPrivateKey(privateKey);
  return own.getPublicKey("base64url");
}

/** The value of the header `Authorization`. */
export function vapid(privateKey: Buffer, { audience, contact, nowMs }: Claim): string {
  const publicKey = publicKeyOf(privateKey);
  const point = Buffer.from(publicKey, "base64url").subarray(1);
  const [x, y] = [point.subarray(0, FIELD_BYTES), point.subarray(FIELD_BYTES)];
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: privateKey.toString("base64url"),
      x: x.toString("base64url"),
      y: y.toString("base64url"),
    },
  });
  const said = [
    { typ: "JWT", alg: "ES256" },
    { aud: audience, exp: Math.floor(nowMs / 1_000) + GOOD_FOR_SECONDS, sub: contact },
  ];
  const text = said.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const seal = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return `vapid t=${text}.${seal}, k=${publicKey}`;
}
