import { z } from "zod";
import { BellhopError } from "../../core/errors.ts";
import { type Json, LIMITS } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { PRIORITIES } from "../../core/priority.ts";
import { DURATION_FORMS, durationFrom, messageIdFrom, messageText, TOO_LONG } from "../fields.ts";
import { afterSending, sentResult } from "../sent.ts";
import { defineTool } from "../tool.ts";

export const sendMessage = defineTool({
  name: "send_message",
  title: "Send a message",
  description: `Write to another agent or to a person. The message is stored at once and delivered into the recipient's conversation as soon as it is ready for it; you need not wait or poll. An answer comes to you the same way.
Use it to hand over work, ask, or report. Do not use it to answer a message (reply), to note something for yourself (remind), or to talk to the user of this conversation.
The recipient knows nothing of your conversation: give paths, branch and what you expect back.
Returns the id and, for each recipient, its state; "queued" with a reason is success, do not send again.
Examples: {"to":"reviewer","text":"Please review branch fix-login in ~/src/api. Answer with what must change."}
{"to":"agent/**","text":"I am rebasing main until 15:00, please do not push."} (every other agent)`,
  effect: "adds",
  reach: "anywhere",
  input: z.strictObject({
    to: z
      .string()
      .min(1)
      .describe(
        'An agent\'s name ("reviewer") or session id ("08bc57cf"), see list_agents. With a "/" it is a path: "agent/reviewer", "agent/**", "person/dev", "slack/team/#general".',
      ),
    text: messageText
      .optional()
      .describe("The message. It may be left out only where command or payload says it all."),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe(
        "normal (default); idle: only when it has nothing to do; idle-first: the same, before others; interrupt: stops what the recipient is doing, for emergencies only.",
      ),
    reply_to: z.string().min(1).optional().describe("The id of the message that this one answers, if any."),
    command: z.string().min(1).optional().describe('A verb for programs that listen, such as "analyze".'),
    payload: z
      .looseObject({})
      .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= LIMITS.bodyBytes, TOO_LONG)
      .optional()
      .describe("Data for programs that listen."),
    timeout: z
      .string()
      .optional()
      .describe(`Drop it if nobody took it by then: ${DURATION_FORMS}. Default: it waits.`),
  }),
  output: sentResult,
  run: async (input, setting) => {
    const { text = "", priority, reply_to: answered, command, payload, timeout } = input;
    if (text.trim() === "" && command === undefined && payload === undefined) throw nothingSaid();
    const to = recipientFrom(input.to);
    const sent = await setting.call("send", {
      to,
      body: text,
      claims: setting.claims,
      ...present({ priority }),
      ...(answered === undefined ? {} : { re: messageIdFrom(answered) }),
      ...present({ command }),
      ...(payload === undefined ? {} : { payload: payload as Json }),
      ...(timeout === undefined ? {} : { timeoutMs: durationFrom(timeout, "timeout") }),
    });
    return afterSending(sent, to, setting);
  },
});

export const reply = defineTool({
  name: "reply",
  title: "Answer a message",
  description: `Answer a message that you were given, in your prompt as "[message from: NAME (SESSION) #ID] …" or by inbox. It goes to the conversation that asked, and the question counts as answered.
Use it whenever a message expects something of you, also to say that you cannot. Do not answer thanks and confirmations: two agents that answer each other without end are stopped.
Returns the same as send_message.
Example: {"message_id":"m7k2q9","text":"Done, see commit 1a2b3c4."}`,
  effect: "adds",
  reach: "anywhere",
  input: z.strictObject({
    message_id: z.string().min(1).describe("The six letters and digits after # in the message's header."),
    text: messageText.describe("Your answer."),
  }),
  output: sentResult,
  run: async ({ message_id: id, text }, setting) => {
    if (text.trim() === "") throw nothingSaid();
    const sent = await setting.call("reply", { id: messageIdFrom(id), body: text, claims: setting.claims });
    return afterSending(sent, `the sender of #${messageIdFrom(id)}`, setting);
  },
});

/** A word with a slash is a path, and leading or trailing slashes are ignored; anything else is looked up by name. */
export function recipientFrom(to: string): string {
  return to.includes("/") ? to.replace(/^\/+|\/+$/g, "") : to;
}

export function nothingSaid(): BellhopError {
  return new BellhopError("message.empty", {
    message: "The message has no text.",
    next: 'Put what you want to say into "text".',
  });
}
