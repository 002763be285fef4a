/** What can be done with one session of an agent. Each answer, also a refusal, is shown right here. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { isLive } from "../board/store.ts";
import { ask, type Told } from "../connection/requests.ts";
import { openAgent, replaceOpen } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { type Action, type ActionName, actionsFor, requestFor } from "./actions.ts";
import { wanted } from "./wanted.ts";

type Step =
  | { readonly at: "resting" }
  | { readonly at: "asking"; readonly action: Action }
  | { readonly at: "working"; readonly action: ActionName }
  | { readonly at: "done"; readonly text: string }
  | { readonly at: "refused"; readonly error: Told };

export interface ActionBarProps {
  readonly agent: BoardAgent;
  readonly session: BoardSession | undefined;
  /** It takes what the palette asks of the agent. */
  readonly isFirst: boolean;
}

export function ActionBar({ agent, session, isFirst }: ActionBarProps) {
  const step = useSignal<Step>({ at: "resting" });
  const act = async (action: ActionName, newName?: string) => {
    if (!isLive.value) return;
    step.value = { at: "working", action };
    const answer = await ask<{ readonly agent?: string; readonly outcome?: string }>(
      requestFor(action, agent, session, newName),
    );
    step.value =
      answer.kind === "done"
        ? { at: "done", text: doneWords(action, answer.body.outcome) }
        : { at: "refused", error: answer.error };
    const { agent: name } = answer.kind === "done" ? answer.body : {};
    // The board may have told of it before.
    const isOpen = openAgent.value === agent.name || openAgent.value === name;
    if (action === "rename" && name !== undefined && isOpen) replaceOpen(name, "anew");
  };
  const begin = (action: Action) => {
    if (action.needs === "nothing") void act(action.name);
    else step.value = { at: "asking", action };
  };
  const actions = actionsFor(agent, session);
  useEffect(() => {
    if (!isFirst || wanted.value?.agent !== agent.name) return;
    const action = actions.find(({ name }) => name === wanted.peek()?.action);
    wanted.value = undefined;
    if (action !== undefined) begin(action);
  }, [isFirst && wanted.value]);
  const { value: now } = step;
  return (
    <div class="actions">
      <fieldset class="buttons" aria-label={TEXT.actions.title(agent.name)}>
        {actions.map((action) => (
          <button
            key={action.name}
            type="button"
            disabled={!isLive.value || now.at === "working"}
            onClick={() => begin(action)}
          >
            {TEXT.actions.names[action.name]}
            {now.at === "working" && now.action === action.name && TEXT.actions.working}
          </button>
        ))}
      </fieldset>
      {now.at === "asking" && (
        <Question
          action={now.action}
          name={agent.name}
          answered={(newName) => void act(now.action.name, newName)}
          kept={() => {
            step.value = { at: "resting" };
          }}
        />
      )}
      {now.at === "done" && (
        <p class="note" role="status">
          {now.text}
        </p>
      )}
      {now.at === "refused" && <ErrorNote {...now.error} />}
    </div>
  );
}

function doneWords(action: ActionName, outcome: string | undefined): string {
  return outcome === "running" ? TEXT.actions.notStopped : TEXT.actions.done[action];
}

interface QuestionProps {
  readonly action: Action;
  readonly name: string;
  answered(newName?: string): void;
  kept(): void;
}

function Question({ action, name, answered, kept }: QuestionProps) {
  const newName = useSignal(name);
  const { sure, keep, names } = TEXT.actions;
  const isNaming = action.needs === "name";
  const naming = useRef<HTMLInputElement>(null);
  // Once: later, the focus may be elsewhere.
  useEffect(() => naming.current?.select(), []);
  const says = action.name in sure ? sure[action.name as keyof typeof sure](name) : "";
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        answered(isNaming ? newName.value.trim() : undefined);
      }}
    >
      {isNaming ? (
        <label>
          <span class="quiet">{TEXT.actions.newName}</span>
          <input
            type="text"
            value={newName}
            autocomplete="off"
            spellcheck={false}
            ref={naming}
            onInput={(event) => {
              newName.value = event.currentTarget.value;
            }}
          />
        </label>
      ) : (
        <p>{says}</p>
      )}
      <div class="buttons">
        <button
          type="submit"
          class="primary"
          disabled={!isLive.value || (isNaming && newName.value.trim() === "")}
        >
          {names[action.name]}
        </button>
        <button type="button" onClick={kept}>
          {keep}
        </button>
      </div>
    </form>
  );
}
