/** A list of many: the system is asked where their programs stand while their terminals are listed. */
import { expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import type { Standing } from "../../core/readiness/standing.ts";

const MANY = 60;

/** Agents whose terminals tell when they drew last, which was long ago; and how often the system was asked for one. */
async function manyAgents() {
  const desk = await openDesk();
  const agents = Array.from({ length: MANY }, (_, index) => desk.agent(`agent-${index}`));
  for (const { sighting } of agents) Object.assign(sighting, { drawnAt: desk.clock.now() - 60_000 });
  await desk.ready();
  await listed(desk);
  return { desk, agents };
}

const listed = async (desk: Desk) => (await desk.done(desk.use.ls({}))).sessions;

function countAsked(agent: DeskAgent, told: () => Standing = () => "in-front"): () => number {
  let asked = 0;
  Object.defineProperty(agent, "standing", {
    get: () => {
      asked += 1;
      return told();
    },
  });
  return () => asked;
}

it("asks once for each whose screen cannot have changed", async () => {
  const { desk, agents } = await manyAgents();
  const asked = agents.map((agent) => countAsked(agent));
  expect((await listed(desk)).every(({ readiness }) => readiness === "idle")).toBe(true);
  expect(asked.map((count) => count())).toEqual(agents.map(() => 1));
});

it("shows who was suspended since the last list, although nothing was drawn", async () => {
  const { desk, agents } = await manyAgents();
  const [coder] = agents;
  if (coder !== undefined) coder.standing = "stopped";
  const held = (await listed(desk)).filter(({ hold }) => hold !== undefined);
  expect(held).toMatchObject([{ agent: "agent-0", readiness: "unknown", hold: { reason: "suspended" } }]);
});

it("asks again if the terminals took long to be listed: what was said before is too old", async () => {
  const { desk, agents } = await manyAgents();
  const [coder] = agents;
  if (coder === undefined) throw new Error("there is none");
  let standing: Standing = "in-front";
  const asked = countAsked(coder, () => standing);
  desk.listingTakesMs = 5_000;
  const listing = listed(desk);
  await desk.advance(1_000);
  expect(asked()).toBe(1);
  standing = "stopped";
  expect((await listing)[0]).toMatchObject({ agent: "agent-0", hold: { reason: "suspended" } });
});
