import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { callFailure } from "./call-failure.ts";
import { connect } from "./connection.ts";

const servers: Server[] = [];

async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe("the connection to the Bot API", () => {
  it("does not follow a server that sends it elsewhere: the address has the token in it", async () => {
    const visited: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      visited.push(request.url);
      response.end('{"ok":true,"result":[]}');
    });
    const apiRoot = await serve(({ url }, response) => {
      response.writeHead(307, { location: `${elsewhere}${url}` }).end();
    });
    const { polling, talking } = await connect({ token: "1:secret", apiRoot });
    for (const call of [polling.getUpdates(), talking.getMe()]) {
      const failure = await call.then(() => undefined, callFailure);
      expect(failure).toMatchObject({ kind: "unreachable" });
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
    expect(visited).toEqual([]);
  });

  it("reads no answer without end", async () => {
    const piece = "x".repeat(1_048_576);
    const apiRoot = await serve((_request, response) => {
      response.write('{"ok":true,"result":"');
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        response.once("drain", more);
      };
      more();
    });
    const { talking } = await connect({ token: "1:secret", apiRoot });
    expect(await talking.getMe().then(() => undefined, callFailure)).toMatchObject({ kind: "unreachable" });
  });
});
