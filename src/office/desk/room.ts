/**
 * Composes telling (the person), watches (other agents), a person's changes to the queue, and their answers from
 * outside with what they are told about them.
 */
import type { Address } from "../../core/message.ts";
import type { AcceptRoom } from "../accept/room.ts";
import { Outlet } from "../outside/outlet.ts";
import type { OutsideRoom } from "../outside/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { ViewsRoom } from "../views/room.ts";
import { Answers, type AnswersParts } from "./answers.ts";
import { AttentionAnswers } from "./attention-answers.ts";
import { Confirmations } from "./confirmations.ts";
import { Doorbell } from "./doorbell.ts";
import { Paging } from "./paging.ts";
import { Person, type PersonParts } from "./presence.ts";
import type { PushTold } from "./push-told.ts";
import { QueueChanges, type QueueChangesParts } from "./queue-changes.ts";
import { Standing } from "./standing.ts";
import { Telling, type TellingParts } from "./telling.ts";
import { Watches } from "./watches.ts";

export type DeskRoom = ReturnType<typeof deskRoom>;

export function deskRoom(
  ground: Ground,
  { attention, queries }: ViewsRoom,
  { accept }: AcceptRoom,
  { bridges }: OutsideRoom,
  adapters: Pick<TellingParts, "servers" | "desktop"> &
    Pick<AnswersParts, "classifier"> &
    Pick<PersonParts, "seat"> &
    Pick<QueueChangesParts, "withdraw" | "withdrawAll"> & { readonly push: PushTold },
) {
  const answers = new Answers({
    ...ground,
    accept,
    classifier: adapters.classifier,
    told: {
      answering: (session, answer) => paging.answering(session, answer),
      refused: (session) => paging.askAnew(session),
    },
  });
  const person = new Person({ ...adapters, ...ground });
  const outletFor = (path: Address) => bridges.outletFor(path);
  const paging: Paging = new Paging({
    ...{ ...ground, accept, answers, attention, person, outletFor },
    push: adapters.push,
  });
  const telling = new Telling({ ...adapters, ...ground, attention });
  return {
    answers,
    person,
    paging,
    attentionAnswers: new AttentionAnswers({ ...ground, accept, attention, paging }),
    deskOutlets: answers.takers().map((taker) => new Outlet(ground, taker)),
    confirmations: new Confirmations({ ...ground, accept, answers }),
    changes: new QueueChanges({ ...adapters, ...ground, queries }),
    standing: new Standing({ ...ground, attention, person, push: adapters.push }),
    telling,
    doorbell: new Doorbell({ ...ground, telling, paging }),
    watches: new Watches({ ...ground, accept }),
  };
}
