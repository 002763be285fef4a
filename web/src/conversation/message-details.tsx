/** The whole text of a message, why it waits, and each receipt. Asked for when it is opened, and when it changes. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sanitiseLine } from "../../../src/core/text/sanitise.ts";
import { tryingAgain } from "../board/asking.ts";
import { ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { CopyButton } from "../ui/copying.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { momentInWords } from "../ui/moment.ts";
import type { Talk } from "./talk.ts";
import { type Entry, isFrom } from "./timeline.ts";
import type { ToldMessage } from "./told.ts";
import { receiptInWords, shownBody } from "./wording.ts";

interface Explained {
  readonly deliveries: readonly { readonly id: string; readonly because: readonly string[] }[];
}

interface MessageDetailsProps {
  readonly entry: Entry;
  readonly talk: Talk;
  answer(shortId: string): void;
}

export function MessageDetails({ entry, talk, answer }: MessageDetailsProps) {
  const { conversation } = TEXT;
  const told = useSignal<ToldMessage | undefined>(undefined);
  const because = useSignal<readonly string[]>([]);
  const error = useSignal<Told | undefined>(undefined);
  const isWhole = useSignal(false);
  const { id, message_id, short_id, state, from } = entry;
  useEffect(() => {
    let isOver = false;
    const load = async () => {
      const path = `/messages/${segment(message_id)}`;
      const [message, why] = await Promise.all([
        ask<ToldMessage>({ method: "GET", path }),
        state === "queued" ? ask<Explained>({ method: "GET", path: `${path}/explain` }) : undefined,
      ]);
      if (isOver) return;
      if (message.kind === "done") told.value = message.body;
      error.value = message.kind === "refused" ? message.error : undefined;
      const one = why?.kind === "done" ? why.body.deliveries.find((each) => each.id === id) : undefined;
      because.value = one?.because ?? [];
      trying.told(message, why);
    };
    const trying = tryingAgain(() => void load());
    void load();
    return () => {
      isOver = true;
      trying.end();
    };
  }, [message_id, state, entry.changed_at, entry.hold?.release]);
  const { value: shown } = told;
  const text = shown === undefined ? undefined : shownBody(shown.message.body, isWhole.value);
  const delivery = shown?.deliveries.find((one) => one.id === id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keys.
    <section class="opened" tabIndex={0} aria-label={`#${short_id}`}>
      {error.value !== undefined && <ErrorNote {...error.value} />}
      {text !== undefined && (
        <>
          <pre class="body">{text.text}</pre>
          {(text.isCut || isWhole.value) && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                isWhole.value = !isWhole.value;
              }}
            >
              {isWhole.value ? conversation.fold : conversation.all(shown?.message.body.length ?? 0)}
            </button>
          )}
        </>
      )}
      {because.value.length > 0 && (
        <>
          <h3>{conversation.because}</h3>
          <ul>
            {because.value.map((sentence) => (
              <li key={sentence}>{sanitiseLine(sentence, 500)}</li>
            ))}
          </ul>
        </>
      )}
      {delivery !== undefined && (
        <>
          <h3>{conversation.receipts}</h3>
          <ul class="receipts">
            {delivery.receipts.map((receipt) => (
              <li key={`${receipt.at} ${receipt.state} ${receipt.note}`}>
                <time class="quiet" dateTime={new Date(receipt.at).toISOString()}>
                  {momentInWords(receipt.at, now.value)}
                </time>{" "}
                {sanitiseLine(receiptInWords(receipt), 500)}
              </li>
            ))}
          </ul>
        </>
      )}
      {shown !== undefined && (
        <div class="buttons">
          {isFrom(from, talk.name) && (
            <button type="button" onClick={() => answer(short_id)}>
              {conversation.answer}
            </button>
          )}
          <CopyButton text={shown.message.body} />
          <span class="quiet file">
            #{short_id} · {conversation.keptAs} {shown.message.file}
          </span>
        </div>
      )}
    </section>
  );
}
