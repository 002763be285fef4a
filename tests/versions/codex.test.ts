import { beforeAll } from "vitest";
import { CodexDesk, PATIENCE_MS, PERSON } from "../e2e/codex-desk.ts";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import { describeVersion, type VersionDesk } from "./cases.ts";
import { INLINE } from "./codex-inline.ts";

beforeAll(assertInNamespace);

for (const version of versionsOf("codex").filter((one) => !INLINE.includes(one))) {
  describeVersion(`Codex ${version}`, () => open(version));
}

async function open(version: string): Promise<VersionDesk> {
  const desk = await CodexDesk.open();
  const coder = await desk.seat("coder", { version });
  return {
    model: desk.model,
    coder,
    typist: await desk.typist(coder),
    person: PERSON,
    patienceMs: PATIENCE_MS,
    asksToTouch: (file) => `go on [[escalate touch ${file}]]`,
    showsDialog: showsCodexPermissionDialog,
    tooManyEscapes: /esc again|Browsing transcript/u,
    send: (body, more) => desk.send("coder", body, more),
    held: (sent, reason) => desk.isHeld(sent, reason),
    reaches: (sent, state) => desk.reaches(sent, state),
    arrives: async (sent) => (await desk.arrives(sent)).prompt,
    drafts: async () => (await desk.client.call("draft_show", { who: "coder" })).drafts,
    untilIdle: () => desk.untilIdle(coder),
    close: () => desk.close(),
  };
}
