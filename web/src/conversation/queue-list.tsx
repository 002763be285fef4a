/** What waits for the agent, in the order in which it goes out, and what can be done about it. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Priority } from "../../../src/core/message.ts";
import { PRIORITIES } from "../../../src/core/priority.ts";
import { sanitiseLine } from "../../../src/core/text/sanitise.ts";
import { isLive } from "../board/store.ts";
import { ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { type Place, placeFor } from "./places.ts";
import type { Talk } from "./talk.ts";
import { nameIn } from "./timeline.ts";
import type { ToldQueued } from "./told.ts";

const FIRST_SHOWN = 20;
const MORE_SHOWN = 100;
/** What is dragged, as the browser carries it. */
const DRAGGED = "application/x-bellhop-message";

type Action = keyof typeof TEXT.queue.actions;
type Change = { readonly change: "cancel" | "now" | "hold" | "unhold" } | PriorityChange | Move;
type PriorityChange = { readonly change: "priority"; readonly priority: Priority };
type Move = { readonly change: "move" } & Place;

export function QueueList({ talk }: { readonly talk: Talk }) {
  const most = useSignal(FIRST_SHOWN);
  const said = useSignal("");
  const error = useSignal<Told | undefined>(undefined);
  const busy = useSignal<string | undefined>(undefined);
  const over = useSignal<string | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  /** What had the focus when it was pressed: a row that moves would lose it. */
  const focus = useRef<{ readonly id: string; readonly action: Action } | undefined>(undefined);
  /** One after the other: nothing that is pressed gets lost while an answer is awaited. */
  const turn = useRef(Promise.resolve());
  const { value: queue } = talk.queue;
  useLayoutEffect(() => {
    const { current: wanted } = focus;
    if (wanted === undefined || busy.value !== undefined) return;
    focus.current = undefined;
    const row = [...(list.current?.children ?? [])].find(
      (one) => one instanceof HTMLElement && one.dataset.delivery === wanted.id,
    );
    const button = (action: Action) => row?.querySelector<HTMLButtonElement>(`[data-action="${action}"]`);
    const [pressed, other] = [button(wanted.action), button(wanted.action === "up" ? "down" : "up")];
    (pressed?.disabled === true ? other : pressed)?.focus();
  }, [queue, busy.value]);
  if (queue.length === 0 && said.value === "" && error.value === undefined) return null;
  const carryOut = async ({ id, short_id }: ToldQueued, what: Change) => {
    if (!isLive.value) return;
    busy.value = id;
    said.value = "";
    error.value = undefined;
    const answer = await ask({ method: "POST", path: `/messages/${segment(id)}/queue`, body: what });
    await talk.refresh();
    busy.value = undefined;
    if (answer.kind === "refused") error.value = answer.error;
    else said.value = doneWords(short_id, what, talk.queue.peek(), id);
  };
  /** `what` is decided when its turn comes: what was pressed before may have changed the order. */
  const change = (one: ToldQueued, what: (queue: readonly ToldQueued[]) => Change | undefined) => {
    turn.current = turn.current.then(async () => {
      const decided = what(talk.queue.peek());
      if (decided !== undefined) await carryOut(one, decided);
    });
  };
  const moveTo = (one: ToldQueued, at: (order: readonly string[]) => number) =>
    change(one, (now) => {
      const order = now.map(({ id }) => id);
      const place = placeFor(order, one.id, at(order));
      return place === undefined ? undefined : { change: "move", ...place };
    });
  const act = (one: ToldQueued, action: Action) => {
    focus.current = { id: one.id, action };
    if (action === "up") moveTo(one, (order) => order.indexOf(one.id) - 1);
    else if (action === "down") moveTo(one, (order) => order.indexOf(one.id) + 1);
    else change(one, () => ({ change: action }));
  };
  const drop = (event: DragEvent, target: ToldQueued) => {
    const dragged = queue.find(({ id }) => id === event.dataTransfer?.getData(DRAGGED));
    over.value = undefined;
    if (dragged === undefined) return;
    event.preventDefault();
    // If the target has gone out meanwhile, it stays where it is.
    moveTo(dragged, (order) => order.indexOf(order.includes(target.id) ? target.id : dragged.id));
  };
  return (
    <section class="waiting" aria-labelledby="waiting-title">
      <h3 id="waiting-title" title={TEXT.queue.takesPriority}>
        {TEXT.queue.title(queue.length)}
      </h3>
      <p class="note" role="status">
        {said}
      </p>
      {error.value !== undefined && <ErrorNote {...error.value} />}
      <ol ref={list}>
        {queue.slice(0, most.value).map((one, index) => (
          <li
            key={one.id}
            data-delivery={one.id}
            class={over.value === one.id ? "over" : ""}
            draggable={isLive.value}
            onDragStart={(event) => {
              event.dataTransfer?.setData(DRAGGED, one.id);
              if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = "move";
            }}
            onDragOver={(event) => {
              if (event.dataTransfer?.types.includes(DRAGGED) !== true) return;
              event.preventDefault();
              over.value = one.id;
            }}
            onDragLeave={() => {
              if (over.value === one.id) over.value = undefined;
            }}
            onDrop={(event) => drop(event, one)}
          >
            <Waiting one={one} />
            <fieldset class="buttons" aria-label={`#${one.short_id}`}>
              <select
                aria-label={TEXT.queue.priorityOf(one.short_id)}
                value={one.priority}
                disabled={!isLive.value}
                onChange={(event) => {
                  const priority = event.currentTarget.value as Priority;
                  change(one, () => ({ change: "priority", priority }));
                }}
              >
                {PRIORITIES.map((priority) => (
                  <option key={priority} value={priority}>
                    {TEXT.conversation.priorities[priority]}
                  </option>
                ))}
              </select>
              {actionsFor(one).map((action) => (
                <button
                  key={action}
                  type="button"
                  data-action={action}
                  aria-label={TEXT.queue.labels[action](one.short_id)}
                  disabled={
                    !isLive.value ||
                    (action === "up" && index === 0) ||
                    (action === "down" && index === queue.length - 1)
                  }
                  onClick={() => act(one, action)}
                >
                  {TEXT.queue.actions[action]}
                </button>
              ))}
            </fieldset>
          </li>
        ))}
      </ol>
      {queue.length > most.value && (
        <button
          type="button"
          onClick={() => {
            most.value += MORE_SHOWN;
          }}
        >
          {TEXT.queue.more(Math.min(MORE_SHOWN, queue.length - most.value))}
        </button>
      )}
    </section>
  );
}

