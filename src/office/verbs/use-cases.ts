/** The use-cases behind every door: thin, one per verb, in a file for each subject. They call the rooms of the office. */
import type { UseCases } from "../../wire/verbs/index.ts";
import { agentVerbs } from "./agents.ts";
import { brokerVerbs } from "./broker.ts";
import { daemonVerbs } from "./daemon.ts";
import { messageVerbs } from "./messages.ts";
import type { UseCaseParts } from "./parts.ts";
import { queueVerbs } from "./queue.ts";
import { reminderVerbs } from "./reminders.ts";
import { sessionVerbs } from "./sessions.ts";
import { watchVerbs } from "./watches.ts";

export function useCases(parts: UseCaseParts): UseCases {
  return {
    ...messageVerbs(parts),
    ...brokerVerbs(parts),
    ...queueVerbs(parts),
    ...agentVerbs(parts),
    ...sessionVerbs(parts),
    ...reminderVerbs(parts),
    ...watchVerbs(parts),
    ...daemonVerbs(parts),
  };
}
