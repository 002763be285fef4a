/** Composes the observers of what programs report, by their hooks and on their screens. */
import type { ArrivalsRoom } from "../arrivals/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { LateProof } from "../typing/late-proof.ts";
import type { TypingRoom } from "../typing/room.ts";
import { Attendance, type AttendanceParts } from "./attendance.ts";
import { FirstTurn, type FirstTurnEnd } from "./first-turn.ts";
import { HookAnswering, type HookAnsweringParts } from "./hook-answering.ts";
import { ScreenTurns } from "./screen-turns.ts";
import { ScreenWatchers } from "./screen-watcher.ts";
import { type SignalParts, Signals } from "./signals.ts";

export type SignalsRoom = ReturnType<typeof signalsRoom>;

export interface SignalsTold
  extends Pick<SignalParts, "onTurnEnded" | "onMixed">,
    Pick<HookAnsweringParts, "hasForHook"> {
  readonly attendance: AttendanceParts;
  /** The first turn of a child, as its screen shows it. */
  firstTurnEnded(session: LiveSession, how: FirstTurnEnd): Promise<void>;
}

export function signalsRoom(
  ground: Ground,
  { registrar }: ArrivalsRoom,
  { evidence, openings }: TypingRoom,
  told: SignalsTold,
) {
  const answering = new HookAnswering({ ...ground, hasForHook: told.hasForHook });
  return {
    answering,
    signals: new Signals({
      ...ground,
      ...told,
      evidence,
      openings,
      answering,
      speaking: (event) => registrar.speaking(event),
      locate: (event) => registrar.locate(event),
      learn: (session, event) => registrar.learn(session, event),
      former: (event) => registrar.former(event),
    }),
    watchers: new ScreenWatchers(ground.context, (session) => [
      new ScreenTurns({ ...ground, openings }, session),
      new LateProof(ground, session),
      new Attendance(told.attendance, session),
      new FirstTurn(ground.context, session, (how) => told.firstTurnEnded(session, how)),
    ]),
  };
}
