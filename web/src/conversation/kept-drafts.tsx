/** Texts of the person that Bellhop set aside in order to deliver, and that do not stand in the composer yet. */
import { useSignal } from "@preact/signals";
import { sanitiseText } from "../../../src/core/text/sanitise.ts";
import { isLive } from "../board/store.ts";
import { type Asked, ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { CopyButton } from "../ui/copying.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { momentInWords } from "../ui/moment.ts";
import { comesBack, isLeftToPerson } from "./comes-back.ts";
import type { Talk } from "./talk.ts";

export function KeptDrafts({ talk }: { readonly talk: Talk }) {
  const { kept } = TEXT;
  const said = useSignal("");
  const error = useSignal<Told | undefined>(undefined);
  const { value: drafts } = talk.drafts;
  if (drafts.length === 0 && said.value === "") return null;
  const next = comesBack(drafts);
  const act = async (asked: Asked, done: string) => {
    if (!isLive.value) return;
    said.value = "";
    error.value = undefined;
    const answer = await ask(asked);
    if (answer.kind === "done") said.value = done;
    else error.value = answer.error;
    await talk.refresh();
  };
  return (
    <section class="kept" aria-label={TEXT.details.drafts}>
      <p role="status" class="note">
        {said}
      </p>
      {error.value !== undefined && <ErrorNote {...error.value} />}
      {drafts.length > 0 && <h3>{kept.title(drafts.length)}</h3>}
      {drafts.map(({ id, session_id, text, exact, state, kept_at }) => {
        const path = `/sessions/${segment(session_id)}`;
        const isLeft = isLeftToPerson({ state });
        return (
          <div key={id} class="draft">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keys. */}
            <pre tabIndex={0}>{sanitiseText(text)}</pre>
            <span class="quiet">
              {kept.when(momentInWords(kept_at, now.value))}
              {!exact && `, ${kept.inexact}`}
              {!isLeft && `. ${kept.soon}`}
            </span>
            <div class="buttons">
              {next.has(id) && (
                <button
                  type="button"
                  disabled={!isLive.value}
                  onClick={() => void act({ method: "POST", path: `${path}/restore-draft` }, kept.restored)}
                >
                  {kept.restore}
                </button>
              )}
              {isLeft && (
                <button
                  type="button"
                  disabled={!isLive.value}
                  onClick={() =>
                    void act({ method: "DELETE", path: `${path}/drafts/${segment(id)}` }, kept.discarded)
                  }
                >
                  {kept.discard}
                </button>
              )}
              <CopyButton text={text} />
            </div>
          </div>
        );
      })}
    </section>
  );
}
