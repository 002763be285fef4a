import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toSnake } from "../wire/casing.ts";
import { type Client, connect, fieldsInSnake } from "./connect.ts";

const claims = { user: "dev", env: {}, cwd: "/" };
let folder: string;
let server: Server;
let client: Client;

/** A daemon that disappears at the first request. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-client-"));
  server = createServer((socket) => socket.once("data", () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(join(folder, "sock"), resolve));
  client = await connect(join(folder, "sock"));
});
afterEach(async () => {
  client.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const lostWith = (seenWith: string) => ({
  code: "daemon.unreachable",
  message: "The daemon closed the connection before it answered.",
  next: expect.stringContaining(`check with "${seenWith}"`),
});

it("says of a lost start where it would be seen", async () => {
  await expect(client.call("session_stop", { who: "coder" })).rejects.toMatchObject(lostWith("bellhop ls"));
});

it("says of a lost message where it would be seen", async () => {
  await expect(client.call("send", { to: "coder", body: "hello", claims })).rejects.toMatchObject(
    lostWith("bellhop queue"),
  );
});

it("writes fields as JSON has them", () => {
  const names = fc.constantFrom("path", "body", "idempotencyKey", "timeoutMs", "payload", "anyWayIn", "7");
  const values = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.jsonValue(), fc.constant(undefined));
  fc.assert(
    fc.property(fc.dictionary(names, values), (fields) => {
      expect(`{${fieldsInSnake(fields)}}`).toBe(JSON.stringify(toSnake(fields)));
    }),
  );
});
