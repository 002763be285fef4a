/** The hook rung with a real program: one list for all programs whose hooks carry text, in tmux and hosted. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { HOOK_ANSWER_STEPS } from "../crash/hook-answer-steps.ts";
import { PLACES, type PlaceKind } from "../rig/agent-terminal.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { courseOf, PATIENCE_MS, PERSON, type ProgramDesk, WHOLE_COURSE } from "./program-desk.ts";
import { type Outcome, type Proven, proves } from "./proving.ts";

export interface HookedSeat {
  readonly program: "claude" | "codex" | "gemini";
  readonly title: string;
  /** A request to the model that makes the program ask before it runs `touch FILE`. */
  asksToTouch(file: string): string;
  showsDialog(screen: string): boolean;
  /** The person's key that allows it, once. */
  readonly yes: string;
  open(config: string, where: PlaceKind): Promise<ProgramDesk>;
  seat(desk: ProgramDesk, name: string): Promise<RunningAgent>;
  /** Its prompt hook reports a text at the end of a turn; otherwise only its session file shows it. */
  readonly reports?: true;
  /** How many answers in a row the program takes at the ends of turns. */
  readonly inARow: number;
}

type Sent = Pick<SendResponse, "messageId" | "shortId">;

/** A turn that runs until the test lets it go on, then runs a command, and then runs until it is let go on again. */
const WORKS = "[[busy]]";
const RUNS = "[[busy]] [[bash echo hi]]";

