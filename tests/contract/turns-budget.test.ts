/** Fifty agents, one broadcast after the other, and a daemon that keeps ending: nobody takes more turns than it may. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { claims, TurnsStage } from "./turns-stage.ts";

const AGENTS = Array.from({ length: 50 }, (_, number) => `agent-${number + 1}`);
const PER_HOUR = 2;
const AT_ONCE = 4;

/** Writes down who begins, and how many of all turns live at that moment. A gate keeps it running. */
const SCRIPT = `cat >/dev/null
mkdir -p running
echo $$ >"running/$BELLHOP_TURN"
crowd=0
for file in running/*; do
  read -r pid <"$file" && read -r _ _ state _ 2>/dev/null <"/proc/$pid/stat" && [ "$state" != Z ] && crowd=$((crowd + 1))
done
echo "$BELLHOP_AGENT $crowd" >>"$LOG"
while [ -e gate ]; do sleep 0.05; done
rm "running/$BELLHOP_TURN"
echo "done"`;

let stage: TurnsStage;
const sent: string[] = [];

beforeAll(async () => {
  stage = await TurnsStage.open({
    agents: AGENTS,
    script: SCRIPT,
    turns: `at_once: ${AT_ONCE}, budget: { turns_per_hour: ${PER_HOUR} }`,
  });
});
afterAll(() => stage.close());

async function broadcasts(body: string): Promise<void> {
  const { messageId, deliveries } = await stage.bellhop.ask("send", { to: "agent/**", body, claims });
  expect(deliveries).toHaveLength(AGENTS.length);
  sent.push(messageId);
}

/** By the script's own count. */
function begun(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of stage.lines()) {
    const agent = line.split(" ")[0] ?? "";
    counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return counts;
}

const mostAtOnce = () => Math.max(...stage.lines().map((line) => Number(line.split(" ")[1])));

function isKept(): void {
  expect(Math.max(...begun().values())).toBeLessThanOrEqual(PER_HOUR);
  expect(mostAtOnce()).toBeLessThanOrEqual(AT_ONCE);
}

/** As many as may run do so, and wait at the gate. */
async function fills(): Promise<void> {
  const before = stage.lines().length;
  stage.shut("gate");
  await broadcasts(`message ${sent.length + 1}`);
  await until(() => stage.lines().length >= before + AT_ONCE, "turns at the gate");
}

describe("a budget of two turns an hour for each of fifty agents", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)("is kept if %s ends some of their turns", async (signal) => {
    await fills();
    await stage.bellhop.stop(signal);
    stage.open("gate");
    await stage.bellhop.start();
    await stage.settled();
    isKept();
  });

  it("is kept if all of it is spent", async () => {
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      await broadcasts("once more");
      await stage.restart(signal);
      await stage.settled();
    }
    isKept();
  });

  it("is used up by everybody, and nothing is lost", async () => {
    expect(begun().size).toBe(AGENTS.length);
    const { budgets, waiting } = await stage.turns();
    expect(budgets.every(({ turnsThisHour }) => turnsThisHour === PER_HOUR)).toBe(true);
    const states = new Map<string, number>();
    for (const id of sent) {
      const { deliveries } = await stage.bellhop.ask("show", { id });
      expect(deliveries).toHaveLength(AGENTS.length);
      for (const { state, hold } of deliveries) {
        states.set(state, (states.get(state) ?? 0) + 1);
        if (state === "queued") expect(hold?.release).toContain("2 turns an hour is spent");
      }
    }
    expect([...states.keys()].toSorted()).toEqual(["queued", "replied"]);
    const held = waiting.reduce((sum, { messages }) => sum + messages, 0);
    expect(held).toBe(states.get("queued"));
  });

  it("is shown with what it holds, and one message goes beyond it if it is released", async () => {
    const { waiting } = await stage.turns();
    const agent = waiting[0]?.agent ?? "";
    const before = begun().get(agent) ?? 0;
    const shown = (await stage.bellhop.run(["turns", agent])).stdout;
    expect(shown).toMatch(/2 of 2 turns/u);
    expect(shown).toMatch(
      / waits?; its budget of 2 turns an hour is spent until .* UTC, or with bellhop queue now \S+/u,
    );
    const queue = (await stage.bellhop.run(["queue", agent])).stdout;
    const id = /bellhop queue now (\S+)/u.exec(queue)?.[1] ?? "";
    expect((await stage.bellhop.run(["queue", "now", id])).code).toBe(0);
    await until(async () => {
      const { deliveries } = await stage.bellhop.ask("show", { id });
      return deliveries.some(({ to, state }) => to === `agent/${agent}` && state === "replied");
    }, "its answer");
    expect(begun().get(agent)).toBe(before + 1);
    await stage.settled();
    expect(begun().get(agent)).toBe(before + 1);
  });
});
