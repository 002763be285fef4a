import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/client/connect.ts";
import type { BellhopError } from "../../src/core/errors.ts";
import { until } from "./broker-stage.ts";
import { errorOf, heldBack, SENT, STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

describe("the Unix door", () => {
  it("lets an idle caller go, and not one who waits for an answer", async () => {
    const slow = heldBack({ state: "read", reached: true } as const);
    await stage.start(
      {
        wait: slow.give,
      },
      { idleMs: 1_000 },
    );
    const waiting = await stage.caller();
    waiting.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    const idle = await stage.caller();
    await idle.all();
    slow.release();
    expect((await waiting.next()).ok).toBe(true);
  });

  it("turns away one caller too many with a reason when nobody is idle", async () => {
    const slow = heldBack({ state: "read", reached: true } as const);
    await stage.start({ status: async () => STATUS, wait: slow.give }, { connections: 2 });
    const callers = [await stage.caller(), await stage.caller()];
    for (const one of callers) one.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    await until(() => stage.script.asked.length === 2);
    const third = await stage.caller();
    expect(errorOf(await third.next()).code).toBe("daemon.unreachable");
    await expect((await connect(stage.path)).call("status", {})).rejects.toMatchObject({
      code: "daemon.unreachable",
    });
    slow.release();
    for (const one of callers) expect((await one.next()).ok).toBe(true);
  });

  it("lets the one go who has been idle longest, for the next who comes", async () => {
    const slow = heldBack({ state: "read", reached: true } as const);
    await stage.start({ status: async () => STATUS, wait: slow.give }, { connections: 4 });
    const [waiting, first, second, third] = [
      await stage.caller(),
      await stage.caller(),
      await stage.caller(),
      await stage.caller(),
    ];
    waiting.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    // The first connection was the last to send something.
    for (const one of [third, second, first]) {
      one.socket.write('{"type":"status"}\n');
      await one.next();
    }
    for (const gone of [third, second, first]) {
      const next = await stage.client();
      expect((await next.call("status", {})).running).toBe(true);
      await gone.all();
      next.close();
      await stage.caller();
    }
    slow.release();
    expect((await waiting.next()).ok).toBe(true);
  });

  it("is open to the command line however many stand there, also in the middle of a line", async () => {
    await stage.start({ status: async () => STATUS }, { connections: 64 });
    for (const begun of ["", '{"type":"sta']) {
      for (let number = 0; number < 200; number += 1) {
        const one = await stage.caller();
        if (begun !== "") one.socket.write(begun);
      }
      for (let time = 0; time < 5; time += 1) {
        const client = await stage.client();
        expect((await client.call("status", {})).running).toBe(true);
        client.close();
      }
    }
  });

  it("carries out two hundred calls on one connection and two hundred connections", async () => {
    await stage.start({
      send: async ({ body }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { ...SENT, messageId: body };
      },
    });
    const claims = { user: "dev" };
    const shared = await stage.client();
    const bodies = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      bodies.map((body) => shared.call("send", { to: "coder", body, claims })),
    );
    expect(answers.map((answer) => answer.messageId)).toEqual(bodies);
    expect(stage.script.asked.map(({ request }) => (request as { body: string }).body)).toEqual(bodies);
    const alone = await Promise.all(
      bodies.map(async (body) => (await stage.client()).call("send", { to: "coder", body, claims })),
    );
    expect(alone.map((answer) => answer.messageId)).toEqual(bodies);
  });

  it("parks what is over the limit of requests under way, and answers it all", async () => {
    let most = 0;
    let now = 0;
    await stage.start(
      {
        status: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return STATUS;
        },
      },
      { inFlight: 4 },
    );
    const one = await stage.caller();
    one.socket.end('{"type":"status"}\n'.repeat(500));
    const text = await one.all();
    expect(text.split("\n").filter(Boolean)).toHaveLength(500);
    expect(most).toBeLessThanOrEqual(4);
  });

  it("lets go a reader who never reads", async () => {
    const screen = "x".repeat(512 * 1024);
    await stage.start({ peek: async () => ({ sessionId: "s", screen }) }, { backlogBytes: 1024 * 1024 });
    const one = await stage.caller();
    one.socket.pause();
    one.socket.write('{"type":"peek","who":"a"}\n'.repeat(40));
    one.socket.removeAllListeners("data");
    const closed = once(one.socket, "close");
    while (!stage.log.entries.some(({ event }) => event === "unix.backlog")) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    one.socket.resume();
    one.socket.end();
    await closed;
  });

  it("survives a caller who vanishes in the middle of an answer", async () => {
    const slow = heldBack({ state: "read", reached: true } as const);
    await stage.start({
      wait: slow.give,
      status: async () => STATUS,
    });
    const gone = await stage.caller();
    gone.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    while (stage.script.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.socket.destroy();
    slow.release();
    const other = await stage.client();
    expect((await other.call("status", {})).pid).toBe(1);
  });

  it("notices that a caller with an open request has gone, and frees its place", async () => {
    await stage.start(
      { wait: () => new Promise(() => {}), status: async () => STATUS },
      { connections: 1, probeMs: 5 },
    );
    const gone = await stage.caller();
    gone.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    while (stage.script.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.socket.destroy();
    for (;;) {
      const next = await stage.client();
      const answer = await next.call("status", {}).catch((error: BellhopError) => error.code);
      if (answer !== "daemon.unreachable") {
        expect(answer).toMatchObject({ pid: 1 });
        break;
      }
    }
  });
});
