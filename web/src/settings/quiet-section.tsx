/** When the person is told nothing, in any channel. The daemon writes it into the config. */
import { useSignal } from "@preact/signals";
import { ATTENTION_KINDS, type AttentionKind } from "../../../src/core/attention.ts";
import { isLive } from "../board/store.ts";
import { ask, type Told } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { notifications } from "./notifications.ts";

interface Quiet {
  readonly hours: string | null;
  readonly except: readonly string[];
}

type Step =
  | { readonly at: "resting" | "asking" | "working" }
  | { readonly at: "refused"; readonly error: Told };

const USUAL = "22:00-07:00";

export function QuietSection() {
  const { value: known } = notifications;
  const step = useSignal<Step>({ at: "resting" });
  if (known.at !== "known") return null;
  const { quiet, quiet_except: except } = known.state;
  const words = TEXT.settings.quiet;
  const save = async (wish: Quiet) => {
    if (!isLive.value || step.value.at === "working") return;
    step.value = { at: "working" };
    const answer = await ask<Quiet>({ method: "PUT", path: "/web/quiet", body: wish });
    if (answer.kind === "refused") {
      step.value = { at: "refused", error: answer.error };
      return;
    }
    step.value = { at: "resting" };
    const { value: now } = notifications;
    const { hours, except: kinds } = answer.body;
    if (now.at === "known")
      notifications.value = { at: "known", state: { ...now.state, quiet: hours, quiet_except: kinds } };
  };
  const kinds = except.map((kind) => TEXT.attention.kinds[kind as AttentionKind]);
  const isAsking = step.value.at === "asking" || step.value.at === "working";
  return (
    <section class="setting" aria-labelledby="quiet-title">
      <h3 id="quiet-title">{words.title}</h3>
      <p>{quiet === null ? words.none : words.hours(quiet)}</p>
      {quiet !== null && kinds.length > 0 && <p>{words.except(kinds)}</p>}
      {isAsking ? (
        <QuietForm
          hours={quiet ?? USUAL}
          except={except}
          isOff={!isLive.value || step.value.at === "working"}
          onSave={(wish) => void save(wish)}
          onKeep={() => {
            step.value = { at: "resting" };
          }}
        />
      ) : (
        <div class="buttons">
          <button
            type="button"
            disabled={!isLive.value}
            onClick={() => {
              step.value = { at: "asking" };
            }}
          >
            {quiet === null ? words.set : words.change}
          </button>
          {quiet !== null && (
            <button type="button" disabled={!isLive.value} onClick={() => void save({ hours: null, except })}>
              {words.clear}
            </button>
          )}
        </div>
      )}
      {step.value.at === "refused" && <ErrorNote {...step.value.error} />}
      <p class="quiet">{words.where}</p>
    </section>
  );
}

interface QuietFormProps {
  readonly hours: string;
  readonly except: readonly string[];
  readonly isOff: boolean;
  onSave(wish: Quiet): void;
  onKeep(): void;
}

function QuietForm({ hours, except, isOff, onSave, onKeep }: QuietFormProps) {
  const words = TEXT.settings.quiet;
  const [begins = "", ends = ""] = hours.split("-");
  const from = useSignal(begins);
  const to = useSignal(ends);
  const chosen = useSignal<readonly string[]>(except);
  const isTime = from.value !== "" && to.value !== "" && from.value !== to.value;
  return (
    <form
      class="quiet-hours"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTime && !isOff) onSave({ hours: `${from.value}-${to.value}`, except: chosen.value });
      }}
    >
      <div class="times">
        <label>
          {words.from}{" "}
          <input
            type="time"
            required
            value={from}
            onInput={(event) => (from.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {words.to}{" "}
          <input
            type="time"
            required
            value={to}
            onInput={(event) => (to.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <fieldset>
        <legend>{words.even}</legend>
        {ATTENTION_KINDS.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={chosen.value.includes(kind)}
              onChange={(event) => {
                const others = chosen.value.filter((one) => one !== kind);
                chosen.value = event.currentTarget.checked ? [...others, kind] : others;
              }}
            />{" "}
            {TEXT.attention.kinds[kind]}
          </label>
        ))}
      </fieldset>
      {!isTime && <p class="note">{words.same}</p>}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isOff || !isTime}>
          {words.save}
        </button>
        <button type="button" onClick={onKeep}>
          {words.keep}
        </button>
      </div>
    </form>
  );
}
