import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import { CodexDesk, PATIENCE_MS } from "../e2e/codex-desk.ts";
import { showsCodexComposer, showsCodexPermissionDialog } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { INLINE } from "./codex-inline.ts";

beforeAll(assertInNamespace);

/**
 * These versions draw into the scrollback instead of a screen of their own, where a shell's output and Codex look the
 * same. Bellhop does not read that, so it types nothing: every case ends with the message held, with its reason.
 */
describe.each(INLINE)("Codex %s, which draws inline", (version) => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let typist: Typist;
  const sent: SendResponse[] = [];

  beforeAll(async () => {
    desk = await CodexDesk.open();
    coder = await desk.seat("coder", { version }, "unknown");
    typist = await desk.typist(coder);
  });
  afterEach(async () => {
    await desk.allAlive();
    for (const one of sent) {
      expect(await desk.delivery(one)).toMatchObject({ state: "queued", attempts: 0 });
      expect(desk.copiesOf(one)).toBe(0);
    }
  });
  afterAll(() => desk?.close());

  const held = async (body: string, more = {}) => {
    const one = await desk.send("coder", body, more);
    sent.push(one);
    await desk.isHeld(one, "unknown");
    return desk.delivery(one);
  };
  const composerIsEmpty = () => desk.shows(coder, showsCodexComposer);

  it("plain: holds it, and says that it cannot read such a screen", async () => {
    await held("hello");
    const { deliveries } = await desk.client.call("explain", { id: sent[0]?.messageId ?? "" });
    expect(deliveries[0]?.because.join("\n")).toContain("does not use the alternate screen");
  });

  it("draft: leaves it where it is", async () => {
    await typist.type("my half-typed idea");
    // Codex takes what comes in a burst for a paste, and Enter right after it for a new line.
    await desk.shows(coder, "my half-typed idea");
    await held("behind a draft");
    typist.press("\r");
    await desk.model.waitForPrompt("my half-typed idea", { timeoutMs: PATIENCE_MS });
    await composerIsEmpty();
  });

  it("dialog: never answers it", async () => {
    await desk.say(typist, coder, "go on [[escalate touch answered]]");
    await desk.shows(coder, showsCodexPermissionDialog);
    await desk.send("coder", "y").then((one) => sent.push(one));
    expect(showsCodexPermissionDialog(await coder.terminal.screen())).toBe(true);
    typist.press("\x1b");
    await composerIsEmpty();
    expect(existsSync(join(coder.repo, "answered"))).toBe(false);
  });

  it("busy and urgent: disturbs nothing", async () => {
    const turn = await desk.say(typist, coder, "work on it [[busy]]");
    await desk.shows(coder, "word3");
    sent.push(await desk.send("coder", "while it works"));
    sent.push(await desk.send("coder", "stop and look", { priority: "interrupt" }));
    await desk.shows(coder, "word13");
    expect(turn).toMatchObject({ aborted: false, endedAtMs: undefined });
    turn.finish();
    await composerIsEmpty();
    expect(turn.aborted).toBe(false);
  });
});
