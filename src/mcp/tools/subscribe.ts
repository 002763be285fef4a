import { z } from "zod";
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { defineTool } from "../tool.ts";
import { whoAmI } from "../who-am-i.ts";

const MOST_SHOWN = 100;

export const subscribe = defineTool({
  name: "subscribe",
  title: "Subscribe to a path",
  description: `Have every message to a path delivered to you as well, from now on and across restarts: a Slack channel, a webhook, a topic that agents agree on. "*" stands for one segment, "**" for any number. What is sent to you by name needs no subscription. remove: true ends one.
Subscribe only to what you or your user asked for: each message starts a turn of yours.
Returns all your subscriptions.
Examples: {"pattern":"slack/team/#general"} · {"pattern":"webhook/github/**"} · {"pattern":"webhook/github/**","remove":true}`,
  effect: "adds-once",
  reach: "here",
  input: z.strictObject({
    pattern: z.string().min(1).describe('A path whose segments may be "*" or "**" as a whole.'),
    session: z
      .string()
      .min(1)
      .optional()
      .describe(
        'For one of your sessions only, by id or by a name of its own ("slack-monitor"). Rarely needed.',
      ),
    remove: z.boolean().optional().describe("End this subscription."),
  }),
  output: z.object({
    agent: z.string(),
    session: z.string().optional(),
    subscriptions: z.array(z.string()),
    more: z.number().optional().describe("how many are left out"),
  }),
  run: async ({ pattern, session, remove = false }, setting) => {
    const myself = await whoAmI(setting);
    if (myself.kind !== "agent") throw noAgent(myself.address);
    const changed = await setting.call(remove ? "sub_remove" : "sub_add", {
      agent: myself.name,
      pattern,
      claims: setting.claims,
      ...present({ session }),
    });
    const all = changed.subscriptions.map((one) => sanitiseLine(one.pattern));
    const shown = all.slice(-MOST_SHOWN);
    return {
      value: {
        agent: changed.agent,
        ...(changed.session === undefined ? {} : { session: sanitiseLine(changed.session) }),
        subscriptions: shown,
        ...(all.length > shown.length ? { more: all.length - shown.length } : {}),
      },
      text: `${changed.agent} is subscribed to: ${shown.length === 0 ? "nothing; it gets only its own messages" : shown.join(", ")}`,
    };
  },
});

function noAgent(address: string): BellhopError {
  return new BellhopError("agent.unknown", {
    message: `You write as ${sanitiseLine(address)}, and only agents subscribe.`,
    next: "Ask the user to run: bellhop sub add AGENT PATTERN",
  });
}
