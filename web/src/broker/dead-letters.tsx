/** Messages that had no recipient: sent again, or deleted. */
import { signal } from "@preact/signals";
import { isLive } from "../board/store.ts";
import { type Answer, ask, segment, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { sinceInWords } from "../ui/since.ts";
import { DEAD_LETTERS, nameOf, partyOf } from "./parties.ts";
import { type DeadLetter, deadLetters, selected } from "./state.ts";

interface Rerouted {
  readonly rerouted: number;
  readonly left: number;
}

const note = signal("");
const refused = signal<Told | undefined>(undefined);
const isSure = signal(false);

async function settle<Body>(asked: Promise<Answer<Body>>, words: (body: Body) => string): Promise<void> {
  refused.value = undefined;
  note.value = "";
  const answer = await asked;
  if (answer.kind === "done") note.value = words(answer.body);
  else refused.value = answer.error;
}

function reroute(letter?: DeadLetter): void {
  const one = letter === undefined ? "" : `/${segment(letter.id)}`;
  const asked = ask<Rerouted>({ method: "POST", path: `/unmatched${one}/reroute` });
  void settle(asked, ({ rerouted, left }) => TEXT.broker.rerouted(rerouted, left));
}

function clear(): void {
  isSure.value = false;
  const asked = ask<{ readonly cleared: number }>({ method: "DELETE", path: "/unmatched" });
  void settle(asked, ({ cleared }) => TEXT.broker.cleared(cleared));
}

export function DeadLetters() {
  const { broker: text } = TEXT;
  const from = selected.value?.to === DEAD_LETTERS ? selected.value.from : undefined;
  const known = deadLetters.value ?? [];
  const letters = from === undefined ? known : known.filter((letter) => senderOf(letter) === from);
  return (
    <section class="panel" id="dead-letters" aria-labelledby="letters-title">
      <div class="panel-head">
        <h3 id="letters-title">
          {text.deadLetters} {known.length > 0 && <span class="chip">{known.length}</span>}
        </h3>
        {known.length > 0 && (
          <div class="buttons">
            <button type="button" disabled={!isLive.value} onClick={() => reroute()}>
              {text.rerouteAll}
            </button>
            <button
              type="button"
              disabled={!isLive.value}
              onClick={() => {
                isSure.value = true;
              }}
            >
              {text.clear}
            </button>
          </div>
        )}
      </div>
      {isSure.value && (
        <fieldset class="question" aria-label={text.clear}>
          <p>{text.clearSure(known.length)}</p>
          <div class="buttons">
            <button type="button" class="primary" disabled={!isLive.value} onClick={clear}>
              {text.clear}
            </button>
            <button
              type="button"
              onClick={() => {
                isSure.value = false;
              }}
            >
              {TEXT.actions.keep}
            </button>
          </div>
        </fieldset>
      )}
      <p role="status" class="note">
        {note}
      </p>
      {refused.value !== undefined && <ErrorNote {...refused.value} />}
      {from !== undefined && (
        <p class="quiet">
          {text.onlyFrom(nameOf(from))}{" "}
          <button
            type="button"
            onClick={() => {
              selected.value = undefined;
            }}
          >
            {TEXT.overview.clear}
          </button>
        </p>
      )}
      {deadLetters.value !== undefined && known.length === 0 && (
        <div class="teach">
          <p>{text.noLetters}</p>
        </div>
      )}
      <ul class="letters held">
        {letters.map((letter) => (
          <li key={letter.id}>
            <p class="meta">
              <strong>{letter.from}</strong> → <code>{letter.path}</code>{" "}
              <span class="quiet">
                #{letter.short_id} · {sinceInWords(letter.timestamp, now.value)}
              </span>
            </p>
            <p class="said">{letter.body}</p>
            <p class="quiet">{letter.reason}</p>
            <button type="button" disabled={!isLive.value} onClick={() => reroute(letter)}>
              {text.reroute(letter.short_id)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A dead letter names an agent without its root. */
function senderOf({ from }: DeadLetter): string {
  return from.includes("/") ? partyOf(from) : `agent/${from}`;
}
