/** Two Claude Codes with their default permissions, each on a host of its own and with a model of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startClaude } from "../rig/claude.ts";
import { ClusterDay } from "../rig/cluster-day.ts";
import { type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { ProgramDesk } from "./program-desk.ts";

beforeAll(assertInNamespace);

const DELIVERY = "delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }";

/** What a host of the day has for one Claude Code. */
class HostDesk extends ProgramDesk {
  static async at(day: ClusterDay, host: string): Promise<HostDesk> {
    const { tmux, bellhop } = day.host(host);
    return new HostDesk(
      { tmux, bellhop, model: await startFakeModel(), client: await bellhop.client() },
      "tmux",
    );
  }

  seat(name: string): Promise<RunningAgent> {
    return this.seatProgram(name, { start: startClaude, hooks: "claude" });
  }
}

describe("Claude Code on two hosts", () => {
  let day: ClusterDay;
  let laptop: HostDesk;
  let desk: HostDesk;
  let writer: RunningAgent;
  let reader: RunningAgent;
  let person: Typist;

  beforeAll(async () => {
    day = await ClusterDay.begin({
      hosts: ["laptop", "desk"],
      nodes: 1,
      rights: ["send", "urgent"],
      config: DELIVERY,
    });
    laptop = await HostDesk.at(day, "laptop");
    desk = await HostDesk.at(day, "desk");
    writer = await laptop.seat("writer");
    reader = await desk.seat("reader");
    person = await desk.typist(reader);
    await day.untilKnown("writer", "laptop");
    await day.untilKnown("reader", "desk");
  });
  beforeEach(async () => {
    await laptop.untilIdle(writer);
    await desk.untilIdle(reader);
  });
  afterAll(async () => {
    await person?.close();
    await Promise.all([laptop?.model.close(), desk?.model.close()]);
    await day?.end();
  });

  const isRead = (at: HostDesk, words: string): Promise<ModelRequest> =>
    at.reads(({ newPrompts }) => newPrompts.some((text) => text.includes(words)));
  /** How often its model was given these words as something new. */
  const copies = (at: HostDesk, words: string): number =>
    at.readings().filter((text) => text.includes(words)).length;
  const shortIdIn = ({ userText }: ModelRequest): string => /#(\w{6})\]/u.exec(userText)?.[1] ?? "";

  it("one writes, the other replies: each reads it once, and sees where it comes from", async () => {
    const asks = laptop.model.on(
      ({ kind, userText }) => kind === "main" && userText.includes("Ask for the port."),
      { call: { shell: 'bellhop send desk:reader "Which port is it?" --json' } },
    );
    const answers = desk.model.on(
      ({ kind, userText }) => kind === "main" && userText.includes("Which port is it?"),
      (request) => ({ call: { shell: `bellhop reply ${shortIdIn(request)} "It is 2355."` } }),
    );
    await day.send("laptop", "writer", "Ask for the port.");
    const asked = await laptop.reads(
      ({ kind, toolResults }) => kind === "tool_result" && toolResults.join().includes("messageId"),
    );
    const { messageId } = JSON.parse(asked.toolResults.join()) as { messageId: string };
    const question = await isRead(desk, "Which port is it?");
    expect(question.userText).toMatch(/\[message from: laptop:writer .*#\w{6}\]/u);
    const answer = await isRead(laptop, "It is 2355.");
    expect(answer.userText).toMatch(/\[message from: desk:reader .*#\w{6}\]/u);
    asks();
    answers();
    for (const host of ["laptop", "desk"]) {
      const { message, deliveries } = await day.reaches(host, messageId, "replied");
      expect(message).toMatchObject({ source: "agent" });
      expect(deliveries).toMatchObject([{ evidence: "submitted" }]);
    }
    const { entries } = await laptop.client.call("history", { who: "writer", limit: 10 });
    const answered = entries.find(({ message }) => message.replyTo === messageId)?.message;
    // To the session that asked, as at home.
    expect(answered).toMatchObject({ from: "agent/reader@desk", to: expect.stringMatching(/^session\//u) });
    await day.reaches("desk", answered?.id ?? "", "read");
    await desk.untilIdle(reader);
    await laptop.untilIdle(writer);
    expect([copies(desk, "Which port is it?"), copies(laptop, "It is 2355.")]).toEqual([1, 1]);
  });

  it("lies in the inbox of one that works on the other host, and stops nothing", async () => {
    const turn = await desk.say(person, reader, "a short story [[busy]]");
    const id = await day.send("laptop", "desk:reader", "When you have time.");
    const { deliveries } = await day.reaches("laptop", id, "delivered");
    expect(deliveries).toMatchObject([{ evidence: "queued-in-agent" }]);
    expect(copies(desk, "When you have time.")).toBe(0);
    turn.finish();
    await day.reaches("laptop", id, "read");
    expect(turn.aborted).toBe(false);
    expect(copies(desk, "When you have time.")).toBe(1);
  });

  it("stops a turn on the other host for an urgent message", async () => {
    const turn = await desk.say(person, reader, "a long story [[busy]]");
    await desk.shows(reader, "word3");
    const id = await day.send("laptop", "desk:reader", "Stop and look.", ["--urgent"]);
    await isRead(desk, "Stop and look.");
    expect(turn.aborted).toBe(true);
    await day.reaches("laptop", id, "read");
    expect((await day.show("desk", id)).deliveries).toMatchObject([{ interrupted: true }]);
    expect(copies(desk, "Stop and look.")).toBe(1);
  });

  it("leaves a draft on the other host where it is", async () => {
    const draft = "not sent yet";
    await person.type(draft);
    await desk.shows(reader, draft);
    const id = await day.send("laptop", "desk:reader", "Past the draft.", ["--from", "writer"]);
    await isRead(desk, "Past the draft.");
    await day.reaches("laptop", id, "read");
    await desk.untilIdle(reader);
    await desk.shows(reader, (screen) => /^❯\u00a0(.*)$/mu.exec(screen)?.[1]?.trimEnd() === draft);
    expect(copies(desk, "Past the draft.")).toBe(1);
    await desk.submits(person, draft);
    await Promise.all([laptop.allAlive(), desk.allAlive()]);
  });
});
