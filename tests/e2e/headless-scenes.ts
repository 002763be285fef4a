/** What an agent that takes turns by itself goes through, whichever program it runs. */
import { expect } from "vitest";
import type { ModelRequest } from "../rig/fake-model.ts";
import type { ToolCall } from "../rig/model-plan.ts";
import { courseOf } from "./codex-desk.ts";
import { type HeadlessDay, PERSON, type Sent } from "./headless-day.ts";

/** `picky` asks the small model first, which says NO, then YES. */
export async function smallModelDecides(day: HeadlessDay): Promise<void> {
  day.judges("plant", { say: "NO\nNobody asks anything." });
  const idle = await day.send("picky", "The plants are green. [[say NEVER]]");
  expect(await day.turnAbout("picky", idle)).toMatchObject({
    state: "declined",
    verdict: "no",
    because: "Nobody asks anything.",
  });
  expect(await day.delivery(idle)).toMatchObject({
    state: "delivered",
    transport: "headless",
    evidence: "accepted",
  });
  expect((await day.bellhop.run(["show", idle.shortId])).stdout).toContain("no turn: Nobody asks anything.");
  expect(day.requestsOf("picky")).toEqual([]);
  // It reads what strangers wrote: it can do nothing, also where its user has tools of their own.
  expect(day.triages().flatMap(({ offeredTools }) => offeredTools)).not.toContainEqual(
    expect.stringMatching(/mcp__|shell|exec|bash|search|image|agent/iu),
  );
  expect(await day.answersTo(idle)).toEqual([]);

  const asked = await day.send("picky", "Remember the plum. [[say NOTED]]");
  const turn = await day.turnAbout("picky", asked);
  expect(turn).toMatchObject({
    state: "done",
    verdict: "yes",
    because: "Somebody asks.",
    answer: "NOTED",
    tokensIn: 10,
    tokensOut: 5,
  });
  const delivery = await day.delivery(asked);
  expect(delivery).toMatchObject({ state: "replied", transport: "headless", evidence: "submitted" });
  expect(courseOf(delivery)).toEqual(["queued", "delivering", "delivered", "read", "replied"]);
  expect(await day.answersTo(asked)).toMatchObject([
    { from: "agent/picky", to: PERSON, source: "agent", body: "NOTED" },
  ]);
}

/** `picky` again: nobody can say whether it is worth a turn. */
export async function smallModelFails(day: HeadlessDay): Promise<void> {
  day.judges("peach", { say: "Perhaps." });
  day.judges("pear", { errorStatus: 400 });
  const nonsense = await day.send("picky", "A peach? [[say PEACH]]");
  expect(await day.turnAbout("picky", nonsense)).toMatchObject({
    state: "done",
    verdict: "yes",
    because: "triage failed: its answer was neither YES nor NO",
    answer: "PEACH",
  });
  const failing = await day.send("picky", "A pear? [[say PEAR]]");
  const turn = await day.turnAbout("picky", failing);
  expect(turn).toMatchObject({ state: "done", answer: "PEAR" });
  expect(turn.because).toMatch(/^triage failed: .*scripted error/u);
  const said = await day.saidUntil(failing);
  expect(said).toMatch(/Remember the plum\..*NOTED.*A peach\?.*PEACH.*A pear\?/su);
  expect(said).not.toContain("plants are green");
}

/** `steady` waits for an hour, or until there are enough. */
export async function manyBecomeTwo(day: HeadlessDay, count: number, most: number): Promise<void> {
  const sent: Sent[] = [];
  for (let number = 1; number <= count; number++) sent.push(await day.send("steady", `item ${number}!`));
  const [first, last] = [sent[0], sent.at(-1)] as [Sent, Sent];
  const full = await day.turnAbout("steady", first);
  expect(full.messages.map(({ shortId }) => shortId)).toEqual(
    sent.slice(0, most).map(({ shortId }) => shortId),
  );
  expect((await day.turns("steady")).waiting).toMatchObject([{ agent: "steady", messages: count - most }]);
  // The rest would wait for an hour.
  await day.bellhop.json(["agent", "auto-run", "steady", "on", "--set", "debounce_ms=0"]);
  await day.turnAbout("steady", last);

  const { turns } = await day.turns("steady");
  expect(turns.map(({ messages }) => messages.length)).toEqual([count - most, most]);
  const prompts = day.requestsOf("steady").flatMap(({ newPrompts }) => newPrompts);
  const read = prompts.map((prompt) =>
    [...prompt.matchAll(/item (\d+)!/gu)].map(([, number]) => Number(number)),
  );
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  expect(read.filter((some) => some.length > 0)).toEqual([numbers.slice(0, most), numbers.slice(most)]);
  const states = await Promise.all(sent.map(async (one) => (await day.delivery(one)).state));
  expect(states).toEqual(numbers.map((number) => (number === most || number === count ? "replied" : "read")));
  await day.neverTwoAtOnce("steady");
}

