/** The certificates that a person trusts in place of the system's. Read at each connection: a new file takes effect. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { EngineTrouble } from "./trouble.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu;

/** What is in the file. TLS passes over what it does not understand, and would say that the server is not trusted. */
export async function trustedIn(path: string): Promise<string> {
  const wrong = (why: string) =>
    new EngineTrouble(`the file with certificates to trust cannot be used (${path}): ${why}`, "rarely");
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw wrong(code === "ENOENT" ? "it is not there" : `it cannot be read (${code})`);
  });
  const all = text.match(CERTIFICATE) ?? [];
  if (all.length === 0) throw wrong("it has no certificate (-----BEGIN CERTIFICATE-----)");
  for (const [at, one] of all.entries())
    if (!isCertificate(one)) throw wrong(`certificate ${at + 1} in it cannot be understood`);
  return text;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}
