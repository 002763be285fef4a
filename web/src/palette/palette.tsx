/** Goes anywhere and does anything, by a few letters. */
import { useComputed, useSignal } from "@preact/signals";
import { wanted } from "../acting/wanted.ts";
import { ATTENTION_ID } from "../attention/attention.tsx";
import { agents } from "../board/store.ts";
import { groupBy } from "../overview/shown.ts";
import { goTo } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { type Found, found } from "./finding.ts";
import { Modal } from "./modal.tsx";
import { openDialog } from "./open.ts";

const optionId = (index: number) => `found-${index}`;

export function Palette() {
  const typed = useSignal("");
  const chosen = useSignal(0);
  const all = useComputed(() => found(typed.value, agents.value));
  const move = (by: number) => {
    const last = all.value.length - 1;
    chosen.value = Math.max(0, Math.min(last, chosen.value + by));
    document.getElementById(optionId(chosen.value))?.scrollIntoView({ block: "nearest" });
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => choose(all.value[chosen.value]),
  };
  return (
    <Modal label={TEXT.palette.label} class="palette">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-label={TEXT.palette.label}
        aria-activedescendant={all.value.length === 0 ? "" : optionId(chosen.value)}
        placeholder={TEXT.palette.label}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.isComposing || !Object.hasOwn(keys, event.key)) return;
          event.preventDefault();
          keys[event.key]?.();
        }}
      />
      <div id="found" role="listbox" aria-label={TEXT.palette.label}>
        {all.value.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text above, which has the focus.
          <div
            key={`${one.kind} ${one.text}`}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen.value}
            onClick={() => choose(one)}
          >
            <span>{one.text}</span>
            {one.kind === "agent" && <span class="quiet">{one.hint}</span>}
          </div>
        ))}
      </div>
      {all.value.length === 0 && (
        <p class="nothing" role="status">
          {TEXT.palette.nothing}
        </p>
      )}
    </Modal>
  );
}

function choose(one: Found | undefined): void {
  if (one === undefined) return;
  openDialog.value = one.kind === "keys" ? "keys" : undefined;
  switch (one.kind) {
    case "agent":
      goTo({ at: "agent", name: one.name });
      return;
    case "action":
      wanted.value = { agent: one.name, action: one.action };
      goTo({ at: "agent", name: one.name });
      return;
    case "page":
      goTo({ at: "page", page: one.page });
      return;
    case "group":
      goTo();
      groupBy(one.grouping);
      return;
    case "attention":
      goTo();
      // After the palette has given the focus back.
      requestAnimationFrame(() => document.getElementById(ATTENTION_ID)?.focus());
      return;
    default:
  }
}
