/** Turns that must end: by the switch, and at their deadline, whatever they do against it. */
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { claims, TurnsStage } from "./turns-stage.ts";

let stage: TurnsStage;
afterEach(() => stage.close());

/** Everything that a turn of this Bellhop has started and that still runs, wherever it went. */
function remains(): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid)) return [];
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const isOurs = variables.includes(`BELLHOP_HOME=${stage.bellhop.home}`);
      const isTurn = variables.some((one) => one.startsWith("BELLHOP_TURN="));
      return isOurs && isTurn ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}

const untilNobodyIsLeft = () =>
  until(
    () => remains().length === 0,
    () => `the end of ${remains().join(", ")}`,
  );

const send = (to: string) => stage.bellhop.ask("send", { to, body: "work", claims });

/** Ignores what asks it to end, and puts a child out of its group, into a session of its own. */
const STUBBORN = `cat >/dev/null
trap '' TERM INT HUP
setsid sh -c 'trap "" TERM INT HUP; echo outside >>"$0"; while :; do sleep 1; done' "$LOG" &
(while :; do sleep 1; done) &
echo inside >>"$LOG"
while :; do sleep 1; done`;
const bothRun = () => ["inside", "outside"].every((line) => stage.lines().includes(line));

describe("a turn that does not want to end", () => {
  it("is gone after its deadline, with all that it started, and its sender is told", async () => {
    stage = await TurnsStage.open({ agents: ["coder"], script: STUBBORN, turns: "deadline: 2" });
    const { messageId } = await send("coder");
    await until(bothRun, "both");
    const failed = async () => (await stage.turns()).turns.some(({ state }) => state === "failed");
    await until(failed, "the end of the turn");
    await untilNobodyIsLeft();
    const { deliveries } = await stage.bellhop.ask("show", { id: messageId });
    expect(deliveries[0]?.state).toBe("failed");
    const told = await stage.came(`person/${claims.user}`);
    expect(told).toEqual([expect.stringMatching(/its turn failed: "it took longer than 2 s"/u)]);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("is gone after %s of the daemon", async (signal) => {
    stage = await TurnsStage.open({ agents: ["coder"], script: STUBBORN });
    await send("coder");
    await until(bothRun, "both");
    await stage.bellhop.stop(signal);
    await untilNobodyIsLeft();
  });
});

describe("the switch", () => {
  const WAITING =
    'cat >/dev/null; echo "$BELLHOP_AGENT" >>"$LOG"; while [ -e gate ]; do sleep 0.05; done; echo done';

  it("ends what runs, survives restarts, and lets everything go on when it is turned back", async () => {
    stage = await TurnsStage.open({ agents: ["coder", "tester"], script: WAITING });
    const { bellhop } = stage;
    stage.shut("gate");
    const ids = [(await send("coder")).messageId, (await send("tester")).messageId];
    await until(() => stage.lines().length === 2, "two turns");
    const { stdout } = await bellhop.run(["turns", "stop"]);
    expect(stdout).toBe("No automatic turn starts; 2 were stopped\n");
    await untilNobodyIsLeft();
    await until(async () => (await stage.running()) === 0, "the end of both turns");
    expect((await stage.turns()).turns.map(({ state }) => state)).toEqual(["stopped", "stopped"]);

    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      await stage.restart(signal);
      ids.push((await send("coder")).messageId);
      await until(async () => {
        const { waiting } = await stage.turns();
        return (
          waiting.length === 2 && waiting.every(({ release }) => release.includes("bellhop turns start"))
        );
      }, "what waits for the switch");
      expect((await bellhop.run(["turns"])).stdout).toMatch(/^No turn starts since /u);
      // Nothing is asked of a program meanwhile, not even by hand.
      expect((await bellhop.run(["queue", "now", ids.at(-1) ?? ""])).code).toBe(0);
    }
    expect(stage.lines()).toHaveLength(2);
    expect(remains()).toEqual([]);

    stage.open("gate");
    await bellhop.run(["turns", "start"]);
    for (const id of ids) {
      const isRead = async () => {
        const [delivery] = (await bellhop.ask("show", { id })).deliveries;
        return delivery !== undefined && ["read", "replied"].includes(delivery.state);
      };
      await until(isRead, `a turn about ${id}`);
    }
    const { deliveries } = await bellhop.ask("show", { id: ids[0] ?? "" });
    expect(deliveries[0]?.possibleDuplicate).toBe(true);
  });
});
