/** A message to the agent: with a priority, as an answer, with files. What is half written outlives the page. */
import { type Signal, useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { Priority } from "../../../src/core/message.ts";
import { PRIORITIES } from "../../../src/core/priority.ts";
import { OutcomeNote } from "../acting/outcome-note.tsx";
import { isSendKey, useSaying } from "../acting/saying.ts";
import { agents, isLive } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { Attached } from "./attached.tsx";
import { faultOf, toBase64 } from "./attaching.ts";
import { keepText, keptText } from "./kept-text.ts";
import { completed, type Mention, mentionAt, offered } from "./mentions.ts";
import { NameOffers, offerId } from "./name-offers.tsx";

interface ComposerProps {
  readonly name: string;
  /** Short id of the message that is answered. */
  readonly answering: Signal<string | undefined>;
  sent(): void;
}

export function Composer({ name, answering, sent }: ComposerProps) {
  const { composer } = TEXT;
  const [id, offersId] = [useId(), useId()];
  const before = useSignal(keptText(localStorage, name)).peek();
  const priority = useSignal<Priority>(before.priority);
  const files = useSignal<readonly File[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const mention = useSignal<Mention | undefined>(undefined);
  const chosen = useSignal(0);
  const keep = (text: string) => {
    const re = answering.peek();
    keepText(localStorage, name, { text, priority: priority.peek(), ...(re === undefined ? {} : { re }) });
  };
  const isFirst = useSignal(true);
  if (isFirst.peek()) {
    isFirst.value = false;
    if (before.re !== undefined) answering.value = before.re;
  }
  const { text, step, write, refuse, send } = useSaying(`agent/${name}`, {
    read: () => before.text,
    write: keep,
  });
  const answered = answering.value;
  const wished = () => write(text.peek());
  const names = offered(
    mention.value === undefined ? [] : agents.value.map((agent) => agent.name),
    mention.value?.part ?? "",
  );
  const submit = async () => {
    const outcome = await send(async () => {
      const attachments = await contentsOf(files.peek());
      if (typeof attachments === "string") {
        refuse({ code: "usage.invalid", ...composer.unreadable(attachments) });
        return undefined;
      }
      return {
        delivery_mode: priority.peek(),
        ...(answering.peek() === undefined ? {} : { re: answering.peek() }),
        ...(attachments.length === 0 ? {} : { attachments }),
      };
    });
    if (outcome !== "sent") return;
    files.value = [];
    answering.value = undefined;
    priority.value = "normal";
    sent();
    area.current?.focus();
  };
  const follow = ({
    currentTarget: { value, selectionStart, selectionEnd },
  }: {
    currentTarget: HTMLTextAreaElement;
  }) => {
    mention.value = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined;
    chosen.value = 0;
  };
  const take = (taken: string) => {
    const { value: at } = mention;
    if (at === undefined) return;
    const now = completed(text.peek(), at, taken);
    write(now.text);
    mention.value = undefined;
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(now.caret, now.caret);
    });
  };
  /** While names are offered, some keys are theirs. */
  const offerKeys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => {
      chosen.value = (chosen.value + 1) % names.length;
    },
    ArrowUp: () => {
      chosen.value = (chosen.value + names.length - 1) % names.length;
    },
    Enter: () => take(names[chosen.value] ?? ""),
    Tab: () => take(names[chosen.value] ?? ""),
    Escape: () => {
      mention.value = undefined;
    },
  };
  const press = (event: KeyboardEvent) => {
    if (isSendKey(event)) {
      event.preventDefault();
      mention.value = undefined;
      void submit();
    } else if (
      names.length > 0 &&
      !event.isComposing &&
      !event.shiftKey &&
      Object.hasOwn(offerKeys, event.key)
    ) {
      event.preventDefault();
      // The page's own keys would close the conversation.
      event.stopPropagation();
      offerKeys[event.key]?.();
    }
  };
  const add = (more: readonly File[]) => {
    const all = [...files.peek(), ...more];
    const fault = faultOf(all);
    if (fault === undefined) {
      files.value = all;
      wished();
    } else refuse(fault);
  };
  const { value: now } = step;
  return (
    <form
      class="say composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
      }}
      onDrop={(event) => {
        if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        add([...event.dataTransfer.files]);
      }}
    >
      {answered !== undefined && (
        <p class="note">
          {composer.answering(answered)}{" "}
          <button
            type="button"
            class="plain"
            onClick={() => {
              answering.value = undefined;
              wished();
            }}
          >
            {composer.notAnswering}
          </button>
        </p>
      )}
      <NameOffers id={offersId} names={names} chosen={chosen.value} take={take} />
      <textarea
        id={id}
        ref={area}
        rows={2}
        value={text}
        readOnly={now.at === "sending"}
        disabled={!isLive.value}
        aria-label={composer.label(name)}
        placeholder={composer.label(name)}
        aria-autocomplete="list"
        aria-controls={names.length === 0 ? undefined : offersId}
        aria-activedescendant={names.length === 0 ? undefined : offerId(offersId, chosen.value)}
        onInput={(event) => {
          write(event.currentTarget.value);
          follow(event);
        }}
        onClick={follow}
        onBlur={() => {
          mention.value = undefined;
        }}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length === 0) return;
          event.preventDefault();
          add(pasted);
        }}
        onKeyDown={press}
      />
      <Attached
        files={files.value}
        remove={(file) => {
          files.value = files.value.filter((one) => one !== file);
          wished();
        }}
      />
      <div class="buttons">
        <button
          type="submit"
          class="primary"
          disabled={!isLive.value || now.at === "sending" || text.value.trim() === ""}
        >
          {now.at === "sending" ? TEXT.say.sending : TEXT.say.send}
        </button>
        <select
          aria-label={composer.priority}
          value={priority}
          onChange={(event) => {
            priority.value = event.currentTarget.value as Priority;
            wished();
          }}
        >
          {PRIORITIES.map((one) => (
            <option key={one} value={one}>
              {TEXT.conversation.priorities[one]}
            </option>
          ))}
        </select>
        <label class="attach">
          <input
            type="file"
            multiple
            disabled={!isLive.value}
            onChange={(event) => {
              add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
          <span>{composer.attach}</span>
        </label>
        <span class="quiet keyboard-only">{TEXT.say.key}</span>
      </div>
      <OutcomeNote step={now} />
    </form>
  );
}

/** Their contents, or the name of the one that cannot be read. */
async function contentsOf(
  files: readonly File[],
): Promise<readonly { readonly name: string; readonly content: string }[] | string> {
  const contents: { readonly name: string; readonly content: string }[] = [];
  for (const file of files) {
    const bytes = await file.arrayBuffer().catch(() => undefined);
    if (bytes === undefined) return file.name;
    contents.push({ name: file.name || "file", content: toBase64(new Uint8Array(bytes)) });
  }
  return contents;
}
