import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { CodexDesk, PERSON } from "./codex-desk.ts";
import { describeHookRung } from "./hook-rung.ts";

describeHookRung({
  program: "codex",
  title: "Codex",
  inARow: 50,
  asksToTouch: (file) => `[[escalate touch ${file}]]`,
  showsDialog: showsCodexPermissionDialog,
  yes: "y",
  open: (config, where) => CodexDesk.open(config, where),
  seat: (desk, name) => (desk as CodexDesk).seat(name),
});

describe("two windows of Codex that share a server", () => {
  let desk: CodexDesk;
  beforeAll(async () => {
    desk = await CodexDesk.open("transports: { codex: [hook, paste] }");
  });
  afterAll(() => desk?.close());

  it("get their mail by keys: what one of them runs could pass for the other's hook", async () => {
    const reviewer = await desk.seatScripted("reviewer");
    const windows = [await desk.seat("coder"), await desk.seat("tester")];
    for (const [index, window] of windows.entries()) {
      const typist = await desk.typist(window);
      const turn = await desk.say(typist, window, `job ${index} [[busy]] [[bash echo hi]]`);
      const claims = { user: PERSON, session: reviewer.id };
      const sent = await desk.send(window.session, "with keys", { claims });
      await desk.isHeld(sent, "busy");
      turn.finish();
      expect(await desk.reaches(sent, "read")).toMatchObject({ transport: "paste", attempts: 1 });
    }
  });
});
