/** The browsers that are logged in, and how each is logged out. */
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isLive } from "../board/store.ts";
import { forgetKey } from "../connection/key.ts";
import { type Answer, ask, segment, type Told } from "../connection/requests.ts";
import { keepWish } from "../connection/wish.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { sinceInWords } from "../ui/since.ts";
import { deviceIn } from "./device.ts";
import { forgetSubscription } from "./notifications.ts";

interface Login {
  readonly id: string;
  readonly browser: string;
  readonly host: string;
  readonly logged_in_at: number;
  readonly seen_at: number;
  readonly notified: boolean;
  readonly current: boolean;
}

const PATH = "/web/sessions";
const logins = signal<readonly Login[] | undefined>(undefined);
const error = signal<Told | undefined>(undefined);

export async function loadLogins(): Promise<Answer<unknown>> {
  const answer = await ask<{ readonly sessions: readonly Login[] }>({ method: "GET", path: PATH });
  error.value = answer.kind === "refused" ? answer.error : undefined;
  if (answer.kind === "done") logins.value = answer.body.sessions;
  return answer;
}

async function logOut({ id, current }: Login): Promise<void> {
  if (current) {
    keepWish(false);
    await forgetSubscription().catch(() => {});
  }
  const answer = await ask({ method: "POST", path: `${PATH}/${segment(id)}/revoke` });
  if (answer.kind === "refused") error.value = answer.error;
  else if (current) forgetKey();
  if (!current) await loadLogins();
}

export function LoginsSection() {
  const words = TEXT.settings.logins;
  const all = logins.value ?? [];
  return (
    <section class="setting" aria-labelledby="logins-title">
      <h3 id="logins-title">{words.title}</h3>
      {error.value !== undefined && <ErrorNote {...error.value} />}
      {logins.value === undefined && error.value === undefined && (
        <p class="nothing">{TEXT.settings.loading}</p>
      )}
      <ul class="logins">
        {all
          .toSorted((one, other) => Number(other.current) - Number(one.current))
          .map((login) => (
            <LoginRow key={login.id} login={login} />
          ))}
      </ul>
    </section>
  );
}

function LoginRow({ login }: { readonly login: Login }) {
  const words = TEXT.settings.logins;
  const { browser, host, current, notified } = login;
  const isSure = useSignal(false);
  const name = nameOf(browser);
  const ago = (at: number) => words.ago(sinceInWords(at, now.value));
  return (
    <li>
      <div class="login">
        <p title={browser}>
          <strong>{name}</strong> {current && <span class="chip">{words.current}</span>}{" "}
          {notified && <span class="chip">{words.notified}</span>}
        </p>
        <p class="quiet">{words.at(host, ago(login.logged_in_at), ago(login.seen_at))}</p>
      </div>
      {isSure.value ? (
        <Sure
          login={login}
          onKeep={() => {
            isSure.value = false;
          }}
        />
      ) : (
        <button
          type="button"
          disabled={!isLive.value}
          aria-label={current ? words.logOutHere : words.logOutNamed(name)}
          onClick={() => {
            if (current) isSure.value = true;
            else void logOut(login);
          }}
        >
          {current ? words.logOutHere : words.logOut}
        </button>
      )}
    </li>
  );
}

function Sure({ login, onKeep }: { readonly login: Login; onKeep(): void }) {
  const words = TEXT.settings.logins;
  useEffect(() => document.getElementById("log-out-sure")?.focus(), []);
  return (
    <fieldset class="buttons" aria-label={words.logOutHere}>
      <span>{words.sure}</span>
      <button
        id="log-out-sure"
        type="button"
        class="primary"
        disabled={!isLive.value}
        onClick={() => void logOut(login)}
      >
        {words.logOutHere}
      </button>
      <button type="button" onClick={onKeep}>
        {words.keep}
      </button>
    </fieldset>
  );
}

function nameOf(userAgent: string): string {
  const { browser, system } = deviceIn(userAgent);
  const words = TEXT.settings.logins;
  if (browser !== undefined && system !== undefined) return words.on(browser, system);
  return browser ?? system ?? (userAgent.slice(0, 40) || words.unknownBrowser);
}
