/** Starts an agent: the program, where it runs, and what it is told first. */
import { signal } from "@preact/signals";
import { agents, isLive } from "../board/store.ts";
import { ask, type Told } from "../connection/requests.ts";
import { goTo } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { isWhole, knownFolders, NO_WISH, startRequest, WHERE, type Where, type Wish } from "./starting.ts";
import "./starting.css";

type Step =
  | { readonly at: "resting" | "working" }
  | { readonly at: "refused"; readonly error: Told }
  /** It runs, and yet not all is well. */
  | { readonly at: "noted"; readonly agent: string; readonly note: string };

/** Outside the page's part: what was typed is still there after a look elsewhere. */
const wish = signal<Wish>(NO_WISH);
const step = signal<Step>({ at: "resting" });

const PROGRAMS = ["claude", "codex", "opencode", "gemini"] as const;

async function start(): Promise<void> {
  step.value = { at: "working" };
  const answer = await ask<{ readonly agent: string; readonly note?: string }>(startRequest(wish.value));
  if (answer.kind === "refused") {
    step.value = { at: "refused", error: answer.error };
    return;
  }
  const { agent, note } = answer.body;
  wish.value = { ...wish.value, name: "", prompt: "" };
  step.value = note === undefined ? { at: "resting" } : { at: "noted", agent, note };
  if (note === undefined) goTo({ at: "agent", name: agent, tab: "terminal" });
}

export function StartPage() {
  const words = TEXT.starting;
  const { value: now } = step;
  const change = (part: Partial<Wish>) => {
    wish.value = { ...wish.value, ...part };
  };
  const { folder, command, name, prompt, where } = wish.value;
  return (
    <section class="page starting" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.start}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isLive.value && isWhole(wish.value) && now.at !== "working") void start();
        }}
      >
        <Field
          id="start-folder"
          label={words.folder}
          hint={words.folderHint}
          value={folder}
          offers={knownFolders(agents.value)}
          onText={(text) => change({ folder: text })}
        />
        <Field
          id="start-command"
          label={words.command}
          hint={words.commandHint}
          value={command}
          offers={PROGRAMS}
          onText={(text) => change({ command: text })}
        />
        <Field
          id="start-name"
          label={words.name}
          hint={words.nameHint}
          value={name}
          onText={(text) => change({ name: text })}
        />
        <label for="start-prompt">{words.prompt}</label>
        <textarea
          id="start-prompt"
          rows={4}
          value={prompt}
          onInput={(event) => change({ prompt: event.currentTarget.value })}
        />
        <label for="start-where">{words.where}</label>
        <select
          id="start-where"
          value={where}
          onChange={(event) => change({ where: event.currentTarget.value as Where })}
        >
          {WHERE.map((one) => (
            <option key={one} value={one}>
              {words.places[one]}
            </option>
          ))}
        </select>
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            disabled={!isLive.value || now.at === "working" || !isWhole(wish.value)}
          >
            {now.at === "working" ? words.working : words.start}
          </button>
        </div>
      </form>
      {now.at === "noted" && (
        <p class="note" role="status">
          {words.noted(now.agent, now.note)}
        </p>
      )}
      {now.at === "refused" && <ErrorNote {...now.error} />}
    </section>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly offers?: readonly string[];
  onText(text: string): void;
}

function Field({ id, label, hint, value, offers = [], onText }: FieldProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        list={`${id}-offers`}
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <datalist id={`${id}-offers`}>
        {offers.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p id={`${id}-hint`} class="quiet">
        {hint}
      </p>
    </>
  );
}
