import { describe, expect, it } from "vitest";
import { Pump, type PumpParts, type Reply } from "./pump.ts";
import { AT_ONCE, Turns } from "./turns.ts";

interface Request {
  readonly text: string;
  readonly reqId: string | undefined;
  readonly weight: number;
  readonly manner: { readonly reqId: string | undefined };
}

/** `id:text`; requests without an id are answered in order. */
function open(bytes: Buffer): Request {
  const [reqId = "", text = ""] = bytes.toString().split(":");
  const manner = { reqId: reqId === "" ? undefined : reqId };
  return { text, ...manner, weight: bytes.length, manner };
}

/** A connection on which the test gives every answer and also reads them. */
class Connection {
  readonly begun: string[] = [];
  readonly written: string[] = [];
  readonly pump: Pump<Request>;
  room = true;
  reading = true;
  answeredTimes = 0;
  readonly #answers = new Map<string, (said: Reply) => void>();
  #drained: (() => void)[] = [];

  constructor(parts: Partial<PumpParts<Request>> = {}) {
    const connection = this;
    this.pump = new Pump({
      inFlight: 2,
      inFlightBytes: 100,
      withoutRoom: "waits",
      turns: AT_ONCE,
      outlet: {
        isOpen: true,
        get hasRoom() {
          return connection.room;
        },
        drained: () => new Promise((resolve) => this.#drained.push(resolve)),
        write: (frame) => {
          this.written.push(String(frame));
          return "written";
        },
      },
      intake: {
        pause: () => {
          this.reading = false;
        },
        resume: () => {
          this.reading = true;
        },
      },
      open,
      carryOut: ({ text }) => {
        this.begun.push(text);
        return new Promise((resolve) => this.#answers.set(text, resolve));
      },
      answered: () => {
        this.answeredTimes += 1;
      },
      ...parts,
    });
  }

  take(...requests: readonly string[]): void {
    for (const request of requests) this.pump.take(Buffer.from(request));
  }

  async answer(text: string, after?: () => void): Promise<void> {
    this.#answers.get(text)?.({ frame: text, after });
    await settled();
  }

  /** Reading makes room. */
  async read(): Promise<void> {
    this.room = true;
    for (const wake of this.#drained.splice(0)) wake();
    await settled();
  }
}

const settled = () => new Promise(setImmediate);

describe("a pump", () => {
  it("begins at once and answers as each is done; without an id, in the order of the requests", async () => {
    const connection = new Connection({ inFlight: 9 });
    connection.take("1:a", "2:b", ":c", ":d");
    expect(connection.begun).toEqual(["a", "b", "c", "d"]);
    for (const text of ["d", "b", "a"]) await connection.answer(text);
    expect(connection.written).toEqual(["b", "a"]);
    await connection.answer("c");
    expect(connection.written).toEqual(["b", "a", "c", "d"]);
    expect(connection.answeredTimes).toBe(4);
    expect(connection.pump.standing).toBe("at-rest");
  });

  it("parks what is too many, reads nothing further, and goes on when one is answered", async () => {
    const connection = new Connection();
    connection.take("1:a", "2:b");
    expect(connection.reading).toBe(true);
    connection.take("3:c", "4:d");
    expect(connection).toMatchObject({ begun: ["a", "b"], reading: false });
    await connection.answer("b");
    expect(connection).toMatchObject({ begun: ["a", "b", "c"], reading: false });
    await connection.answer("a");
    expect(connection).toMatchObject({ begun: ["a", "b", "c", "d"], reading: false });
    await connection.answer("c");
    expect(connection.reading).toBe(true);
  });

  it("parks what is too heavy together, and lets in at least one", async () => {
    const connection = new Connection({ inFlightBytes: 4 });
    connection.take("1:heavy", "2:b");
    expect(connection.begun).toEqual(["heavy"]);
    await connection.answer("heavy");
    expect(connection.begun).toEqual(["heavy", "b"]);
  });

  it("begins nothing for a caller that does not read, and says that it is stuck", async () => {
    const connection = new Connection();
    connection.room = false;
    connection.take("1:a");
    expect(connection).toMatchObject({ begun: [], reading: false });
    expect(connection.pump.standing).toBe("stuck");
    await connection.read();
    expect(connection).toMatchObject({ begun: ["a"], reading: true });
    expect(connection.pump.standing).toBe("at-work");
  });

  it.each(["waits", "piles-up"] as const)("an answer without room %s", async (withoutRoom) => {
    const connection = new Connection({ withoutRoom });
    let heard = 0;
    connection.take("1:a");
    connection.room = false;
    await connection.answer("a", () => {
      heard += 1;
    });
    expect([connection.written, heard]).toEqual(withoutRoom === "waits" ? [[], 0] : [["a"], 1]);
    await connection.read();
    expect([connection.written, heard]).toEqual([["a"], 1]);
  });

  it("reads on after answers that left no room, once the caller has read them", async () => {
    const connection = new Connection({ withoutRoom: "piles-up" });
    connection.take("1:a", "2:b", "3:c");
    await connection.answer("a");
    connection.room = false;
    await connection.answer("b");
    await connection.answer("c");
    expect(connection.reading).toBe(false);
    await connection.read();
    expect(connection.reading).toBe(true);
  });

  it("begins and reads nothing while it is held", () => {
    const connection = new Connection();
    connection.pump.hold();
    connection.take("1:a");
    expect(connection).toMatchObject({ begun: [], reading: false });
    connection.pump.release();
    expect(connection).toMatchObject({ begun: ["a"], reading: true });
  });

  it("gives no answer to what the door answers itself, and does not count it", () => {
    const connection = new Connection({ carryOut: () => undefined });
    connection.take("1:a", "2:b", "3:c");
    expect(connection.pump.standing).toBe("at-rest");
    expect(connection.reading).toBe(true);
  });

  it("that finishes takes nothing new, and has its turn with what is parked", async () => {
    const connection = new Connection({ inFlight: 1 });
    connection.take("1:a", "2:b");
    connection.pump.finish();
    connection.take("3:c");
    await connection.answer("a");
    await connection.answer("b");
    expect(connection.written).toEqual(["a", "b"]);
    expect(connection.begun).toEqual(["a", "b"]);
  });

  it("that ends forgets what is parked, and answers what is under way", async () => {
    const connection = new Connection({ inFlight: 1 });
    connection.take("1:a", "2:b");
    connection.pump.end();
    await connection.answer("a");
    expect(connection).toMatchObject({ begun: ["a"], written: ["a"], answeredTimes: 1 });
    expect(connection.pump.standing).toBe("at-rest");
  });

  it("that is abandoned names everything without an answer", () => {
    const connection = new Connection({ inFlight: 1 });
    connection.take("1:a", "2:b", ":c");
    expect(connection.pump.abandon()).toEqual([{ reqId: "1" }, { reqId: "2" }, { reqId: undefined }]);
    expect(connection.pump.isTaking).toBe(false);
  });

  it("with turns reads nothing before what came has begun, and begins one of each in turn", async () => {
    const turns = new Turns();
    const begun: string[] = [];
    const carryOut = ({ text }: Request) => {
      begun.push(text);
      return Promise.resolve({ frame: text });
    };
    const much = new Connection({ turns, carryOut });
    const little = new Connection({ turns, carryOut });
    much.take("1:m1", "2:m2");
    little.take("1:l1");
    expect([begun, much.reading, little.reading]).toEqual([[], false, false]);
    await settled();
    expect([begun, much.reading, little.reading]).toEqual([["m1", "l1", "m2"], true, true]);
    much.take("3:m3");
    much.pump.end();
    await settled();
    expect(begun).toHaveLength(3);
  });
});
