import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { Ear, Line } from "../../../client/line.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { BrokerMessage } from "../../../wire/shapes/broker.ts";
import type { StatusResponse } from "../../../wire/shapes/daemon.ts";

const AT = new Date(2026, 11, 21, 13, 30, 5).getTime();
const message = (changes: Partial<BrokerMessage> = {}): BrokerMessage => ({
  id: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  from: "api",
  path: "agent/web",
  command: "message",
  payload: { text: "hi" },
  body: "hi",
  status: "pending",
  timestamp: AT,
  source: "internal",
  externalId: null,
  ...changes,
});
const gone = new BellhopError("daemon.unreachable", { message: "Gone.", next: "Wait." });

const noOthers: Pick<Line, "routes" | "board"> = {
  routes: async () => {
    throw new Error("nobody asks for routes");
  },
  board: async () => {
    throw new Error("nobody asks for the board");
  },
};

type Act = (ear: Ear) => void | Promise<void>;

/** Each act is one connection; after the last the person presses Ctrl+C. */
async function listen(words: readonly string[], ...acts: readonly Act[]) {
  const stop = new AbortController();
  const requests: unknown[] = [];
  const line: Line = {
    ask: async () => {
      throw new Error("nothing is asked here");
    },
    async listen(request, ear) {
      requests.push(request);
      const act = acts[requests.length - 1];
      setImmediate(async () => {
        await act?.(ear);
        if (requests.length >= acts.length) stop.abort();
      });
      return { pause() {}, resume() {}, close() {}, agentSince: 7 };
    },
    ...noOthers,
    close() {},
  };
  const performed = await perform(["listen", ...words], {
    line,
    interrupted: stop.signal,
    answers: {
      status: async () => ({}) as StatusResponse,
      inbox: async ({ who = "dev" }) => ({
        who: who === "dev" ? "person/dev" : `agent/${who}`,
        entries: [],
      }),
    },
  });
  return { ...performed, requests };
}

