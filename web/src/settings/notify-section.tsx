/** Whether this device is told what needs the person, and a test of it. */
import { useSignal } from "@preact/signals";
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
