import { z } from "zod";
import { DELIVERY_STATES, type DeliveryState } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { PRIORITIES } from "../../core/priority.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { AnswerResponse, ShownMessage } from "../../wire/shapes/messages.ts";
import { DURATION_FORMS, durationFrom, held, heldBy, messageText } from "../fields.ts";
import { nobody } from "../sent.ts";
import { shownText } from "../shown-text.ts";
import { defineTool, type ToolSetting } from "../tool.ts";
import { nothingSaid, recipientFrom } from "./send-message.ts";

/** Several programs abort a tool call after a minute. */
const WITHIN = "50s";
const LONGEST_MS = 30 * 60_000;
/** The office's own deadline comes first. */
const ANSWER_GRACE_MS = 10_000;

export const askAgent = defineTool({
  name: "ask_agent",
  title: "Ask an agent and wait for the answer",
  description: `Ask another agent or a person something, wait, and get the answer as the result. Use it when you cannot go on without the answer and expect it soon; else use send_message, which does not make you wait.
The recipient knows nothing of your conversation: give paths, branch and what you want to know. You cannot ask yourself.
Returns answered: true with the answer; or answered: false when none came in time. Then the question stays, and the answer will arrive in this conversation by itself: do not ask again.
Example: {"to":"coder","text":"Which port does the dev server of ~/src/api use?","within":"50s"}`,
  effect: "adds",
  reach: "anywhere",
  input: z.strictObject({
    to: z
      .string()
      .min(1)
      .describe('An agent\'s name ("coder") or session id, see list_agents; or an address ("person/dev").'),
    text: messageText.describe("The question."),
    within: z
      .string()
      .optional()
      .describe(`How long to wait: ${DURATION_FORMS}, 30m at most. Default: ${WITHIN}.`),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe("normal (default); interrupt stops what the recipient is doing, for emergencies only."),
  }),
  output: z.object({
    id: z.string().describe("of the question"),
    answered: z.boolean(),
    answer: z.string().optional(),
    answer_id: z.string().optional().describe("for reply, should you want to answer back"),
    from: z.string().optional(),
    cut: z.string().optional().describe("what was left out of the answer, and where all of it is"),
    state: z.enum(DELIVERY_STATES).describe("of the question"),
    held: held.optional().describe("why the question still waits"),
  }),
  run: async (input, setting) => {
    if (input.text.trim() === "") throw nothingSaid();
    const timeoutMs = Math.min(LONGEST_MS, durationFrom(input.within ?? WITHIN, "within"));
    const { claims } = setting;
    const to = recipientFrom(input.to);
    const sent = await setting.call("send", {
      to,
      body: input.text,
      asks: true,
      claims,
      ...present({ priority: input.priority }),
    });
    if (sent.unmatched) throw nobody({ shortId: sent.shortId }, to);
    const found = await setting.call(
      "answer",
      { id: sent.messageId, timeoutMs, take: true },
      { timeoutMs: timeoutMs + ANSWER_GRACE_MS },
    );
    // Otherwise it would also arrive as a message.
    if (found.answer !== undefined)
      await setting.call("ack", { id: found.answer.id, claims }).catch(() => undefined);
    return found.answer === undefined
      ? unanswered(sent.shortId, found)
      : answered(sent.shortId, found.state, found.answer, setting);
  },
});

async function answered(id: string, state: DeliveryState, answer: ShownMessage, setting: ToolSetting) {
  const from = sanitiseLine(answer.from);
  const { text, ...cut } = await shownText(answer, setting);
  return {
    value: { id, answered: true, answer: text, answer_id: answer.shortId, from, state, ...cut },
    text: [`${from} answers (#${answer.shortId}): ${text}`, ...Object.values(cut)].join("\n"),
  };
}

function unanswered(id: string, { state, hold }: AnswerResponse) {
  const why = heldBy(hold);
  const held = why.held === undefined ? "" : ` (held: ${why.held.reason}, goes out ${why.held.release})`;
  return {
    value: { id, answered: false, state, ...why },
    text: `No answer yet: question #${id} is ${state}${held}. An answer will arrive in this conversation by itself; do not ask again.`,
  };
}
