/** Services of one's own that call a bridge on this machine: one signs as GitHub does, one has a token. */
import { createHmac } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";

export interface Delivery {
  readonly path: string;
  /** As they are usually written. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly words: string;
}

export class RehearsedServices {
  readonly port: number;
  readonly githubSecret = "rehearsal-of-a-secret";
  readonly token = "rehearsal-of-a-token";

  private constructor(port: number) {
    this.port = port;
  }

  /** Finds a port on 127.0.0.1 for the bridge that they call. */
  static async start(): Promise<RehearsedServices> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return new RehearsedServices(port);
  }

  /** `secret`: what a forger guesses. */
  fromGithub(event: string, payload: object, secret = this.githubSecret): Delivery {
    const body = JSON.stringify(payload);
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return {
      path: "/webhooks/github",
      headers: { "X-GitHub-Event": event, "X-Hub-Signature-256": `sha256=${signature}` },
      body,
    };
  }

  fromScript(path: string, payload: object): Delivery {
    const headers = { Authorization: `Bearer ${this.token}` };
    return { path, headers, body: JSON.stringify(payload) };
  }

  async deliver({ path, headers, body }: Delivery): Promise<Answered> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", Connection: "close", ...headers },
    });
    return { status: response.status, words: response.statusText };
  }
}
