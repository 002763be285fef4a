/** What is in the file that `cluster.credentials` names, by how it looks. */
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";

const CREDS = "-----BEGIN NATS USER JWT-----";
const SEED = /^SU[A-Z2-7]{56}$/;

export type CredentialsKind = "creds" | "seed" | "password" | "token";

/** As NATS's own tools write it, or one line: a seed (nkey), `USER:PASSWORD`, or a token. */
export function kindOf(text: string): CredentialsKind {
  if (text.includes(CREDS)) return "creds";
  const line = text.trim();
  if (line === "") throw new Error("it is empty");
  if (/[\r\n]/.test(line)) throw new Error("it has several lines, and is not a file of NATS credentials");
  if (SEED.test(line)) return "seed";
  return line.includes(":") ? "password" : "token";
}

export function authenticatorFrom(text: string): Authenticator {
  const line = text.trim();
  const kind = kindOf(text);
  switch (kind) {
    case "creds":
      return credsAuthenticator(new TextEncoder().encode(text));
    case "seed":
      return nkeyAuthenticator(new TextEncoder().encode(line));
    case "password": {
      const at = line.indexOf(":");
      return usernamePasswordAuthenticator(line.slice(0, at), line.slice(at + 1));
    }
    case "token":
      return tokenAuthenticator(line);
  }
}
