import { describe, expect, it } from "vitest";
import type { Standing } from "../../core/readiness/standing.ts";
import type { Stroke } from "../../ports/terminal.ts";
import type { HostLink } from "./host-link.ts";
import { hostedTerminal } from "./terminal.ts";

const over = (ask: () => Promise<unknown>, ...standings: readonly Standing[]) => {
  const left = [...standings];
  return hostedTerminal({ kind: "pty", server: "pty", pane: "0badcafe" }, { ask } as unknown as HostLink, {
    identity: { pid: 2, startedAt: "then" },
    standing: async () => left.shift() ?? "in-front",
  });
};

const failing = (code: string) =>
  over(async () => ({ type: "failed", id: 1, code, message: "It is too much." }));

describe("a host of an earlier release, which does not ask where the agent stands", () => {
  const KEY: readonly Stroke[] = [{ kind: "key", name: "Enter" }];
  let asked = 0;
  const says = async () => {
    asked += 1;
    return { type: "gate", id: 1, outcome: { kind: "sent" } };
  };

  it.each(["stopped", "behind"] as const)("is not asked to type to one that is %s", async (standing) => {
    asked = 0;
    const outcome = await over(says, standing).gate({ panePid: 1 }, KEY);
    expect(outcome).toEqual({ kind: "refused", because: ["suspended"] });
    expect(asked).toBe(0);
  });

  it("is not believed that keys are in which went in as the agent was suspended", async () => {
    const terminal = over(says, "in-front", "stopped");
    expect(await terminal.gate({ panePid: 1 }, KEY)).toMatchObject({ kind: "unknown" });
    expect(await over(says, "in-front", "stopped").gate({ panePid: 1 }, [])).toMatchObject({
      kind: "refused",
    });
  });
});

describe("a host that asks where the agent stands within its own step", () => {
  const asksItself = (answer: unknown, standings: readonly Standing[]) => {
    const told: string[] = [];
    const link = { asksStanding: true, ask: async () => told.push("gate") && answer } as unknown as HostLink;
    const left = [...standings];
    const terminal = hostedTerminal({ kind: "pty", server: "pty", pane: "0badcafe" }, link, {
      identity: { pid: 2, startedAt: "then" },
      async standing() {
        told.push("standing");
        return left.shift() ?? "in-front";
      },
    });
    return { told, gate: () => terminal.gate({ panePid: 1 }, [{ kind: "key", name: "Enter" }]) };
  };
  const SENT = { type: "gate", id: 1, outcome: { kind: "sent" } };

  it("is asked at once, and not believed if the agent is suspended by then", async () => {
    const { told, gate } = asksItself(SENT, ["stopped"]);
    expect(await gate()).toMatchObject({ kind: "unknown" });
    expect(told).toEqual(["gate", "standing"]);
  });

  it("that cannot be reached does not hide that the agent has gone", async () => {
    expect(await asksItself("unreachable", ["gone"]).gate()).toEqual({ kind: "gone" });
    expect(await asksItself("unreachable", ["in-front"]).gate()).toEqual({
      kind: "refused",
      because: ["unavailable"],
    });
  });
});

describe("a host that cannot do what it is asked", () => {
  it("has a screen that cannot be read, and says why", async () => {
    expect(await failing("request.malformed").read()).toEqual({
      kind: "unreadable",
      cause: "It is too much.",
    });
    expect(await failing("request.too_large").read()).toEqual({
      kind: "unreadable",
      cause: expect.stringContaining("too large for its host to send"),
    });
  });

  it("typed nothing", async () => {
    const outcome = await failing("request.malformed").gate({ panePid: 1 }, []);
    expect(outcome).toEqual({ kind: "refused", because: ["unavailable"] });
  });

  it("tells whoever asked for what cannot be typed", async () => {
    for (const code of ["usage.invalid", "request.too_large"])
      await expect(failing(code).gate({ panePid: 1 }, [])).rejects.toMatchObject({ code });
  });

  it("has shown nobody anything that is known", async () => {
    expect(await failing("request.too_large").announce("x")).toEqual({
      kind: "unknown",
      cause: "It is too much.",
    });
  });
});
