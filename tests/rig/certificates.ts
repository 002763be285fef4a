/** Certificates of one's own, as somebody makes them who runs a server for themselves. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];

export function makeAuthority(folder: string, name: string): Certificate {
  return make(folder, name, ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]);
}

/** `names`: `DNS:localhost`, `IP:127.0.0.1`. */
export function makeCertificate(
  folder: string,
  name: string,
  by: Certificate,
  names: readonly string[],
): Certificate {
  return make(folder, name, [
    ...["-CA", by.cert, "-CAkey", by.key, "-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-addext", `subjectAltName=${names.join(",")}`],
  ]);
}

function make(folder: string, name: string, more: readonly string[]): Certificate {
  const made = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const files = ["-keyout", made.key, "-out", made.cert];
  execFileSync("openssl", ["req", "-x509", ...CURVE, "-subj", `/CN=${name}`, ...more, ...files], {
    stdio: "ignore",
  });
  return made;
}
