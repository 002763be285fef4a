/** Whether this device is told what needs the person, and a test of it. */
import { useSignal } from "@preact/signals";
import type { AttentionKind } from "../../../src/core/attention.ts";
import { isLive } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { sinceInWords } from "../ui/since.ts";
import { ability, notifications, type PushState, test, turnOff, turnOn } from "./notifications.ts";

export function NotifySection() {
  const { value: known } = notifications;
  return (
    <section class="setting" aria-labelledby="notify-title">
      <h3 id="notify-title">{TEXT.settings.notifications.title}</h3>
      <p class="quiet">{TEXT.settings.notifications.what}</p>
      {known.at === "unknown" && <p class="nothing">{TEXT.settings.loading}</p>}
      {known.at === "refused" && <ErrorNote {...known.error} />}
      {known.at === "known" && <Device state={known.state} />}
    </section>
  );
}

function Device({ state }: { readonly state: PushState }) {
  const words = TEXT.settings.notifications;
  const said = useSignal("");
  const isBusy = useSignal(false);
  const can = ability();
  const { device } = state;
  const act = async (work: () => Promise<string | undefined>) => {
    isBusy.value = true;
    said.value = words.working;
    said.value = (await work()) ?? "";
    isBusy.value = false;
  };
  const isOff = !isLive.value || isBusy.value;
  return (
    <>
      <p>{device === null ? words.off : words.on(device.service)}</p>
      {device === null && can.kind === "denied" && <p class="note error">{words.denied}</p>}
      {device === null && can.kind === "unable" && <p class="note">{words.unsupported[can.why]}</p>}
      <div class="buttons">
        {device === null && can.kind === "able" && (
          <button
            type="button"
            class="primary"
            disabled={isOff}
            onClick={() => void act(() => turnOn(state.public_key))}
          >
            {words.turnOn}
          </button>
        )}
        {device !== null && (
          <>
            <button type="button" disabled={isOff} onClick={() => void act(test)}>
              {words.test}
            </button>
            <button type="button" disabled={isOff} onClick={() => void act(turnOff)}>
              {words.turnOff}
            </button>
          </>
        )}
      </div>
      <p class="note" role="status">
        {said.value}
      </p>
      {device?.last !== undefined && said.value === "" && (
        <p class="quiet">
          {words.last(
            TEXT.settings.logins.ago(sinceInWords(device.last.at, now.value)),
            words.lastOutcomes[device.last.outcome],
          )}
        </p>
      )}
    </>
  );
}

export function QuietSection() {
  const { value: known } = notifications;
  if (known.at !== "known") return null;
  const { quiet, quiet_except: except } = known.state;
  const words = TEXT.settings.quiet;
  const kinds = except.map((kind) => TEXT.attention.kinds[kind as AttentionKind]);
  return (
    <section class="setting" aria-labelledby="quiet-title">
      <h3 id="quiet-title">{words.title}</h3>
      <p>{quiet === null ? words.none : words.hours(quiet)}</p>
      {quiet !== null && kinds.length > 0 && <p>{words.except(kinds)}</p>}
      <p class="quiet">{words.change}</p>
      <pre>
        <code>{words.example}</code>
      </pre>
    </section>
  );
}
