import { PATIENCE_MS, PERSON, Stage } from "../e2e/claude-stage.ts";
import { CodexDesk } from "../e2e/codex-desk.ts";
import type { PlaceKind } from "../rig/agent-terminal.ts";
import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import type { VersionDesk } from "./cases.ts";

const CONFIG = "delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }";

export async function claudeDesk(version: string, where: PlaceKind = "tmux"): Promise<VersionDesk> {
  const stage = await Stage.set({ config: CONFIG, where });
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
    listed: async () => (await stage.client.call("ls", {})).sessions.find(({ agent }) => agent === "coder"),
    untilIdle: () => stage.untilIdle("coder"),
    close: () => stage.strike(),
  };
}

export async function codexDesk(version: string, where: PlaceKind = "tmux"): Promise<VersionDesk> {
  const desk = await CodexDesk.open("", where);
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
    listed: async () => (await desk.client.call("ls", {})).sessions.find(({ agent }) => agent === "coder"),
    untilIdle: () => desk.untilIdle(coder),
    close: () => desk.close(),
  };
}
