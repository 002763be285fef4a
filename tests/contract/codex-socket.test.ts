/** The connection to Codex's shared server, at its limits. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AppServer, greetAppServer } from "../../src/programs/codex/server/app-server.ts";
import { openWebSocket, WEBSOCKET_LIMITS } from "../../src/programs/codex/server/websocket.ts";
import { type CodexServer, startCodexServer } from "./codex-server.ts";

let home: string;
let codex: CodexServer;
let server: AppServer;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "bh-codex-socket-"));
  const socket = join(home, "server.sock");
  codex = await startCodexServer(socket, (_, { bytes }) => ({ result: filling(Number(bytes)) }));
  const signal = AbortSignal.timeout(30_000);
  server = await greetAppServer(await openWebSocket(socket, signal), signal);
});

afterEach(async () => {
  server.close();
  await codex.close();
  rmSync(home, { recursive: true });
});

/** So that the whole answer, which is the second one, has this many bytes. */
const filling = (bytes: number) => "x".repeat(bytes - JSON.stringify({ id: 2, result: "" }).length);
const ask = async (bytes: number) => (await server.call("fill", { bytes })) === filling(bytes);

describe("an answer of Codex's server", () => {
  it("is taken in as many pieces as one may have", async () => {
    codex.fragment(1);
    expect(await ask(WEBSOCKET_LIMITS.pieces)).toBe(true);
  });

  it("is lost in more pieces than that, before their number costs memory", async () => {
    codex.fragment(1);
    await expect(ask(WEBSOCKET_LIMITS.pieces + 1)).rejects.toMatchObject({ answer: "lost" });
  });

  it("is taken when it is as long as one may be", async () => {
    expect(await ask(WEBSOCKET_LIMITS.messageBytes)).toBe(true);
  });

  it("is lost when it is longer than that", async () => {
    await expect(ask(WEBSOCKET_LIMITS.messageBytes + 1)).rejects.toMatchObject({ answer: "lost" });
  });
});