export function describeHookRung(how: HookedSeat): void {
  beforeAll(assertInNamespace);
  const evidence = how.reports === true ? expect.stringMatching(/^(?:transcript|submitted)$/u) : "transcript";
  const PROVEN = { transport: "hook", evidence, attempts: 1 };

  describe.each(PLACES)(`${how.title} by its hooks, in %s`, (where) => {
    let desk: ProgramDesk;
    let coder: RunningAgent;
    let typist: Typist;
    let reviewerId: string;

    beforeAll(async () => {
      desk = await how.open(`transports: { ${how.program}: [hook, paste] }`, where);
      reviewerId = (await desk.seatScripted("reviewer")).id;
      coder = await how.seat(desk, "coder");
      typist = await desk.typist(coder);
      // Its hooks are known from the first prompt on.
      (await desk.say(typist, coder, "hello [[busy]]")).finish();
    });
    beforeEach(() => desk.untilIdle(coder));
    afterEach(() => desk.allAlive());
    afterAll(() => desk?.close());

    const say = (prompt: string) => desk.say(typist, coder, prompt);
    let jobs = 0;
    /** Each prompt is another one: the model is asked for the first request that carries it. */
    const job = (plan: string) => {
      jobs += 1;
      return say(`job ${jobs} ${plan}`);
    };
    const sendAsReviewer = (body: string, more: Partial<SendRequest> = {}) =>
      desk.send("coder", body, { claims: { user: PERSON, session: reviewerId }, ...more });
    const proven = (scene: Proven["scene"], outcome: Outcome): Proven => ({
      ...{ program: how.program, terminal: where, scene, rung: "hook", outcome },
    });
    const textOf = ({ body }: ModelRequest) => JSON.stringify(body);
    /** In the conversation as the model last got it. */
    const copiesIn = (request: ModelRequest, shortId: string) =>
      textOf(request).split(`#${shortId}]`).length - 1;
    const arrives = (shortId: string) =>
      desk.model.waitForRequest((request) => textOf(request).includes(`#${shortId}]`), {
        timeoutMs: PATIENCE_MS,
      });

    it("hands over a normal message with the result of a tool, in the middle of a turn", async (context) => {
      const turn = await job(RUNS);
      const sent = await sendAsReviewer("with the tool's result");
      await desk.isHeld(sent, "busy");
      turn.finish();
      const request = await arrives(sent.shortId);
      expect(request.toolResults.join()).toContain("hi");
      expect(textOf(request)).toContain(`with the tool's result`);
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject(PROVEN);
      expect(courseOf(read)).toEqual(WHOLE_COURSE);
      proves(context, proven("busy", "with the tool's result"));
    });

    it("hands over a normal and an idle message when the turn ends", async (context) => {
      const turn = await job(WORKS);
      const normal = await sendAsReviewer("when the turn ends");
      const idle = await sendAsReviewer("when it is idle", { priority: "idle" });
      await desk.isHeld(normal, "busy");
      await desk.isHeld(idle, "busy");
      turn.finish();
      const request = await arrives(idle.shortId);
      expect(copiesIn(request, normal.shortId)).toBe(1);
      for (const sent of [normal, idle]) expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      proves(context, proven("busy", "at the end of the turn"));
    });

    it("hands over ten, one at the end of each turn, and each arrives once", async (context) => {
      // Every turn runs until the test lets it end, so that the next message finds it busy.
      let turn = await job(WORKS);
      const release = desk.model.on(({ kind }) => kind === "main", { untilFinished: true });
      const all: Sent[] = [];
      const ways: (string | undefined)[] = [];
      for (let number = 1; number <= 10; number += 1) {
        const sent = await sendAsReviewer(`number ${number}`);
        all.push(sent);
        await desk.isHeld(sent, "busy");
        turn.finish();
        turn = await arrives(sent.shortId);
        ways.push((await desk.reaches(sent, "delivered")).transport);
      }
      release();
      turn.finish();
      for (const sent of all) {
        const read = await desk.reaches(sent, "read");
        expect(read.attempts).toBe(1);
        expect(copiesIn(turn, sent.shortId)).toBe(1);
      }
      const most = Math.min(10, how.inARow);
      expect(ways.slice(0, most)).toEqual(Array(most).fill("hook"));
      // The program would not go on once more; keys are typed when it is idle, and then its hooks are free again.
      expect(ways.slice(most)).toEqual(["paste", "hook", "hook"].slice(0, 10 - most));
      proves(context, proven("ten at once", "each once"));
    });

    it("leaves a draft where it is", async (context) => {
      const turn = await job(WORKS);
      const draft = "私の下書き stays here 🙂";
      await typist.type(draft);
      await desk.shows(coder, "stays here");
      const sent = await sendAsReviewer("past the draft");
      turn.finish();
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      await desk.untilIdle(coder);
      await desk.submits(typist, draft);
      proves(context, proven("draft", "not touched"));
    });

    it("types what a person says, and hands over what an agent says", async () => {
      const turn = await job(WORKS);
      const person = await desk.send("coder", "in my own words");
      const agent = await sendAsReviewer("in an agent's words");
      await desk.isHeld(person, "busy");
      turn.finish();
      expect(await desk.reaches(agent, "read")).toMatchObject(PROVEN);
      expect(await desk.reaches(person, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
    });

    it("puts a long text into a file, and names it", async () => {
      const turn = await job(WORKS);
      const body = `long ${"四つ word ".repeat(3_000)}end`;
      const sent = await sendAsReviewer(body);
      await desk.isHeld(sent, "busy");
      turn.finish();
      const request = await arrives(sent.shortId);
      const file = /#\w{6}\] Read (\/[^\s"\\]+)/u.exec(textOf(request))?.[1] ?? "";
      expect(readFileSync(file, "utf8")).toContain(body);
      expect(await desk.reaches(sent, "delivered")).toMatchObject(PROVEN);
    });

    it("waits while a dialog asks the person, and goes with the tool's result", async (context) => {
      await say(how.asksToTouch(`allowed-${where}`));
      await desk.shows(coder, how.showsDialog);
      const sent = await sendAsReviewer("1");
      await desk.isHeld(sent, "blocked");
      expect(how.showsDialog(await coder.terminal.screen())).toBe(true);
      // A key that comes while the dialog is first drawn is ignored; this one is for the same dialog only.
      for (let presses = 0; presses < 5 && how.showsDialog(await coder.terminal.screen()); presses += 1) {
        typist.press(how.yes);
        await coder.terminal
          .waitForScreen((screen) => !how.showsDialog(screen), { timeoutMs: 2_000 })
          .catch(() => "still open");
      }
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect(existsSync(join(coder.repo, `allowed-${where}`))).toBe(true);
      proves(context, proven("dialog", "never answered"));
    });

    it("lets an urgent message stop the turn, and the others follow once", async (context) => {
      const turn = await job(WORKS);
      await desk.shows(coder, "word3");
      const normal = await sendAsReviewer("not urgent");
      await desk.isHeld(normal, "busy");
      const urgent = await sendAsReviewer("stop and look", { priority: "interrupt" });
      const arrived = await desk.reaches(urgent, "read");
      expect(turn.aborted).toBe(true);
      expect(arrived).toMatchObject({ transport: "paste", attempts: 1 });
      expect(await desk.reaches(normal, "read")).toMatchObject({ attempts: 1 });
      proves(context, proven("urgent", "goes by keys"));
    });

    it("hands over nothing while the queue is paused", async () => {
      const turn = await job(WORKS);
      await desk.client.call("pause", { who: "coder", paused: true });
      const sent = await sendAsReviewer("when it goes on");
      await desk.isHeld(sent, "paused");
      turn.finish();
      await desk.untilIdle(coder);
      expect((await desk.delivery(sent)).state).toBe("queued");
      await desk.client.call("pause", { who: "coder", paused: false });
      expect(await desk.reaches(sent, "read")).toMatchObject({ transport: "paste", attempts: 1 });
    });

    it.each([...HOOK_ANSWER_STEPS, "deliver.proven"])(
      "loses nothing if the daemon is killed at %s, and doubles nothing silently",
      async (step) => {
        await desk.restart({ BELLHOP_TEST_CRASH_AT: step });
        const turn = await job(WORKS);
        const sent = await sendAsReviewer(`through ${step}`);
        await desk.isHeld(sent, "busy");
        turn.finish();
        await desk.comesBackAfterCrash(step);
        const read = await desk.reaches(sent, "read");
        const copies = Math.max(0, ...desk.model.requests.map((request) => copiesIn(request, sent.shortId)));
        const marked = desk.model.requests.some((request) =>
          textOf(request).includes("(possible duplicate)"),
        );
        expect(copies).toBeGreaterThanOrEqual(1);
        if (copies > 1) expect(marked).toBe(true);
        expect(read.state).toBe("read");
      },
    );
  });
}
