/** The whole page. */

import { Details } from "./agent/details.tsx";
import { cards } from "./attention/answering.ts";
import { AttentionList } from "./attention/attention.tsx";
import { link, linkNote } from "./board/store.ts";
import { codeIn } from "./connection/key.ts";
import { Overview } from "./overview/overview.tsx";
import { KeyHelp } from "./palette/key-help.tsx";
import { openDialog } from "./palette/open.ts";
import { Palette } from "./palette/palette.tsx";
import { lazily } from "./places/lazily.tsx";
import { HOME, MAIN_PAGES, type PageName, type Place } from "./places/place.ts";
import { PlaceLink } from "./places/place-link.tsx";
import { place } from "./places/route.ts";
import { TEXT } from "./strings.ts";
import { KeyHint } from "./ui/key-hint.tsx";

const VIEWS = {
  broker: lazily(async () => (await import("./broker/broker-page.tsx")).BrokerPage),
  turns: lazily(async () => (await import("./upkeep/turns-page.tsx")).TurnsPage),
  bridges: lazily(async () => (await import("./upkeep/bridges-page.tsx")).BridgesPage),
  settings: lazily(async () => (await import("./settings/settings-page.tsx")).SettingsPage),
  start: lazily(async () => (await import("./starting/start-page.tsx")).StartPage),
} as const satisfies Record<PageName, unknown>;

export function App() {
  const { value: standing } = link;
  return (
    <>
      <Head />
      {standing.at === "logged-out" ? <LoggedOut why={standing.why} /> : <Main />}
      <Banner />
      {openDialog.value === "palette" && <Palette />}
      {openDialog.value === "keys" && <KeyHelp />}
    </>
  );
}

function Main() {
  const { value: here } = place;
  if (here.at === "page") {
    const View = VIEWS[here.page];
    return (
      <main class="whole">
        <View />
      </main>
    );
  }
  return (
    <main class={layoutOf(here)}>
      <AttentionList />
      <Overview />
      <Details />
    </main>
  );
}

function layoutOf(here: Place): string {
  if (here.at !== "agent") return "";
  return here.tab === undefined ? "with-details" : "with-wide";
}

function Head() {
  const { at } = link.value;
  const isOut = at === "logged-out";
  const count = isOut ? 0 : cards.value.length;
  document.title = count === 0 ? TEXT.title : `(${count}) ${TEXT.title}`;
  return (
    <header class="head">
      <h1>
        <PlaceLink class="home-link" to={HOME} isHere={place.value.at === "home"}>
          {TEXT.title}
        </PlaceLink>
      </h1>
      {!isOut && <Pages count={count} />}
      <span class={`link ${at}`}>{TEXT.connection[at]}</span>
      {!isOut && <Dialogs />}
    </header>
  );
}

function Pages({ count }: { readonly count: number }) {
  return (
    <nav class="pages" aria-label={TEXT.title}>
      <PlaceLink to={HOME} isHere={place.value.at !== "page"}>
        {TEXT.pages.home}
        {count > 0 && <span class="count">{count}</span>}
      </PlaceLink>
      {MAIN_PAGES.map((page) => (
        <PlaceLink
          key={page}
          to={{ at: "page", page }}
          isHere={place.value.at === "page" && place.value.page === page}
        >
          {TEXT.pages[page]}
        </PlaceLink>
      ))}
    </nav>
  );
}

function Dialogs() {
  return (
    <>
      <button
        type="button"
        class="plain"
        onClick={() => {
          openDialog.value = "palette";
        }}
      >
        {TEXT.palette.open} <KeyHint of="Ctrl K" />
      </button>
      <button
        type="button"
        class="plain keyboard-only"
        onClick={() => {
          openDialog.value = "keys";
        }}
      >
        {TEXT.keys.open} <KeyHint of="?" />
      </button>
    </>
  );
}

/** Comes when the page is not live, and goes by itself; or says what came of a link, until it is closed. */
function Banner() {
  const { at } = link.value;
  const text = at === "live" ? linkNote.value : at === "logged-out" ? "" : TEXT.banner[at];
  return (
    <div role="status" class={text === "" ? "banner absent" : "banner"}>
      {text}
      {at === "live" && text !== "" && (
        <button
          type="button"
          onClick={() => {
            linkNote.value = "";
          }}
        >
          {TEXT.linkNote.close}
        </button>
      )}
    </div>
  );
}

function LoggedOut({ why }: { readonly why: string }) {
  const { title, next } = TEXT.loggedOut;
  return (
    <main class="logged-out">
      <div role="alert">
        <h2>{title}</h2>
        {why !== "" && <p>{why}</p>}
      </div>
      <p>{next}</p>
      <PastedLink />
    </main>
  );
}

/** An app on the Home Screen has no address bar that a link could be put into. */
function PastedLink() {
  const logIn = (event: SubmitEvent) => {
    event.preventDefault();
    const { pasted } = event.currentTarget as typeof event.currentTarget & {
      readonly pasted: HTMLInputElement;
    };
    const code = codeIn(pasted.value);
    if (code !== "") location.hash = code;
  };
  return (
    <form class="pasted" onSubmit={logIn}>
      <label for="pasted-link">{TEXT.logIn.label}</label>
      <div class="buttons">
        <input id="pasted-link" name="pasted" type="text" autocomplete="off" spellcheck={false} />
        <button type="submit">{TEXT.logIn.button}</button>
      </div>
    </form>
  );
}
