/** Agents that would answer each other for ever, without anybody watching: the daemon as it is built stops them. */
import { userInfo } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { claims, TurnsStage } from "./turns-stage.ts";

const HOPS = 6;
const OWNER = `person/${userInfo().username}`;
const LIMITS = "turns_per_hour: 1000, turns_per_day: 1000";

/** Each turn says something new. */
const ANSWERS = 'cat >/dev/null; echo "$BELLHOP_AGENT" >>"$LOG"; echo "$BELLHOP_AGENT says $BELLHOP_TURN"';
const sends = (next: string) => `cat >/dev/null
echo "$BELLHOP_AGENT" >>"$LOG"
case "$BELLHOP_AGENT" in ${next} esac
bellhop send "$next" "$BELLHOP_AGENT says $BELLHOP_TURN" >/dev/null`;

let stage: TurnsStage;
afterEach(() => stage.close());

async function stoppedAndReported(): Promise<void> {
  const isShown = async () => {
    const { attention } = await stage.bellhop.ask("attention", {});
    return attention.some(({ kind }) => kind === "loop");
  };
  await until(isShown, "a loop among what needs the person");
  const isTold = async () => (await stage.came(OWNER)).some((text) => text.includes("a loop: "));
  await until(isTold, "word to the owner");
  await stage.settled();
}

describe.each<[string, readonly string[], string]>([
  ["whose turns answer each other", ["ping", "pong"], ANSWERS],
  ["that write to each other in their turns", ["ping", "pong"], sends("ping) next=pong;; pong) next=ping;;")],
  [
    "that write to each other in a ring",
    ["ping", "pong", "pang"],
    sends("ping) next=pong;; pong) next=pang;; pang) next=ping;;"),
  ],
])("agents %s", (_, agents, script) => {
  it("are stopped after as many answers as may be, and the owner is told", async () => {
    stage = await TurnsStage.open({ agents, script, turns: LIMITS, config: `loops: { hops: ${HOPS} }` });
    await stage.bellhop.ask("send", { to: "ping", body: "hello", from: "pong", claims });
    await stoppedAndReported();
    // The first message has no hops, and each turn adds one. Whose own message was stopped fails, and one more is told.
    expect(stage.lines().length).toBeGreaterThanOrEqual(HOPS + 1);
    expect(stage.lines().length).toBeLessThanOrEqual(HOPS + 2);
    const { messages } = await stage.bellhop.ask("unmatched", {});
    for (const { reason } of messages) expect(reason).toMatch(/^a loop: .* 6 times$/u);
  });
});

it("agents that say the same are stopped sooner, also if the daemon was killed meanwhile", async () => {
  const script = 'cat >/dev/null; echo "$BELLHOP_AGENT" >>"$LOG"; echo thanks';
  stage = await TurnsStage.open({ agents: ["ping", "pong"], script, turns: LIMITS });
  await stage.bellhop.ask("send", { to: "ping", body: "hello", from: "pong", claims });
  await until(() => stage.lines().length >= 2, "the first turns");
  await stage.restart("SIGKILL");
  await stoppedAndReported();
  expect(stage.lines().length).toBeLessThanOrEqual(16);
});
