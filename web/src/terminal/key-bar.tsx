/** Keys for phones, and a line to write in: words that an input method composes reach the program as a whole. */
import { useSignal } from "@preact/signals";
import { TEXT } from "../strings.ts";
import { BAR, charactersOf } from "./keys.ts";

interface KeyBarProps {
  press(keys: string): void;
  hasApplicationArrows(): boolean;
}

export function KeyBar({ press, hasApplicationArrows }: KeyBarProps) {
  const { terminal: words } = TEXT;
  const text = useSignal("");
  return (
    <form
      class="key-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value !== "") press(text.value);
        text.value = "";
      }}
    >
      <div role="toolbar" aria-label={words.bar}>
        {BAR.map(({ name, sign }) => (
          <button
            key={name}
            type="button"
            aria-label={words.keys[name]}
            onClick={() => press(charactersOf(name, hasApplicationArrows()))}
          >
            {sign}
          </button>
        ))}
      </div>
      <div class="typed">
        <input
          type="text"
          aria-label={words.text}
          placeholder={words.text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit" disabled={text.value === ""}>
          {words.type}
        </button>
      </div>
    </form>
  );
}
