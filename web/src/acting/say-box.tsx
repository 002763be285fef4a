/** A message to an agent, in the person's own words. What is half written stays, also if the place for it goes. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Hold } from "../../../src/core/message.ts";
import { isLive } from "../board/store.ts";
import { ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";

interface Sent {
  readonly state: string;
  readonly hold?: Pick<Hold, "release">;
}

type Step =
  | { readonly at: "writing" | "sending" }
  | { readonly at: "sent"; readonly text: string }
  | { readonly at: "refused"; readonly error: Told };

/** By whom they are for. */
const drafts = new Map<string, string>();

export interface SayBoxProps {
  readonly to: string;
  readonly name: string;
  readonly label: string;
}

export function SayBox({ to, name, label }: SayBoxProps) {
  const id = useId();
  const text = useSignal(drafts.get(to) ?? "");
  const step = useSignal<Step>({ at: "writing" });
  // Sent again after a failure, it is the same message.
  const key = useSignal(crypto.randomUUID());
  const write = (written: string) => {
    text.value = written;
    key.value = crypto.randomUUID();
    drafts.set(to, written);
    if (step.value.at !== "sending") step.value = { at: "writing" };
  };
  const send = async () => {
    if (!isLive.value || text.value.trim() === "" || step.value.at === "sending") return;
    step.value = { at: "sending" };
    const answer = await ask<Sent>({
      method: "POST",
      path: `/sessions/${segment(to)}/send`,
      body: { text: text.value, idempotency_key: key.value },
    });
    if (answer.kind === "done") write("");
    step.value =
      answer.kind === "done"
        ? { at: "sent", text: outcomeOf(answer.body) }
        : { at: "refused", error: answer.error };
  };
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
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
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
      {now.at === "sent" && (
        <p class="note" role="status">
          {now.text}
        </p>
      )}
      {now.at === "refused" && <ErrorNote {...now.error} />}
    </form>
  );
}

function outcomeOf({ state, hold }: Sent): string {
  if (hold !== undefined) return TEXT.say.waits(hold.release);
  return state === "queued" || state === "delivering" ? TEXT.say.accepted : TEXT.say.delivered;
}
