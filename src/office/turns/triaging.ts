/** Whether messages are worth a turn: the owner's rules first, then a small model, within its time. It writes nothing. */

import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { AutoRun } from "../../core/turns/auto-run.ts";
import { ruling } from "../../core/turns/rules.ts";
import { isInside, readVerdict } from "../../core/turns/triage.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { Runner } from "../../ports/runner.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import { triageQuestion } from "./prompting.ts";
import type { Seat } from "./who.ts";

export const TRIAGE_MS = 60_000;
/** A provider may answer with a page. */
const LONGEST_REASON = 200;

export interface Sorted {
  /** No rule said anything: the model is asked. */
  readonly open: readonly Item[];
  readonly accepted: readonly Item[];
  readonly rejected: readonly { readonly item: Item; readonly because: string }[];
  /** The first rule that accepted something. */
  readonly because?: string;
}

export function sortByRules({ autoRun }: Seat, items: readonly Item[]): Sorted {
  const ruled = items.map((item) => ({ item, ruling: ruling(item.message, autoRun) }));
  const because = ruled.find((one) => one.ruling?.verdict === "accept")?.ruling?.because;
  return {
    open: ruled.filter((one) => one.ruling === undefined).map(({ item }) => item),
    accepted: ruled.filter((one) => one.ruling?.verdict === "accept").map(({ item }) => item),
    rejected: ruled.flatMap(({ item, ruling: said }) =>
      said?.verdict === "reject" ? [{ item, because: said.because }] : [],
    ),
    ...(because === undefined ? {} : { because }),
  };
}

export type Triaged =
  | { readonly kind: "yes" | "no"; readonly because: string; readonly usd?: number }
  /** `held`: from outside, for the owner to look at; the others go. */
  | {
      readonly kind: "failed";
      readonly because: string;
      readonly held: readonly Item[];
      readonly usd?: number;
    };

export interface TriagingParts extends Ground {
  /** Whoever asks from under this process may do nothing, until the returned function is called. */
  triages(process: ProcessIdentity): () => void;
}

export async function triage(
  parts: TriagingParts,
  runner: Runner,
  seat: Seat,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<Triaged> {
  const { triageModel: model, runner: name, untriaged } = seat.autoRun;
  const question = { runner: name, model, prompt: triageQuestion(parts, seat, items), timeoutMs: TRIAGE_MS };
  let ended = () => {};
  const started = async (process: ProcessIdentity): Promise<void> => {
    ended = parts.triages(process);
  };
  const said = await runner
    .ask(question, { signal, started })
    .catch((cause: unknown) => ({ none: String(cause) }))
    .finally(() => ended());
  const verdict = "answer" in said ? readVerdict(said.answer) : undefined;
  if ("answer" in said && verdict !== undefined) {
    const because = verdict.reason === "" ? `the model said ${verdict.verdict}` : verdict.reason;
    return { kind: verdict.verdict, because, ...(said.usd === undefined ? {} : { usd: said.usd }) };
  }
  const why = "none" in said ? said.none : "its answer was neither YES nor NO";
  const cost = "answer" in said && said.usd !== undefined ? { usd: said.usd } : {};
  return { ...untriageable(items, untriaged, `triage failed: ${why}`), ...cost };
}

/** Nobody says whether they are worth a turn: those from inside go, the others as the owner has it. */
export function untriageable(
  items: readonly Item[],
  untriaged: AutoRun["untriaged"],
  because: string,
): Extract<Triaged, { kind: "failed" }> {
  const held = untriaged === "run" ? [] : items.filter(({ message }) => !isInside(message));
  return { kind: "failed", because: sanitiseLine(because, LONGEST_REASON), held };
}

/**
 * What is judged together: a stranger must not silence a person, nor come along with one. Those that come first, in
 * order.
 */
export function judgedTogether(items: readonly Item[]): readonly Item[] {
  const [first] = items;
  return first === undefined ? [] : items.filter((item) => circleOf(item) === circleOf(first));
}

function circleOf({ message }: Item): "person" | "inside" | "outside" {
  if (!isInside(message)) return "outside";
  return message.source === "person" ? "person" : "inside";
}
