/** Starts an agent: the program, where it runs, and what it is told first. */
import { signal } from "@preact/signals";
import { agents, isLive } from "../board/store.ts";
import { ask, type Told } from "../connection/requests.ts";
import { goTo, place } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import {
  afterStart,
  knownFolders,
  missingIn,
  NO_WISH,
  startRequest,
  WHERE,
  type Where,
  type Wish,
} from "./starting.ts";
import "./starting.css";

type Step =
  | { readonly at: "resting" | "working" }
  | { readonly at: "refused"; readonly error: Told }
  /** And yet not all is well, or the person is elsewhere by now. */
  | { readonly at: "started"; readonly text: string };

/** Outside the page's part: what was typed is still there after a look elsewhere. */
const wish = signal<Wish>(NO_WISH);
const step = signal<Step>({ at: "resting" });

const PROGRAMS = ["claude", "codex", "opencode", "gemini"] as const;

async function start(): Promise<void> {
  const sent = wish.value;
  step.value = { at: "working" };
  const answer = await ask<{ readonly agent: string; readonly note?: string }>(startRequest(sent));
  if (answer.kind === "refused") {
    const isUnsure = answer.error.code === "daemon.unreachable";
    step.value = {
      at: "refused",
      error: isUnsure ? { ...answer.error, ...TEXT.starting.unsure } : answer.error,
    };
    return;
  }
  const { agent, note } = answer.body;
  wish.value = afterStart(sent, wish.value);
  const { started, noted } = TEXT.starting;
  step.value = { at: "started", text: note === undefined ? started(agent) : noted(agent, note) };
  // Nobody is pulled away from what they are about to press elsewhere.
  if (note === undefined && isHere()) goTo({ at: "agent", name: agent, tab: "terminal" });
}

function isHere(): boolean {
  const { value: here } = place;
  return here.at === "page" && here.page === "start";
}

export function StartPage() {
  const words = TEXT.starting;
  const { value: now } = step;
  const change = (part: Partial<Wish>) => {
    wish.value = { ...wish.value, ...part };
    if (step.value.at !== "working") step.value = { at: "resting" };
  };
  const missing = missingIn(wish.value).map((part) => words.parts[part]);
  const isOff = !isLive.value || now.at === "working" || missing.length > 0;
  const { folder, command, name, prompt, where } = wish.value;
  return (
    <section class="page starting" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.start}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOff) void start();
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
          {/* It keeps the focus while it works. */}
          <button type="submit" class="primary" aria-disabled={isOff} aria-describedby="start-missing">
            {now.at === "working" ? words.working : words.start}
          </button>
          <span id="start-missing" class="quiet">
            {missing.length > 0 && words.missing(missing)}
          </span>
        </div>
      </form>
      <p class="note" role="status">
        {now.at === "started" && now.text}
      </p>
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
