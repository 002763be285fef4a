/** Puts together whoever hears what programs tell of themselves, by their hooks and on their screens. */
import type { ArrivalsRoom } from "../arrivals/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { TypingRoom } from "../typing/room.ts";
import { Attendance, type AttendanceParts } from "./attendance.ts";
import { ScreenTurns } from "./screen-turns.ts";
import { type SignalParts, Signals } from "./signals.ts";

export interface SignalsRoom {
  readonly signals: Signals;
  readonly screenTurns: ScreenTurns;
  readonly attendance: Attendance;
}

export interface SignalsTold extends Pick<SignalParts, "onTurnEnded" | "onMixed"> {
  readonly attendance: Omit<AttendanceParts, "context">;
}

export function signalsRoom(
  ground: Ground,
  { registrar }: ArrivalsRoom,
  { evidence, openings }: TypingRoom,
  told: SignalsTold,
): SignalsRoom {
  return {
    signals: new Signals({
      ...ground,
      ...told,
      evidence,
      openings,
      locate: (event) => registrar.locate(event),
      learn: (session, event) => registrar.learn(session, event),
      former: (event) => registrar.former(event),
    }),
    screenTurns: new ScreenTurns({ ...ground, openings }),
    attendance: new Attendance({ ...told.attendance, context: ground.context }),
  };
}
