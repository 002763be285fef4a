import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendResponse, ShownDelivery } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { untilDraftIsBack } from "../rig/draft-back.ts";
import type { FakeModel, ModelRequest } from "../rig/fake-model.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";

type Sent = Pick<SendResponse, "messageId" | "shortId">;

/** One version of a program, "coder", with its hooks and a person at its keyboard. */
export interface VersionDesk {
  readonly model: FakeModel;
  readonly coder: RunningAgent;
  readonly typist: Typist;
  readonly person: string;
  readonly patienceMs: number;
  /** A request to the model that makes the program ask before it creates this file. */
  asksToTouch(file: string): string;
  showsDialog(screen: string): boolean;
  /** What the screen shows when an Escape was pressed where there was nothing to stop. */
  readonly tooManyEscapes: RegExp;
  send(body: string, more?: Partial<SendRequest>): Promise<Sent>;
  held(sent: Sent, reason: string): Promise<void>;
  reaches(sent: Sent, state: "delivered" | "read"): Promise<ShownDelivery>;
  arrives(sent: Sent): Promise<string>;
  drafts(): Promise<readonly unknown[]>;
  listed(): Promise<Pick<ListedSession, "unproven"> | undefined>;
  untilIdle(): Promise<void>;
  close(): Promise<void>;
}

const PROVEN = { transport: "paste", evidence: "submitted", attempts: 1 };

/** What every version must do, whatever it looks like: exactly these prompts reach the model. */
export function describeVersion(
  name: string,
  open: () => Promise<VersionDesk>,
  release: "proven" | "unproven" = "proven",
): void {
  describe(name, () => {
    let desk: VersionDesk;
    let before: number;

    beforeAll(async () => {
      desk = await open();
    });
    beforeEach(async () => {
      await desk.untilIdle();
      before = desk.model.prompts().length;
    });
    afterEach(async () => {
      expect(await desk.coder.terminal.program()).not.toBe("ended");
    });
    afterAll(() => desk?.close());

    const patience = () => ({ timeoutMs: desk.patienceMs });
    const screen = () => desk.coder.terminal.screen();
    const shows = (matches: (screen: string) => boolean) =>
      desk.coder.terminal.waitForScreen(matches, patience());
    const typed = async (text: string) => {
      await desk.typist.type(text);
      await shows((seen) => seen.includes(text.slice(-10)));
    };
    const say = async (prompt: string): Promise<ModelRequest> => {
      await typed(prompt);
      desk.typist.press("\r");
      return desk.model.waitForPrompt(prompt, patience());
    };
    const prompt = ({ shortId }: Sent, body: string) => `[message from: ${desk.person} #${shortId}] ${body}`;
    const promptsOfCase = () => desk.model.prompts().slice(before);
    /** It is in the composer again, complete: the person only has to press Enter. */
    const draftIsBack = async (draft: string) => {
      await untilDraftIsBack(() => desk.drafts(), desk.coder.terminal, desk.patienceMs);
      await desk.untilIdle();
      desk.typist.press("\r");
      await desk.model.waitForPrompt(draft, patience());
    };

    it(`is listed as ${release}`, async () => {
      expect((await desk.listed())?.unproven === undefined).toBe(release === "proven");
    });

    it("plain: takes a message as it is, once, and its hook proves it", async () => {
      const sent = await desk.send("The tests are green; 四つ 🙂.");
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect(promptsOfCase()).toEqual([prompt(sent, "The tests are green; 四つ 🙂.")]);
    });

    if (release === "unproven")
      it("draft: stays where it is, and the message waits for it", async () => {
        const draft = "my half-typed idea 四つ 🙂";
        await typed(draft);
        const sent = await desk.send("behind a draft");
        await desk.held(sent, "typing");
        expect(await screen()).toContain(draft);
        desk.typist.press("\r");
        await desk.model.waitForPrompt(draft, patience());
        expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
        expect(promptsOfCase()).toEqual([draft, prompt(sent, "behind a draft")]);
      });

    if (release === "proven")
      it("draft: a forgotten draft is kept, the message goes alone, the draft comes back exactly", async () => {
        const draft = "my half-typed idea 四つ 🙂";
        await typed(draft);
        const sent = await desk.send("behind a draft");
        await desk.held(sent, "typing");
        expect(await desk.arrives(sent)).toBe(prompt(sent, "behind a draft"));
        expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
        await draftIsBack(draft);
        expect(promptsOfCase()).toEqual([prompt(sent, "behind a draft"), draft]);
      });

    it("dialog: is never answered by a message, which goes in when the person has answered", async () => {
      const question = desk.asksToTouch("answered");
      await say(question);
      await shows(desk.showsDialog);
      const sent = await desk.send("1");
      await desk.held(sent, "blocked");
      expect(desk.showsDialog(await screen())).toBe(true);
      // A key that comes while the dialog is first drawn is ignored; this one is for the same dialog only.
      for (let presses = 0; presses < 5 && desk.showsDialog(await screen()); presses += 1) {
        desk.typist.press("\x1b");
        await desk.coder.terminal
          .waitForScreen((seen) => !desk.showsDialog(seen), { timeoutMs: 2_000 })
          .catch(() => "still open");
      }
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect(existsSync(join(desk.coder.repo, "answered"))).toBe(false);
      expect(promptsOfCase()).toContain(prompt(sent, "1"));
    });

    it("busy: waits for the end of the turn, which nothing disturbs", async () => {
      const turn = await say("work on it [[busy]]");
      const sent = await desk.send("while it works");
      await desk.held(sent, "busy");
      expect(turn.endedAtMs).toBeUndefined();
      turn.finish();
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
      expect(promptsOfCase()).toEqual(["work on it [[busy]]", prompt(sent, "while it works")]);
    });

    if (release === "unproven")
      it("urgent: stops the turn with one key", async () => {
        const turn = await say("a long story [[busy]]");
        await shows((seen) => seen.includes("word3"));
        const urgent = await desk.send("stop and look", { priority: "interrupt" });
        expect(await desk.arrives(urgent)).toBe(prompt(urgent, "stop and look"));
        expect(turn.aborted).toBe(true);
        expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
        expect(promptsOfCase()).toEqual(["a long story [[busy]]", prompt(urgent, "stop and look")]);
      });

    if (release === "proven")
      it("urgent: stops the turn with one key, over a draft too, and presses none when there is none", async () => {
        const draft = "not sent yet 四つ";
        const turn = await say("a long story [[busy]]");
        await shows((seen) => seen.includes("word3"));
        await typed(draft);
        const urgent = await desk.send("stop and look", { priority: "interrupt" });
        expect(await desk.arrives(urgent)).toBe(prompt(urgent, "stop and look"));
        expect(turn.aborted).toBe(true);
        expect(await desk.reaches(urgent, "read")).toMatchObject(PROVEN);
        await draftIsBack(draft);
        await desk.untilIdle();
        const calm = await desk.send("urgent, but you are idle", { priority: "interrupt" });
        expect(await desk.arrives(calm)).toBe(prompt(calm, "urgent, but you are idle"));
        expect(await screen()).not.toMatch(desk.tooManyEscapes);
        expect(promptsOfCase()).toEqual([
          "a long story [[busy]]",
          prompt(urgent, "stop and look"),
          draft,
          prompt(calm, "urgent, but you are idle"),
        ]);
      });
  });
}
