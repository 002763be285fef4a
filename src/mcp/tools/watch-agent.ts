import { z } from "zod";
import { present } from "../../core/present.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { WATCH_EVENTS } from "../../core/watch.ts";
import { defineTool } from "../tool.ts";

export const watchAgent = defineTool({
  name: "watch_agent",
  title: "Watch another agent",
  description: `Be told by a message when another agent's turn ends, when it waits for its person, or when its program is gone, instead of looking again and again. The watch ends with either of you; the other one reads once that you watch it. once: true tells only the next event. remove: true ends a watch.
Watch only whom your work depends on: each event starts a turn of yours.
Examples: {"who":"api","on":["turn-end"],"once":true} · {"who":"api"} · {"who":"api","remove":true}`,
  effect: "adds-once",
  reach: "here",
  input: z.strictObject({
    who: z.string().min(1).describe("An agent's name or a session's id, as list_agents shows it."),
    on: z
      .array(z.enum(WATCH_EVENTS))
      .min(1)
      .max(WATCH_EVENTS.length)
      .optional()
      .describe("Which events; all when left out."),
    once: z.boolean().optional().describe("Only the next event."),
    remove: z.boolean().optional().describe("End your watch."),
  }),
  output: z.object({
    agent: z.string(),
    session: z.string(),
    state: z.enum(["watched", "ended"]),
    on: z.array(z.enum(WATCH_EVENTS)),
    once: z.boolean(),
  }),
  run: async ({ who, on, once, remove = false }, { call, claims }) => {
    const wish = { ...present({ on, once }) };
    const set = remove
      ? (await call("unwatch", { who, claims })).ended.at(-1)
      : await call("watch", { who, ...wish, claims });
    // `unwatch` ends at least one watch, or refuses.
    const { agent = who, session = "", on: events = [], once: isOnce = false } = set ?? {};
    const name = sanitiseLine(agent);
    return {
      value: {
        agent: name,
        session,
        state: remove ? ("ended" as const) : ("watched" as const),
        on: [...events],
        once: isOnce,
      },
      text: remove
        ? `You no longer watch ${name} (${session}).`
        : `You are told ${isOnce ? "the next time" : "each time"}: ${name} (${session}), ${events.join(", ")}.`,
    };
  },
});
