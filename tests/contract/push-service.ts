/** A push service on this machine, over TLS: it reads what only the browser could, and checks who sent it. */
import { execFileSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserKeys, browserKeys, decrypted } from "../rig/push-browser.ts";

export interface Brought {
  readonly told: { readonly id: string; readonly agent: string | null; readonly kind: string };
  readonly bytes: Buffer;
  readonly headers: IncomingMessage["headers"];
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  /** The key that it was signed with. */
  readonly key: string;
}

/** Only ends what never comes. */
const PATIENCE_MS = 180_000;

export class PushService {
  /** What is trusted: for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string;
  readonly keys: BrowserKeys = browserKeys();
  readonly brought: Brought[] = [];
  /** What it answers next; 201 when there is nothing here. */
  readonly answers: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[] = [];
  readonly #folder: string;
  readonly #server: Server;
  readonly #came = new EventEmitter();

  private constructor(folder: string) {
    this.#folder = folder;
    const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => join(folder, name));
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-keyout", key ?? "", "-out", certificate ?? "", "-days", "2", "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=DNS:localhost"],
      ],
      { stdio: "ignore" },
    );
    this.certificate = certificate ?? "";
    this.#server = createServer(
      { key: readFileSync(key ?? ""), cert: readFileSync(this.certificate) },
      (request, response) => {
        void this.#take(request).then(() => {
          const { status = 201, headers = {} } = this.answers.shift() ?? {};
          response.writeHead(status, headers).end("x".repeat(100_000));
          this.#came.emit("brought");
        });
      },
    );
  }

  static async open(): Promise<PushService> {
    const service = new PushService(mkdtempSync(join(tmpdir(), "bh-push-")));
    service.#server.listen(0, "localhost");
    await once(service.#server, "listening");
    return service;
  }

  get host(): string {
    return `localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get endpoint(): string {
    return `https://${this.host}/push/one`;
  }

  /** As the browser tells the daemon. */
  get subscription() {
    return {
      endpoint: this.endpoint,
      public_key: this.keys.browser.getPublicKey("base64url"),
      secret: this.keys.secret.toString("base64url"),
    };
  }

  /** Once so many have come. */
  async until(count: number): Promise<readonly Brought[]> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (this.brought.length < count)
      await once(this.#came, "brought", { signal }).catch((error: Error) => {
        throw new Error(`${this.brought.length} of ${count} notifications have come: ${error.message}`);
      });
    return this.brought;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #take(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const { headers } = request;
    const [, token = "", key = ""] = /^vapid t=(\S+), k=(\S+)$/.exec(headers.authorization ?? "") ?? [];
    this.brought.push({
      told: JSON.parse(decrypted(bytes, this.keys)),
      bytes,
      headers,
      claims: verifiedClaims(token, key),
      key,
    });
  }
}

function verifiedClaims(token: string, key: string): Brought["claims"] {
  const [head = "", claims = "", seal = ""] = token.split(".");
  const point = Buffer.from(key, "base64url").subarray(1);
  const [x, y] = [point.subarray(0, 32).toString("base64url"), point.subarray(32).toString("base64url")];
  const isSealed = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    {
      key: createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } }),
      dsaEncoding: "ieee-p1363",
    },
    Buffer.from(seal, "base64url"),
  );
  if (!isSealed) throw new Error("it is not signed by who sent it");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
