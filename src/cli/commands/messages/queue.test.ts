import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { QueuedDelivery } from "../../../wire/shapes/messages.ts";

const NOW = 1_794_713_898_927;

const waiting: QueuedDelivery = {
  id: "d1",
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  to: "agent/frontend",
  from: "agent/reviewer",
  priority: "idle-first",
  state: "queued",
  hold: {
    reason: "typing",
    since: NOW,
    release: "when the text in its composer is sent, removed, or unchanged for 120 s",
  },
  queuedAt: NOW - 61_000,
  preview: "The login test fails on main since the last merge, please have a look at it.",
};

const queue = (deliveries: readonly QueuedDelivery[], columns = 0) =>
  perform(["queue"], { now: NOW, columns, answers: { queue: async () => ({ deliveries, drafts: [] }) } });

describe("bellhop queue", () => {
  it("says under each message why it waits", async () => {
    expect((await queue([waiting, { ...waiting, shortId: "a1b2c3" }])).stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +TO +FROM +PRIORITY +STATE +SINCE +TEXT$/),
      expect.stringMatching(/^#m7k2q9 .* 1m 1s +The login test fails/),
      "  held: typing — when the text in its composer is sent, removed, or unchanged for 120 s",
      expect.stringMatching(/^#a1b2c3 /),
      expect.stringMatching(/^ {2}held: typing/),
      "",
    ]);
  });

  it("says when a message expires, where one does", async () => {
    const { hold: _, ...quiet } = waiting;
    const { stdout } = await queue([{ ...waiting, timeoutAt: NOW + 299_500 }, quiet]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/ SINCE +EXPIRES +TEXT$/);
    expect(lines[1]).toMatch(/ 1m 1s +in 5m +The login/);
    expect(lines[3]).toMatch(/ 1m 1s {2,}The login/);
    expect(lines).toHaveLength(4);
    expect((await queue([{ ...waiting, timeoutAt: NOW - 1 }])).stdout).toMatch(/ 1m 1s +now +The login/);
  });

  it("fits a terminal of 100 columns", async () => {
    const { stdout } = await queue([{ ...waiting, timeoutAt: NOW + 5_400_000 }], 100);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(stdout).toContain("The login");
  });
});

describe("bellhop queue cancel", () => {
  const answers: Stage["answers"] = {
    queue_change: async ({ id }) => {
      if (id === "gone00")
        throw new BellhopError("delivery.not_queued", { message: "It is gone.", next: "Look." });
      return { deliveries: [{ id: `${id}.1`, to: "agent/coder", state: "cancelled" }] };
    },
  };

  it("takes several ids, each once", async () => {
    const done = await perform(["queue", "cancel", "#m7k2q9", "a1b2c3", "m7k2q9"], { answers });
    expect(done.stdout).toBe("cancelled #m7k2q9 for agent/coder\ncancelled #a1b2c3 for agent/coder\n");
    expect(done.status).toBe(0);
  });

  it("says that another host was only asked, and what happens next", async () => {
    const hold = { reason: "busy", since: NOW, release: "laptop was asked to give it back" } as const;
    const queue_change: Stage["answers"]["queue_change"] = async ({ id }) => ({
      deliveries: [{ id: `${id}.1`, to: "host/laptop", state: "delivering", hold }],
    });
    const done = await perform(["queue", "cancel", "m7k2q9"], { answers: { queue_change } });
    expect(done.stdout).toBe("cancelling #m7k2q9: laptop was asked to give it back\n");
  });

  it("cancels the others when one cannot be", async () => {
    const argv = ["queue", "cancel", "gone00", "m7k2q9"];
    const done = await perform(argv, { answers });
    expect(done).toMatchObject({ status: 1, stdout: "cancelled #m7k2q9 for agent/coder\n" });
    expect(done.stderr).toContain("It is gone.");
    const json = await perform([...argv, "--json"], { answers });
    expect(JSON.parse(json.stdout)).toEqual({
      deliveries: [{ id: "m7k2q9.1", to: "agent/coder", state: "cancelled" }],
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "delivery.not_queued" } });
  });

  describe("of several that cannot be cancelled", () => {
    const refusing: Stage["answers"] = {
      queue_change: async ({ id }) => {
        if (id === "down00")
          throw new BellhopError("daemon.unreachable", { message: "Nobody answers.", next: "bellhop up" });
        const code = id === "gone00" ? "delivery.not_queued" : "message.unknown";
        throw new BellhopError(code, { message: `${id} is not there.`, next: `Look for ${id}.` });
      },
    };

    it("says of each what is wrong and what to do, in the order given", async () => {
      const done = await perform(["queue", "cancel", "gone00", "none01", "none02"], { answers: refusing });
      expect(done).toMatchObject({ status: 1, stdout: "" });
      expect(done.stderr.split("\n")).toEqual([
        "bellhop: gone00 is not there.",
        "  Look for gone00.",
        "bellhop: none01 is not there.",
        "  Look for none01.",
        "bellhop: none02 is not there.",
        "  Look for none02.",
        "",
      ]);
    });

    it("keeps all of them on the one line of --json", async () => {
      const argv = ["queue", "cancel", "none01", "gone00", "none02", "--json"];
      const done = await perform(argv, { answers: refusing });
      expect(done).toMatchObject({ status: 3, stdout: "" });
      const next = (id: string) => ({ message: `${id} is not there.`, next: `Look for ${id}.` });
      expect(JSON.parse(done.stderr)).toEqual({
        error: { code: "message.unknown", ...next("none01") },
        others: [
          { code: "delivery.not_queued", ...next("gone00") },
          { code: "message.unknown", ...next("none02") },
        ],
      });
    });

    it("loses none when the daemon goes away meanwhile, and tries no more of them", async () => {
      const argv = ["queue", "cancel", "gone00", "down00", "none01"];
      const done = await perform(argv, { answers: refusing });
      expect(done.status).toBe(5);
      expect(done.asked).toHaveLength(2);
      expect(done.stderr).toBe(
        "bellhop: gone00 is not there.\n  Look for gone00.\nbellhop: Nobody answers.\n  bellhop up\n",
      );
    });
  });
});

describe("bellhop queue clear and priority", () => {
  it("says how many were cancelled, and for whom", async () => {
    const one = { id: "x.1", to: "agent/coder", state: "cancelled" } as const;
    const clear = async (deliveries: readonly (typeof one)[]) =>
      (
        await perform(["queue", "clear", "coder"], {
          answers: { queue_clear: async () => ({ who: "agent/coder", deliveries }) },
        })
      ).stdout;
    expect(await clear([])).toBe("Nothing waits for agent/coder.\n");
    expect(await clear([one])).toBe("cancelled 1 message for agent/coder\n");
    expect(await clear([one, one])).toBe("cancelled 2 messages for agent/coder\n");
  });

  it("takes every name of a priority, and asks what was meant otherwise", async () => {
    const answers: Stage["answers"] = {
      queue_change: async () => ({ deliveries: [{ id: "x.1", to: "agent/coder", state: "queued" }] }),
    };
    const done = await perform(["queue", "priority", "m7k2q9", "urgent"], { answers });
    expect(done.stdout).toBe("changed #m7k2q9 for agent/coder to interrupt\n");
    expect(done.asked[0]?.request).toEqual({ id: "m7k2q9", change: "priority", priority: "interrupt" });
    const wrong = await perform(["queue", "priority", "m7k2q9", "nromal"], { answers });
    expect(wrong).toMatchObject({ status: 2, asked: [] });
    expect(wrong.stderr).toContain('Did you mean "normal"?');
  });
});
