import { once } from "node:events";
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { BellhopError } from "../../core/errors.ts";
import { Entrance, type Inside } from "./entrance.ts";
import { turnAway } from "./hang-up.ts";

const LIMITS = { connections: 64, strangers: 16 };
const BUG = new BellhopError("internal.bug", { message: "It failed.", next: "Look." });

let entrance: Entrance;
let answered: string[];
let arrived: () => void;
const clients: Socket[] = [];

/** Says what it was asked, in the order in which it was asked. */
function inside(headersTimeout = 60_000): Inside {
  const server = createHttpServer({ connectionsCheckingInterval: 5, headersTimeout }, (request, response) => {
    answered.push(request.url ?? "");
    response.end(`you asked for ${request.url}`);
  });
  return {
    server,
    close: async () => {
      server.closeIdleConnections();
    },
  };
}

async function listening(open: () => Promise<Inside>): Promise<number> {
  answered = [];
  entrance = new Entrance({ open, refuse: (socket) => turnAway(socket, BUG), limits: LIMITS });
  entrance.server.on("connection", () => arrived?.());
  entrance.server.listen({ host: "127.0.0.1", port: 0 });
  await once(entrance.server, "listening");
  return (entrance.server.address() as AddressInfo).port;
}

/** Resolves once the entrance has so many more. */
function arrivals(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    arrived = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
}

async function ask(port: number, path: string): Promise<{ status: number; body: string }> {
  const asked = httpRequest({ port, host: "127.0.0.1", path, agent: false });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

function later<T>(): { readonly promise: Promise<T>; resolve(value: T): void; reject(cause: Error): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (cause: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await entrance.close();
});

it("loads nothing before somebody comes, and then once for all who come meanwhile, in their order", async () => {
  const loading = later<Inside>();
  let loads = 0;
  const port = await listening(() => {
    loads += 1;
    return loading.promise;
  });
  expect(loads).toBe(0);
  const answers: ReturnType<typeof ask>[] = [];
  for (const path of ["/1", "/2", "/3", "/4", "/5"]) {
    const here = arrivals(1);
    answers.push(ask(port, path));
    await here;
  }
  expect([loads, answered]).toEqual([1, []]);
  loading.resolve(inside());
  expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(
    ["/1", "/2", "/3", "/4", "/5"].map((path) => `you asked for ${path}`),
  );
  expect(await ask(port, "/6")).toEqual({ status: 200, body: "you asked for /6" });
  expect([loads, answered]).toEqual([1, ["/1", "/2", "/3", "/4", "/5", "/6"]]);
});

it("loses nothing of a request that comes in pieces while it loads", async () => {
  const loading = later<Inside>();
  const port = await listening(() => loading.promise);
  const here = arrivals(1);
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.write("GET /pie");
  await here;
  client.write("ces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
  loading.resolve(inside());
  client.write("\r\n");
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*you asked for \/pieces/);
});

it("tells those who wait if it cannot be loaded, and tries again with the next", async () => {
  const attempts = [later<Inside>(), later<Inside>()];
  let loads = 0;
  const port = await listening(() => {
    loads += 1;
    return (attempts[loads - 1] as (typeof attempts)[number]).promise;
  });
  const here = arrivals(2);
  const waiting = [ask(port, "/1"), ask(port, "/2")];
  await here;
  attempts[0]?.reject(new Error("no such file"));
  for (const { status, body } of await Promise.all(waiting)) {
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({
      error: { code: "internal.bug", message: "It failed.", next: "Look." },
    });
  }
  attempts[1]?.resolve(inside());
  expect(await ask(port, "/3")).toEqual({ status: 200, body: "you asked for /3" });
  expect(loads).toBe(2);
});

it("forgets who left while it loaded", async () => {
  const loading = later<Inside>();
  const port = await listening(() => loading.promise);
  const server = inside();
  let passed = 0;
  server.server.on("connection", () => {
    passed += 1;
  });
  const here = arrivals(1);
  clients.push(connect(port, "127.0.0.1"));
  await here;
  entrance.letIdleGo();
  loading.resolve(server);
  expect(await ask(port, "/")).toMatchObject({ status: 200 });
  expect(passed).toBe(1);
});

it("closes while it loads, and closes what it has loaded by then", async () => {
  const loading = later<Inside>();
  const port = await listening(() => loading.promise);
  const here = arrivals(1);
  const client = connect(port, "127.0.0.1");
  client.on("error", () => {});
  clients.push(client);
  await here;
  const gone = once(client, "close");
  const closed = entrance.close();
  let closes = 0;
  const { server } = inside();
  loading.resolve({
    server,
    close: async () => {
      closes += 1;
    },
  });
  await closed;
  await gone;
  expect(closes).toBe(1);
});

it("lets go who sends nothing, as a server that listens itself does", async () => {
  const port = await listening(async () => inside(20));
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.write("GET / HTTP/1.1\r\n");
  expect(await text(client)).toMatch(/^HTTP\/1\.1 408 /);
});

it.each(["before", "after"] as const)(
  "hands on upgrades to who asked for them %s the first caller",
  async (when) => {
    const port = await listening(async () => inside());
    const take = () =>
      entrance.onUpgrade((_request, socket) => void socket.end("HTTP/1.1 101 Taken\r\n\r\n"));
    if (when === "before") take();
    expect((await ask(port, "/")).status).toBe(200);
    if (when === "after") take();
    const client = connect(port, "127.0.0.1");
    clients.push(client);
    client.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: y\r\n\r\n");
    expect(await text(client)).toContain("101 Taken");
  },
);
