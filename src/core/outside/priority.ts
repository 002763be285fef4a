import type { Priority } from "../message.ts";

/** Nobody outside interrupts an agent, though what is sent here may do so unasked. */
export function priorityFromOutside(standard: Priority): Priority {
  return standard === "interrupt" ? "normal" : standard;
}
