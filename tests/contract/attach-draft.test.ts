/** Two people at one agent, with everything real: neither submits the other's draft without being asked. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AttachedPerson, sitDown } from "../rig/attached-person.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";

const PREFIX = "\x1c";

let bellhop: Bellhop;
const people: AttachedPerson[] = [];

beforeEach(async () => {
  bellhop = new Bellhop({ config: SCRIPTED_PROFILE });
  await bellhop.start();
});

afterEach(async () => {
  for (const person of people.splice(0)) person.close();
  await bellhop.dispose();
});

it("asks before a text of the bar is joined to another person's draft", async () => {
  const agent = await startHostedAgent(bellhop, "coder");
  const [first, second] = [sitDown(bellhop, "coder"), sitDown(bellhop, "coder")];
  people.push(first, second);
  await second.sees("coder idle");
  await first.sees("2 viewers");
  first.type(`${PREFIX}p`);
  await first.sees("keyboard: you");
  first.type("delete the");
  await second.sees("> delete the");
  first.type(`${PREFIX}p`);
  await until(
    () => !second.text().includes("keyboard:"),
    () => second.text(),
  );
  await second.sees("draft in its line");
  second.type("tests\r");
  await second.sees("A draft is there");
  expect(agent.prompts()).toEqual([]);
  second.type("\r");
  await until(
    () => agent.prompts().length > 0,
    () => second.text(),
  );
  expect(agent.prompts()).toEqual(["delete thetests"]);
});
