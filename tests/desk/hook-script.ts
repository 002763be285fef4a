/** What the hook script does, on a desk: reports, takes what waits, prints it for its program, and reports that. */
import type { DeskAgent } from "./agent.ts";
import type { Desk, HookTold } from "./desk.ts";

const HOOK_PID = 7_000;
const CONVERSATION = "c-1";

export interface HookRun {
  /** What the program gets to read; undefined if the hook printed nothing. */
  readonly text: string | undefined;
  /** Set if the daemon offered something. */
  readonly code: string | undefined;
}

export interface HookFate {
  /** `dies-unprinted`: the text came, and the hook was killed before it printed it. `mute`: it printed, and said nothing. */
  readonly ends?: "as-it-should" | "dies-unprinted" | "mute";
  /** The process that asks for the text, and those above it; a hook of the agent unless said otherwise. */
  readonly asker?: { readonly shows: "the-code" | "nothing"; readonly under: DeskAgent | "nobody" };
}

/** Starts with its conversation known, as after its first hook. */
export async function startHooks(desk: Desk, agent: DeskAgent): Promise<void> {
  await desk.done(desk.hook(agent, { turn: "session-start", programSessionId: CONVERSATION }));
  agent.program.onSubmit = (prompt) => {
    agent.program.busy = true;
    desk.tell(agent, { turn: "prompt-submitted", prompt, programSessionId: CONVERSATION });
  };
  await desk.advance(3_000);
}

/** A person gives it work. */
export async function works(desk: Desk, agent: DeskAgent): Promise<void> {
  agent.program.becomes({ busy: true });
  await desk.done(
    desk.hook(agent, { turn: "prompt-submitted", prompt: "work", programSessionId: CONVERSATION }),
  );
}

export async function toolEnds(desk: Desk, agent: DeskAgent, fate: HookFate = {}, more: HookTold = {}) {
  return runHook(desk, agent, { name: "tool", ofTool: true, ...more }, fate);
}

export async function turnEnds(desk: Desk, agent: DeskAgent, fate: HookFate = {}, more: HookTold = {}) {
  const run = await runHook(desk, agent, { name: "turn-ended", turn: "turn-ended", ...more }, fate);
  if (run.text === undefined) agent.program.becomes({ busy: false });
  return run;
}

export async function runHook(
  desk: Desk,
  agent: DeskAgent,
  told: HookTold,
  { ends = "as-it-should", asker = { shows: "the-code", under: agent } }: HookFate = {},
): Promise<HookRun> {
  const event = { programSessionId: CONVERSATION, takes: true, ...told } as const;
  const { take: code } = await desk.done(desk.hook(agent, event));
  if (code === undefined) return { text: undefined, code };
  const argv = ["curl", asker.shows === "the-code" ? `http://localhost/hook-answers/${code}` : "elsewhere"];
  const hook = { pid: HOOK_PID, startedAt: "7" };
  desk.tree = () => [{ ...hook, parentPid: 1, argv, command: "curl" }];
  desk.lineage = () => [hook, ...(asker.under === "nobody" ? [] : [processOf(asker.under)])];
  const answered = await whileAlive(desk, desk.use.hook_take({ code, pid: HOOK_PID }));
  const text = (answered?.output as { readonly text: string } | undefined)?.text;
  if (text === undefined || ends === "dies-unprinted") return { text: undefined, code };
  if (ends === "as-it-should")
    desk.tell(agent, { name: "AnswerPrinted", printed: code, programSessionId: CONVERSATION });
  await desk.work.settle();
  return { text, code };
}

/** A daemon that dies answers nobody. */
async function whileAlive<T>(desk: Desk, work: Promise<T>): Promise<T | undefined> {
  const over = new Promise<undefined>((resolve) => {
    const look = (): void => {
      if (desk.crashed) resolve(undefined);
    };
    desk.onStep(look);
    work.catch(() => resolve(undefined));
  });
  const answer = await desk.done(Promise.race([work.catch(() => undefined), over]));
  return desk.crashed ? undefined : answer;
}

function processOf({ sighting: { identity } }: DeskAgent) {
  return { pid: identity.agentPid, startedAt: identity.agentStartedAt };
}
