/** Composes automatic turns. */
import type { Address, Message } from "../../core/message.ts";
import type { Runner } from "../../ports/runner.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Turns } from "./turns.ts";
import { Underway } from "./underway.ts";
import { TurnViews } from "./views.ts";

export type TurnsRoom = ReturnType<typeof turnsRoom>;

export interface TurnsTold {
  isAwaited(message: Message): boolean;
  isQuestion(message: Message): boolean;
  lookForEnded(): Promise<void>;
  outletFor(path: Address): Address | undefined;
  /** Whose turns look different. */
  changed(whose: Address): void;
}

export function turnsRoom(
  ground: Ground,
  { accept }: AcceptRoom,
  { listeners }: BrokerRoom,
  runner: Runner,
  told: TurnsTold,
) {
  const underway = new Underway(ground.directory, (whose) => told.changed(whose));
  const turnViews = new TurnViews({ ...ground, runner }, underway);
  const turns = new Turns({
    ...ground,
    accept,
    runner,
    views: turnViews,
    bridges: { outletFor: (path) => told.outletFor(path) },
    newTurnId: () => ground.context.ids.shortId(),
    isAwaited: ({ message }) => told.isAwaited(message),
    isQuestion: (message) => told.isQuestion(message),
    lookForEnded: () => told.lookForEnded(),
    overBudget: () => underway.overBudget(),
    isTakenElsewhere: (mailbox) => listeners.consumes(mailbox),
    doing: (turn, what) => underway.does(turn, what),
    waitsForBudget: (sessionId, over) => underway.waitsForBudget(sessionId, over),
    triages: (process) => underway.triages(process),
    runs: (process, sessionId) => underway.runs(process, sessionId),
  });
  return { turns, turnViews, underway };
}
