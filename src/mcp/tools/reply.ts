import { z } from "zod";
import { messageIdFrom, messageText } from "../fields.ts";
import { afterSending, sentResult } from "../sent.ts";
import { defineTool } from "../tool.ts";
import { nothingSaid } from "./send-message.ts";

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