/** `busy` may run commands. `doing`: how its program calls the one that it runs. */
export async function theNextWaits(day: HeadlessDay, doing: string): Promise<void> {
  day.does("Take your time.", { call: { shell: "touch here" } });
  const release = day.model.on(({ kind }) => kind === "tool_result", {
    untilFinished: true,
    say: "FINISHED",
  });
  const slow = await day.send("busy", "Take your time.");
  const running = await day.turnWith("busy", slow, (turn) => turn.doing === doing);
  const isHeld = ({ kind }: ModelRequest) => kind === "tool_result";
  const request = await day.model.waitForRequest(
    (one) => isHeld(one) && day.requestsOf("busy").includes(one),
  );
  const later = [await day.send("busy", "And then this."), await day.send("busy", "And that.")] as const;
  const shown = (await day.bellhop.run(["turns"])).stdout;
  expect(shown).toMatch(new RegExp(`^${running.id} +busy +${running.sessionId} +running `, "mu"));
  expect(shown).toContain(doing);
  expect(shown).toMatch(/^busy: 2 messages wait; /mu);
  expect((await day.bellhop.run(["turn", "show", running.id])).stdout).toContain(doing);
  expect((await day.bellhop.run(["peek", "busy"])).stdout).toContain(doing);
  release();
  request.finish();
  expect(await day.turnAbout("busy", slow)).toMatchObject({
    state: "done",
    answer: expect.stringMatching(/FINISHED$/u),
  });
  const next = await day.turnAbout("busy", later[1]);
  expect(next.messages.map(({ shortId }) => shortId)).toEqual(later.map(({ shortId }) => shortId));
  await day.neverTwoAtOnce("busy");
}

/** `alice` asks `bob` with this call. */
export async function peersAnswer(day: HeadlessDay, call: ToolCall, things: string): Promise<void> {
  day.does(`Ask bob about ${things}.`, { call });
  day.does(`How many ${things}`, { say: `There are four ${things}.` });
  day.does(`There are four ${things}.`, { say: `Thank you for the ${things}.` });
  day.judges(`Thank you for the ${things}.`, { say: "NO\nIt is only thanks." });
  const asked = await day.send("alice", `Ask bob about ${things}.`);
  const first = await day.turnAbout("alice", asked);
  expect(first).toMatchObject({ state: "done", answer: "TOOL DONE" });
  const question = await day.message("bob", `How many ${things}`);
  expect(question).toMatchObject({ from: "agent/alice", to: "agent/bob", source: "agent" });
  expect(await day.promptAbout(question)).toContain(`message from: alice (${first.sessionId})`);
  const answer = await day.message("alice", `There are four ${things}.`);
  expect(answer).toMatchObject({ from: "agent/bob", to: "agent/alice", replyTo: question.id });
  expect(await day.turnAbout("alice", answer)).toMatchObject({ sessionId: first.sessionId, state: "done" });
  expect(await day.saidUntil(answer)).toContain(`Ask bob about ${things}.`);
  const thanks = await day.message("bob", `Thank you for the ${things}.`);
  expect(await day.turnAbout("bob", thanks)).toMatchObject({ state: "declined" });
  expect((await day.delivery(question)).state).toBe("replied");
}

/** The two ways in which she can. */
export const CALLS = [
  ["its command line", { shell: 'bellhop send bob "How many lights are there?"' }, "lights"],
  [
    "its tool",
    { tool: "mcp__bellhop__send_message", input: { to: "bob", text: "How many doors are there?" } },
    "doors",
  ],
] as const;
