import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ShownAttention } from "../../../wire/shapes/attention.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { age } from "../../printing/moments.ts";
import { printList } from "../../printing/table.ts";
import { printWants } from "../../printing/wants.ts";
import { ANSWER_GRACE_MS } from "../../sending.ts";

/** An answer that could not be given by then is given up. */
const WAIT_MS = 65_000;

const answer: Command = {
  name: "answer",
  summary: "answer a permission that an agent asks for, as in its terminal; the first answer counts",
  usage: ["attention answer ID approve|deny"],
  words: { least: 2, most: 2 },
  examples: [
    {
      command: "bellhop attention answer 08bc57cf.a1b2c3 approve",
      does: "this once; status 0 once it is answered",
    },
    { command: "bellhop attention answer 08bc57cf deny", does: "the beginning of an id is enough" },
  ],
  run: async (context, { words: [id = "", word = ""] }) => {
    const sent = await context.ask("attention_answer", { id, answer: word, claims: context.claims() });
    await untilAnswered(context, sent.messageId);
    context.out.result({ ...sent, state: "delivered" }, `answered: ${word}`);
  },
};

async function untilAnswered({ ask }: CommandContext, id: string): Promise<void> {
  const { state, reached } = await ask(
    "wait",
    { id, state: "delivered", timeoutMs: WAIT_MS },
    { timeoutMs: WAIT_MS + ANSWER_GRACE_MS },
  );
  if (reached) return;
  const { deliveries } = await ask("show", { id });
  const why = deliveries[0]?.receipts.findLast(({ note }) => note !== undefined)?.note ?? state;
  throw new BellhopError(state === "unconfirmed" ? "delivery.unconfirmed" : "attention.closed", {
    message: `It was not answered: ${sanitiseLine(why)}.`,
    next: 'See what wants you now with "bellhop attention".',
  });
}

export const attention: Command = {
  name: "attention",
  summary: "show what wants you: permissions, questions, messages that may not have arrived",
  usage: ["attention", "attention answer ID approve|deny"],
  examples: [
    { command: "bellhop attention", does: "who waits for you, and for what" },
    { command: "bellhop attention --json", does: "for scripts" },
  ],
  subcommands: [answer],
  run: async ({ ask, out, now }) => {
    const { attention: all, mail } = await ask("attention", {});
    printList(
      out,
      all,
      "Nothing wants you.",
      {
        WHAT: ({ kind }) => kind,
        AGENT: ({ agent }) => agent ?? "",
        FOR: ({ since }) => age(since, now()),
        TEXT: ({ text }) => text,
      },
      nextStep,
    );
    if (!out.json) printWants(out, { mail });
  },
};

/** The command that answers it. */
function nextStep({ kind, agent, session, id, answers, toldOn = [] }: ShownAttention): string {
  const told =
    toldOn.length === 0 ? "" : ` · you were told on ${toldOn.map((one) => sanitiseLine(one)).join(", ")}`;
  if ((kind === "permission" || kind === "question") && session !== null)
    return `↳ look: bellhop peek ${session} · ${answers === undefined ? "answer it in its terminal" : `answer: bellhop attention answer ${id} ${answers.join("|")}`}${told}`;
  if (kind === "turn-end" && session !== null) return `↳ look: bellhop peek ${session}${told}`;
  if (kind === "loop") return `↳ let it through: bellhop unmatched reroute ${id}`;
  if (kind === "budget" && agent !== null)
    return `↳ run what waits now: bellhop turn trigger ${agent} · what counts: bellhop agent auto-run ${agent} show`;
  if (kind === "dead-letter") return `↳ try again: bellhop unmatched reroute ${id}`;
  return "";
}
