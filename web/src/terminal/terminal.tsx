/** The terminals of one agent. Looking is the rule; the keyboard is taken on request, and everybody sees who has it. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { agentsByName, isLive } from "../board/store.ts";
import { line } from "../connection/line.ts";
import type { Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { KeyBar } from "./key-bar.tsx";
import { type Keyboard, OpenScreen } from "./open-screen.ts";
import { Replica } from "./replica.ts";
import "./terminal.css";

export function Terminal({ name }: { readonly name: string }) {
  const sessions = (agentsByName.value.get(name)?.sessions ?? []).filter(({ terminal }) => terminal !== null);
  const chosen = useSignal<string | undefined>(undefined);
  const [first] = sessions;
  if (first === undefined) return <p class="nothing">{TEXT.terminal.none}</p>;
  const shown = sessions.find(({ id }) => id === chosen.value) ?? first;
  return (
    <div class="terminal">
      {sessions.length > 1 && (
        <label>
          <span class="quiet">{TEXT.terminal.which}</span>{" "}
          <select
            value={shown.id}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {sessions.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <Screen key={shown.id} who={shown.id} label={shown.label} />
    </div>
  );
}

interface ScreenProps {
  readonly who: string;
  readonly label: string;
}

interface Open {
  readonly screen: OpenScreen;
  readonly replica: Replica;
}

function Screen({ who, label }: ScreenProps) {
  const { terminal: words } = TEXT;
  const place = useRef<HTMLDivElement>(null);
  const open = useRef<Open | undefined>(undefined);
  const keyboard = useSignal<Keyboard>("free");
  const holder = useSignal<string | undefined>(undefined);
  const isDrawn = useSignal(false);
  const note = useSignal("");
  const refused = useSignal<Told | undefined>(undefined);
  const ended = useSignal<string | undefined>(undefined);
  const asText = useSignal<string | undefined>(undefined);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const replica = new Replica({
      element,
      press: (keys) => screen.press(keys),
      giveBack: () => screen.giveBack(),
      pasteRefused: () => {
        note.value = words.pasteRefused;
      },
      behind: () => screen.again(),
    });
    const screen = new OpenScreen(line, who, {
      snapshot: (picture) => {
        ended.value = undefined;
        isDrawn.value = true;
        replica.show(picture);
      },
      output: (data) => replica.write(data),
      keyboard: (whose, by) => {
        keyboard.value = whose;
        holder.value = by;
        refused.value = undefined;
        replica.setMine(whose === "mine");
      },
      refused: (error) => {
        refused.value = error;
      },
      ended: (why) => {
        ended.value = why;
        keyboard.value = "free";
        replica.setMine(false);
      },
    });
    open.current = { screen, replica };
    return () => {
      open.current = undefined;
      screen.close();
      replica.dispose();
    };
  }, [who]);

  const isMine = keyboard.value === "mine" && isLive.value;
  const canType = isLive.value && isDrawn.value && ended.value === undefined;
  return (
    <>
      <div class="buttons">
        <span role="status" class={isMine ? "chip mine" : "chip"}>
          {words.keyboard(keyboard.value, holder.value)}
        </span>
        {isMine ? (
          <button type="button" class="primary" onClick={() => open.current?.screen.giveBack()}>
            {words.giveBack}
          </button>
        ) : (
          <button
            type="button"
            disabled={!canType || keyboard.value === "taken"}
            onClick={() => open.current?.screen.take()}
          >
            {words.take}
          </button>
        )}
        <button
          type="button"
          aria-pressed={asText.value !== undefined}
          onClick={() => {
            asText.value = asText.value === undefined ? open.current?.replica.text() : undefined;
          }}
        >
          {words.asText}
        </button>
        {isMine && <span class="quiet keyboard-only">{words.leave}</span>}
      </div>
      {refused.value !== undefined && <ErrorNote {...refused.value} />}
      {note.value !== "" && (
        <p class="note" role="status">
          {note.value}
        </p>
      )}
      {ended.value !== undefined && (
        <p class="note" role="status">
          {words.ended(ended.value)}
        </p>
      )}
      {!isDrawn.value && refused.value === undefined && <p class="nothing">{words.opening}</p>}
      {asText.value !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable without a mouse.
        <section class="as-text" tabIndex={0} aria-label={words.textOf(label)}>
          <pre>{asText.value}</pre>
        </section>
      )}
      <section
        class={asText.value === undefined ? "glass" : "glass absent"}
        aria-label={words.screenOf(label)}
        ref={place}
      />
      {isMine && (
        <KeyBar
          press={(keys) => {
            note.value = "";
            open.current?.screen.press(keys);
          }}
          hasApplicationArrows={() => open.current?.replica.hasApplicationArrows ?? false}
        />
      )}
    </>
  );
}
