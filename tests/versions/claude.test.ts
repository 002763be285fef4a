import { beforeAll } from "vitest";
import { PATIENCE_MS, PERSON, Stage } from "../e2e/claude-stage.ts";
import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import { describeVersion, type VersionDesk } from "./cases.ts";

beforeAll(assertInNamespace);

const CONFIG = "delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }";

for (const version of versionsOf("claude")) {
  describeVersion(`Claude Code ${version}`, () => open(version));
}

async function open(version: string): Promise<VersionDesk> {
  const stage = await Stage.set({ config: CONFIG });
  const coder = await stage.enter("coder", { version });
  return {
    model: stage.model,
    coder,
    typist: await stage.typist(coder),
    person: PERSON,
    patienceMs: PATIENCE_MS,
    asksToTouch: (file) => `[[bash touch ${file}]]`,
    showsDialog: showsClaudePermissionDialog,
    tooManyEscapes: /Rewind/u,
    send: (body, more) => stage.send("coder", body, more),
    held: (sent, reason) => stage.held(sent, reason),
    reaches: (sent, state) => stage.reaches(sent, state),
    arrives: (sent) => stage.arrives(sent),
    drafts: async () => (await stage.client.call("draft_show", { who: "coder" })).drafts,
    untilIdle: () => stage.untilIdle("coder"),
    close: () => stage.strike(),
  };
}
