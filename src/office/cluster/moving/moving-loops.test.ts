import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;
const ANSWERS = 5;
/** By what the host says to which they come, all in one moment. */
const LENIENT = { hops: 50, perMinute: 100, sameBody: 100 };

type Agent = ReturnType<HostDesk["agent"]>;

/** `coder` of `a` hears `team/*`. It asked this agent for something again and again, which is answered when `coder` has ended. */
async function answeredLate(from: "a" | "c") {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const coder = a.agent("coder");
  const desk = from === "a" ? a : c;
  const alice = desk.agent("alice");
  await cluster.ready(["send", "hear", "move"]);
  for (const other of desks) if (other !== desk) other.settings = { ...other.settings, loops: LENIENT };
  await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
  const tasks = await asked(desk, alice, a, coder);
  a.ends(coder);
  await cluster.advance(5_000);
  await a.done(a.use.ls({}));
  for (const re of tasks) {
    await desk.sendAs(alice, "team/news", "done", { re });
    await cluster.advance(600_000);
  }
  return { cluster, a, b, desk };
}

async function asked(desk: HostDesk, alice: Agent, a: HostDesk, coder: Agent): Promise<readonly string[]> {
  const tasks: string[] = [];
  for (let n = 0; n < ANSWERS; n += 1) {
    const report = await desk.sendAs(alice, "a:coder", `report ${n}`);
    await desk.advance(10_000);
    const re = a.byBody(`report ${n}`)[0]?.messageId ?? report.messageId;
    const task = await a.sendAs(coder, `${desk.host}:alice`, `task ${n}`, { re });
    tasks.push(task.messageId);
    await desk.advance(70_000);
  }
  return tasks;
}

describe("answers that waited for an agent that moves", () => {
  it.each(["a", "c"] as const)("are no loop when all of them follow at once, from %s", async (from) => {
    const { cluster, a, b, desk } = await answeredLate(from);
    await a.done(a.use.agent_move({ name: "coder", host: "b" }));
    await cluster.advance(10_000);
    expect((await desk.use.unmatched({})).messages).toEqual([]);
    const { entries } = await b.done(b.use.inbox({ who: "coder", claims }));
    const answers = entries.filter(({ message }) => message.body === "done");
    expect(answers).toHaveLength(ANSWERS);
    expect(desk.store.read.message(answers[0]?.message.id ?? "")?.hops).toBeGreaterThanOrEqual(2);
  });
});
