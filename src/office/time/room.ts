/** Composes everything that is scheduled: one timer, the notices, and the clock for deadlines. */
import type { NextByCron } from "../../core/time/schedule.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Notices } from "./notices.ts";
import { Reminders } from "./reminders.ts";
import { Timekeeper } from "./timekeeper.ts";
import { Timers } from "./timers.ts";

export type TimeRoom = ReturnType<typeof timeRoom>;

export function timeRoom(ground: Ground, { accept }: AcceptRoom, nextByCron: NextByCron) {
  const timekeeper = new Timekeeper(ground.context);
  const notices = new Notices({ ...ground, accept, timekeeper, scheduled: () => timers.touched() });
  const timers: Timers = new Timers({ ...ground, accept, notices, timekeeper, nextByCron });
  const reminders = new Reminders({
    ...ground,
    accept,
    timekeeper,
    nextByCron,
    touched: () => timers.touched(),
  });
  return { timekeeper, notices, timers, reminders };
}
