/** Callers that send too much, and others that must not suffer from it. Nothing is timed; it is counted. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

const FLOODERS = 8;
const LINES = 2_000;

/** By default nobody reads the answers. */
async function flooder(text: string): Promise<Socket> {
  const { socket } = await stage.caller();
  socket.removeAllListeners("data");
  socket.pause();
  socket.write(text);
  return socket;
}

describe("a flood on the Unix socket", () => {
  it("lets a good caller have its turn: it waits for one request of each of the others, not for all of them", async () => {
    let floods = 0;
    const between: number[] = [];
    await stage.start({
      status: async () => {
        floods += 1;
        return STATUS;
      },
      ls: async () => {
        between.push(floods);
        return { sessions: [] };
      },
    });
    const good = await stage.client();
    await good.call("ls", {});
    const flooders = [];
    for (let one = 0; one < FLOODERS; one += 1)
      flooders.push(await flooder('{"type":"status"}\n'.repeat(LINES)));
    while (floods === 0) await new Promise(setImmediate);
    for (let call = 0; call < 20; call += 1) await good.call("ls", {});
    const most = Math.max(...between.slice(1).map((count, index) => count - (between[index] ?? 0)));
    expect(most).toBeLessThan(LINES / 2);
  });

  it("is not carried out for one that does not take its answers", async () => {
    let served = 0;
    await stage.start(
      {
        status: async () => {
          served += 1;
          return STATUS;
        },
        ls: async () => ({ sessions: [] }),
      },
      { roomBytes: 64 * 1024 },
    );
    const socket = await flooder('{"type":"status"}\n'.repeat(8_000));
    const good = await stage.client();
    // Until nothing moves: the system's buffers are full, and so is the space that the daemon allows.
    for (let before = -1; before !== served; ) {
      before = served;
      for (let call = 0; call < 10; call += 1) await good.call("ls", {});
    }
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(3_000);
    // It was slow, not gone: when it reads, it is served again.
    let lines = 0;
    socket.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) lines += 1;
    });
    socket.resume();
    socket.end();
    await once(socket, "end");
    expect(lines).toBe(8_000);
    expect(stage.log.entries).toEqual([]);
  });

  it("gives its places to who comes when nobody takes its answers", async () => {
    await stage.start(
      { status: async () => STATUS, ls: async () => ({ sessions: [] }) },
      { roomBytes: 1_024, connections: 4 },
    );
    for (let one = 0; one < 4; one += 1) await flooder('{"type":"status"}\n'.repeat(8_000));
    for (;;) {
      const client = await stage.client();
      const answer = await client.call("ls", {}).catch((error: { code: string }) => error.code);
      client.close();
      if (answer !== "daemon.unreachable") {
        expect(answer).toEqual({ sessions: [] });
        break;
      }
    }
  });

  it("is told what was not begun when the door closes", async () => {
    await stage.start({ wait: () => new Promise(() => {}) }, { inFlight: 2 });
    const one = await stage.caller();
    const asked = [1, 2, 3, 4].map((id) => `{"type":"wait","id":"m","state":"read","req_id":${id}}\n`);
    one.socket.write(asked.join(""));
    while (stage.script.asked.length < 2) await new Promise(setImmediate);
    await stage.closeDoor(0);
    const told = (await one.all()).trim().split("\n");
    expect(told.map((line) => JSON.parse(line).req_id)).toEqual([1, 2, 3, 4]);
  });
});
