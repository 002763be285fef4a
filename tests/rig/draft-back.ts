import type { AgentTerminal } from "./agent-terminal.ts";
import { until } from "./scripted-agent.ts";

/** Until Bellhop has seen every draft that it set aside in the composer again; otherwise it tells what there is instead. */
export async function untilDraftIsBack(
  drafts: () => Promise<readonly unknown[]>,
  terminal: Pick<AgentTerminal, "screen">,
  timeoutMs: number,
): Promise<void> {
  let kept: readonly unknown[] = [];
  let screen = "";
  const isBack = async () => {
    kept = await drafts();
    if (kept.length > 0) screen = await terminal.screen();
    return kept.length === 0;
  };
  await until(isBack, () => `the draft to be restored: ${JSON.stringify(kept)}\n${screen}`, timeoutMs);
}