function Waiting({ one }: { readonly one: ToldQueued }) {
  const { from, short_id, preview, hold, release } = one;
  return (
    <div class="what">
      <span class="grip" aria-hidden="true">
        ⠿
      </span>
      <span class="who">
        <strong>{sanitiseLine(nameIn(from), 64)}</strong> <span class="quiet">#{short_id}</span>
        {release !== undefined && (
          <span class="chip">
            {release === "now" ? TEXT.conversation.released : TEXT.conversation.heldBack}
          </span>
        )}
      </span>
      <span class="preview">{sanitiseLine(preview, 200)}</span>
      {hold !== undefined && release !== "withheld" && (
        <span class="quiet why">
          {TEXT.conversation.waits(TEXT.reasons[hold.reason])}.{" "}
          {TEXT.queue.goesOut(sanitiseLine(hold.release, 300))}
        </span>
      )}
    </div>
  );
}

function actionsFor({ release }: ToldQueued): readonly Action[] {
  const held: readonly Action[] = release === undefined ? ["now", "hold"] : ["unhold"];
  return ["up", "down", ...(release === "withheld" ? (["now", "unhold"] as const) : held), "cancel"];
}

function doneWords(shortId: string, what: Change, queue: readonly ToldQueued[], id: string): string {
  const { done } = TEXT.queue;
  switch (what.change) {
    case "move":
      return done.moved(shortId, queue.findIndex((one) => one.id === id) + 1, queue.length);
    case "priority":
      return done.priority(shortId, TEXT.conversation.priorities[what.priority]);
    default:
      return done[what.change](shortId);
  }
}
