import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/message.ts";
import { errorOf, SENT, STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

describe("the Unix door", () => {
  it.each<[string, string | Buffer, string, RegExp]>([
    ["garbage", "hello there\n", "request.malformed", /not valid JSON/],
    ["an array", "[1]\n", "request.malformed", /one JSON object/],
    ["no type", "{}\n", "request.malformed", /no "type"/],
    ["an unknown verb", '{"type":"sned"}\n', "request.malformed", /sned/],
    ["a verb of the prototype", '{"type":"constructor"}\n', "request.malformed", /constructor/],
    ["attach to nobody", '{"type":"attach","cols":80}\n', "request.malformed", /"attach"/],
    [
      "an unknown field",
      '{"type":"send","to":"a","body":"b","prority":"idle"}\n',
      "request.malformed",
      /prority/,
    ],
    [
      "camelCase",
      '{"type":"send","to":"a","body":"b","idempotencyKey":"k"}\n',
      "request.malformed",
      /snake_case/,
    ],
    ["a missing field", '{"type":"send","body":"b"}\n', "request.malformed", /"to"/],
    ["a wrong type", '{"type":"send","to":1,"body":"b"}\n', "request.malformed", /"to"/],
    ["an empty body", '{"type":"send","to":"a","body":" \\n"}\n', "message.empty", /"body"/],
    ["half a character", '{"type":"send","to":"a","body":"x\\ud800"}\n', "message.invalid_utf8", /"body"/],
    [
      "keys without raw",
      '{"type":"send","to":"a","body":"b","keys":["Enter"]}\n',
      "request.malformed",
      /"keys"/,
    ],
    ["a bad req_id", '{"type":"status","req_id":{}}\n', "request.malformed", /req_id/],
    ["status of no session", '{"type":"status","to":7}\n', "request.malformed", /"who" of "session"/],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), "message.invalid_utf8", /UTF-8/],
    [
      "deep JSON",
      `{"type":"send","to":"a","body":"b","payload":${"[".repeat(80)}${"]".repeat(80)}}\n`,
      "request.malformed",
      /deeper/,
    ],
    ["very deep JSON", `${"[".repeat(300_000)}\n`, "request.malformed", /deeper/],
    [
      "a prototype",
      '{"type":"send","to":"a","body":"b","__proto__":{"x":1}}\n',
      "request.malformed",
      /_proto/,
    ],
  ])("answers %s with a typed error and stays", async (_, sent, code, message) => {
    await stage.start({ status: async () => STATUS });
    const one = await stage.caller();
    one.socket.write(sent);
    const error = errorOf(await one.next());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.next).not.toBe("");
    one.socket.write('{"type":"status"}\n');
    expect((await one.next()).ok).toBe(true);
  });

  it("takes a body at its limit and refuses one byte more", async () => {
    await stage.start({ send: async () => SENT });
    const one = await stage.caller();
    const send = (bytes: number) =>
      one.socket.write(`${JSON.stringify({ type: "send", to: "a", body: "x".repeat(bytes) })}\n`);
    send(LIMITS.bodyBytes);
    expect((await one.next()).ok).toBe(true);
    send(LIMITS.bodyBytes + 1);
    expect(errorOf(await one.next()).code).toBe("message.too_large");
  });

  it("refuses a line over the limit before it ends, and closes", async () => {
    await stage.start({});
    const one = await stage.caller();
    one.socket.write(Buffer.alloc(LIMITS.requestBytes + 1, 0x61));
    expect(errorOf(await one.next()).code).toBe("request.too_large");
    expect(await one.all()).toBe("");
  });

  it("gives up on a line that never ends", async () => {
    await stage.start({}, { lineMs: 20 });
    const one = await stage.caller();
    one.socket.write('{"type":');
    expect(errorOf(await one.next()).message).toMatch(/not finished/);
    await one.all();
  });

  it("tells nothing of a bug but that it is one, and logs the rest", async () => {
    await stage.start({
      ls: async () => {
        throw new TypeError("secret detail");
      },
      queue: async () => ({ deliveries: [1n], drafts: [] }) as never,
    });
    const one = await stage.client();
    const error: BellhopError = await one.call("ls", {}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BellhopError);
    expect(error.code).toBe("internal.bug");
    expect(error.message).not.toContain("secret");
    expect(JSON.stringify(stage.log.entries)).toContain("secret detail");
    await expect(one.call("queue", {})).rejects.toMatchObject({ code: "internal.bug" });
  });

  it("carries typed errors with their candidates to the client", async () => {
    await stage.start({
      send: async () => {
        throw new BellhopError("recipient.ambiguous", {
          message: "Two.",
          next: "Say which.",
          candidates: ["a", "b"],
        });
      },
    });
    const one = await stage.client();
    await expect(one.call("send", { to: "x", body: "y", claims: { user: "dev" } })).rejects.toMatchObject({
      code: "recipient.ambiguous",
      message: "Two.",
      next: "Say which.",
      candidates: ["a", "b"],
    });
  });

  it("says so when a daemon of another version does not understand", async () => {
    await stage.start({});
    const one = await stage.client();
    const error: BellhopError = await one
      .call("show", { id: "x", unknown: 1 } as never)
      .catch((thrown) => thrown);
    expect(error.code).toBe("daemon.version_mismatch");
    expect(error.next).toContain("bellhop down && bellhop up");
    expect(one.daemonVersion).toBe("1.2.3");
  });
});
