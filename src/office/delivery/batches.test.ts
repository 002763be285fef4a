import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";

const URGENT = { priority: "interrupt" } as const;
const LONG = `${"a long thought; ".repeat(25)}end`;

/** Paused while they come in, so that all are there before the first is chosen. */
async function atOnce(desk: Desk, requests: readonly (readonly [string, Partial<SendRequest>])[]) {
  await desk.use.pause({ who: "coder", paused: true });
  const sent: SendResponse[] = [];
  for (const [body, more] of requests) sent.push(await desk.send("coder", body, more));
  return sent;
}

describe("several short messages", () => {
  it("go in as one prompt, word for word, and are each proven by it", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    const sent = await atOnce(desk, [
      ["one", {}],
      ["two", {}],
    ]);
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(5_000);
    const [one, two] = sent.map(({ shortId }) => shortId);
    expect(coder.program.submitted).toEqual([
      `[2 messages] (1) from dev #${one}: one (2) from dev #${two}: two`,
    ]);
    for (const each of sent)
      expect(desk.delivery(each)).toMatchObject({ state: "delivered", evidence: "submitted" });
    await desk.turnEnds(coder);
    expect(sent.map((each) => desk.state(each))).toEqual(["read", "read"]);
  });

  it("are proven by a screen that shows all of them", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    const sent = await atOnce(desk, [
      ["one", {}],
      ["two", {}],
    ]);
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(15_000);
    expect(coder.program.submitted).toHaveLength(1);
    for (const each of sent)
      expect(desk.delivery(each)).toMatchObject({ state: "delivered", evidence: "screen" });
  });
});

describe("an urgent text", () => {
  it("is never behind a file with others: what needs one goes after it", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ composer: "hidden" });
    const [urgent, second] = await Promise.all([
      desk.send("coder", "stop it", URGENT),
      desk.send("coder", "really", URGENT),
    ]);
    const normal = await desk.send("coder", LONG);
    coder.program.becomes({ composer: "shown" });
    await desk.advance(60_000);
    const [first] = coder.program.submitted;
    expect(first).toContain(`#${urgent?.shortId}: stop it`);
    expect(first).toContain(`#${second?.shortId}: really`);
    expect(first).not.toContain("Read /");
    const after = coder.program.submitted.slice(1).join("\n");
    expect(after).toContain(`#${normal.shortId}] Read /`);
    expect([urgent, second, normal].map((each) => desk.delivery(each as SendResponse).attempts)).toEqual([
      1, 1, 1,
    ]);
  });

  it("of many words has a file of its own, and nobody else's text in it", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ composer: "hidden" });
    const urgent = await desk.send("coder", LONG, URGENT);
    await desk.send("coder", "some other time");
    coder.program.becomes({ composer: "shown" });
    await desk.advance(60_000);
    const file = /^\[message from: dev #(\w{6})\] Read (\/\S+)$/u.exec(coder.program.submitted[0] ?? "");
    expect(file?.[1]).toBe(urgent.shortId);
    expect(readFileSync(file?.[2] ?? "", "utf8").trim()).toBe(LONG);
  });
});