describe("bellhop listen", () => {
  it("prints a line for each message until Ctrl+C, and exits well", async () => {
    const { status, stdout, stderr, requests } = await listen(["web"], (ear) => {
      ear.hear(message());
      ear.hear(message({ shortId: "a1b2c3", from: "person/d\x1b[31mev", body: "two\nlines\x07" }));
    });
    expect(status).toBe(0);
    expect(stdout).toBe("13:30:05 #m7k2q9 api: hi\n13:30:05 #a1b2c3 person/dev: two lines\n");
    expect(stderr).toBe("listening to web; Ctrl+C ends it\n");
    expect(requests).toEqual([{ agent: "web", consume: false }]);
  });

  it.each([[[]], [["dev"]], [["person/dev"]]])("listens to the person: %j", async (words) => {
    const { status, requests } = await listen(words, (ear) => ear.hear(message()));
    expect([status, requests]).toEqual([0, [{ agent: "person/dev", consume: false }]]);
  });

  describe("when the word for a mailbox leads nowhere", () => {
    const asking = async (error: unknown) => {
      const stop = new AbortController();
      const requests: unknown[] = [];
      const line: Line = {
        ask: async () => {
          throw new Error("nothing is asked here");
        },
        async listen(request) {
          requests.push(request);
          setImmediate(() => stop.abort());
          return { pause() {}, resume() {}, close() {}, agentSince: 7 };
        },
        ...noOthers,
        close() {},
      };
      const answers = {
        status: async () => ({}) as StatusResponse,
        inbox: async () => {
          throw error;
        },
      };
      const done = await perform(["listen", "web"], { line, interrupted: stop.signal, answers });
      return { ...done, requests };
    };

    it.each(["recipient.unknown", "recipient.ambiguous", "name.invalid", "rights.missing"] as const)(
      "leaves %s to listening, which says so itself",
      async (code) => {
        const { status, requests } = await asking(new BellhopError(code, { message: "No.", next: "Look." }));
        expect([status, requests]).toEqual([0, [{ agent: "web", consume: false }]]);
      },
    );

    it.each(["daemon.unreachable", "store.failed"] as const)("says %s, and does not listen", async (code) => {
      const error = new BellhopError(code, { message: "Nobody answers.", next: "bellhop up" });
      const { status, stderr, requests } = await asking(error);
      expect(requests).toEqual([]);
      expect(status).toBe(error.exitCode);
      expect(stderr).toBe("bellhop: Nobody answers.\n  bellhop up\n");
    });

    it("does not hide a mistake of its own", async () => {
      const { status, stderr, requests } = await asking(new TypeError("x is not a function"));
      expect([status, requests]).toEqual([1, []]);
      expect(stderr).toContain("x is not a function");
    });
  });

  it("says what else there is to know of a message", async () => {
    const { stdout } = await listen(["web"], (ear) => {
      ear.hear(message({ command: "analyse", body: 'analyse {"a":1}' }));
      ear.hear(message({ redelivered: true }));
      ear.hear(message({ handled: true, handledBy: [{ agentId: "web", sessionId: "monitor" }] }));
      ear.hear(message({ body: "x".repeat(501) }));
    });
    expect(stdout.split("\n")).toEqual([
      '13:30:05 #m7k2q9 api [analyse]: analyse {"a":1}',
      "13:30:05 #m7k2q9 api (possibly seen before): hi",
      "13:30:05 #m7k2q9 api (handled by monitor): hi",
      `13:30:05 #m7k2q9 api: ${"x".repeat(500)}…`,
      "",
    ]);
  });

  it("gives scripts one JSON object a line, and nothing else", async () => {
    const odd = message({ body: "\x1b[31m\u2028\n", payload: JSON.parse('{"__proto__":1}') });
    const { stdout, stderr } = await listen(
      ["web", "--json"],
      (ear) => {
        ear.hear(odd);
        ear.over(gone);
      },
      () => {},
    );
    expect(stdout).toBe(`${JSON.stringify(odd)}\n`);
    expect(stderr).toBe("");
  });

  it("asks for a session, and to take", async () => {
    const { requests } = await listen(["web", "--consume", "--session", "monitor"], () => {});
    expect(requests).toEqual([{ agent: "web", session: "monitor", consume: true }]);
  });

  it("comes back after the daemon was away, and says so", async () => {
    const { status, stdout, stderr, requests } = await listen(
      ["web"],
      (ear) => {
        ear.hear(message());
        ear.over(gone);
      },
      (ear) => ear.hear(message({ shortId: "a1b2c3" })),
    );
    expect(status).toBe(0);
    expect(stdout.match(/#\w+/g)).toEqual(["#m7k2q9", "#a1b2c3"]);
    // The second request identifies the agent, and not only by its name.
    expect(requests).toEqual([
      { agent: "web", consume: false },
      { agent: "web", consume: false, agentSince: 7 },
    ]);
    expect(stderr).toBe(
      "listening to web; Ctrl+C ends it\nthe daemon has stopped; waiting for it to come back\nlistening again; see what you missed: bellhop inbox web\n",
    );
  });

  it("takes no more while its reader takes nothing", async () => {
    const drains: (() => void)[] = [];
    const stop = new AbortController();
    let ear: Ear | undefined;
    const performed = perform(["listen", "web", "--json"], {
      interrupted: stop.signal,
      answers: {
        status: async () => ({}) as StatusResponse,
        inbox: async () => ({ who: "agent/web", entries: [] }),
      },
      drain: () =>
        new Promise((resolve) => {
          drains.push(resolve);
        }),
      line: {
        ask: async () => {
          throw new Error("nothing is asked here");
        },
        async listen(_, given) {
          ear = given;
          for (let count = 0; count < 3; count += 1) given.hear(message());
          return { pause() {}, resume() {}, close() {}, agentSince: 7 };
        },
        ...noOthers,
        close() {},
      },
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ear).toBeDefined();
    expect(drains).toHaveLength(1);
    stop.abort();
    for (let count = 0; count < 3; count += 1) {
      drains[count]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What was heard before Ctrl+C is printed: it may have been taken.
    expect((await performed).stdout.trimEnd().split("\n")).toHaveLength(3);
  });

  it("passes on a refusal", async () => {
    const refused = new BellhopError("agent.unknown", { message: 'There is no agent "x".', next: "Add it." });
    const { status, stderr } = await perform(["listen", "x", "--json"], {
      answers: {
        status: async () => ({}) as StatusResponse,
        inbox: async () => {
          throw refused;
        },
      },
      line: {
        ask: async () => {
          throw refused;
        },
        listen: async () => {
          throw refused;
        },
        ...noOthers,
        close() {},
      },
    });
    expect(status).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "agent.unknown" } });
  });

  it.each([
    ["a", "b"],
    ["a", "--session"],
    ["a", "--take"],
  ])("refuses %j %j", async (...words) => {
    const { status, requests } = await listen(words);
    expect(status).toBe(2);
    expect(requests).toEqual([]);
  });
});
