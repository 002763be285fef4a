/** A message to an agent, in the person's own words. What is half written stays, also if the place for it goes. */
import { useId } from "preact/hooks";
import { isLive } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { OutcomeNote } from "./outcome-note.tsx";
import { isSendKey, useSaying } from "./saying.ts";

/** By whom they are for. */
const drafts = new Map<string, string>();

export interface SayBoxProps {
  readonly to: string;
  readonly name: string;
  readonly label: string;
}

export function SayBox({ to, name, label }: SayBoxProps) {
  const id = useId();
  const { text, step, write, send } = useSaying(to, {
    read: () => drafts.get(to) ?? "",
    write: (written) => drafts.set(to, written),
  });
  const { value: now } = step;
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="quiet" for={id}>
        {label}
      </label>
      <textarea
        id={id}
        rows={2}
        value={text}
        readOnly={now.at === "sending"}
        disabled={!isLive.value}
        aria-label={`${label}: ${name}`}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="buttons">
        <button type="submit" disabled={!isLive.value || now.at === "sending" || text.value.trim() === ""}>
          {now.at === "sending" ? TEXT.say.sending : TEXT.say.send}
        </button>
        <span class="quiet keyboard-only">{TEXT.say.key}</span>
      </div>
      <OutcomeNote step={now} />
    </form>
  );
}
