import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startClaude } from "../rig/claude.ts";
import { startCodex } from "../rig/codex.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { startGemini } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { startOpencode } from "../rig/opencode.ts";
import type { AgentOptions, RunningAgent } from "../rig/running-agent.ts";
import { deskParts, PATIENCE_MS, PERSON, ProgramDesk, type Seating } from "./program-desk.ts";

beforeAll(assertInNamespace);

const STARTERS = {
  claude: startClaude,
  codex: startCodex,
  opencode: startOpencode,
  gemini: startGemini,
} as const;
type Name = keyof typeof STARTERS;
const ROUND = ["claude", "codex", "opencode", "gemini"] as const satisfies readonly Name[];

/** Four programs of one user, in one tmux, with their default permissions. There is nobody to answer a dialog. */
class RoundTable extends ProgramDesk {
  static async lay(): Promise<RoundTable> {
    return new RoundTable(await deskParts(""), "tmux");
  }

  take(name: Name): Promise<RunningAgent> {
    const start = STARTERS[name] as Seating<AgentOptions>["start"];
    // Each has a home: what one program leaves there must not help another.
    const home = join(this.tmux.folder, `${name}-home`);
    return this.seatProgram<AgentOptions>(name, { start, hooks: name, options: { home } });
  }
}

let table: RoundTable;
const windows: RunningAgent[] = [];

beforeAll(async () => {
  table = await RoundTable.lay();
  for (const name of ROUND) windows.push(await table.take(name));
});
afterAll(() => table?.close());

/** Whom the newest message asks to hand it on; a headline may repeat an older one. */
const handedTo = ({ kind, newPrompts }: ModelRequest): Name | undefined => {
  const asked = /\]\s+Hand it on, (\w+)\./u.exec(newPrompts.join("\n"))?.[1];
  return kind === "main" ? ROUND.find((name) => name === asked) : undefined;
};

it("goes round: each writes to the next, and the first one hears from the last", async () => {
  const stop = table.model.on(
    (request) => handedTo(request) !== undefined,
    (request) => {
      const at = ROUND.indexOf(handedTo(request) ?? "claude");
      const next = ROUND[at + 1];
      return {
        call: {
          shell:
            next === undefined
              ? 'bellhop send claude "It went round."'
              : `bellhop send ${next} "Hand it on, ${next}."`,
        },
      };
    },
  );
  const begun = await table.send("claude", "Hand it on, claude.");
  await table.model
    .waitForRequest(({ userText }) => userText.includes("It went round."), {
      timeoutMs: ROUND.length * PATIENCE_MS,
    })
    .catch(async (cause: unknown) => {
      throw new Error(`${String(cause)}\n${await table.windowsAndLog()}`);
    });
  stop();
  await table.reaches(begun, "read");
  const { entries } = await table.client.call("history", { limit: 50 });
  const round = entries.map(({ message: { from, to } }) => `${from} → ${to}`);
  expect(round.toSorted()).toEqual(
    [
      `person/${PERSON} → agent/claude`,
      "agent/claude → agent/codex",
      "agent/codex → agent/opencode",
      "agent/opencode → agent/gemini",
      "agent/gemini → agent/claude",
    ].toSorted(),
  );
  await table.allAlive();
});
